package search

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/hone-rl/hone/env/webshop/search/internal/postings"
)

// window is how many documents are looked at together. Their sums fit the fastest cache, and bounds over fewer blocks
// are lower.
const window = 4096

// lookup is how many times longer it takes to ask for one document than to go past a posting.
const lookup = 8

// window ranks the documents from low to before high.
func (r *ranking) window(low, high uint32) {
	optional := 0
	if r.prune {
		if optional = r.divide(low, high); optional == len(r.order) {
			return
		}
	}
	for _, t := range r.order[optional:] {
		r.add(t, low, high, true)
	}
	r.candidates = r.candidates[:0]
	for i, word := range r.some {
		for ; word != 0; word &= word - 1 {
			r.candidates = append(r.candidates, uint32(64*i+bits.TrailingZeros64(word)))
		}
		r.some[i] = 0
	}
	for i := optional - 1; i >= 0; i-- {
		r.keep(r.below[i+1])
		if len(r.candidates) == 0 {
			break
		}
		if t := r.order[i]; float64(len(r.candidates)*lookup) < t.share*window {
			r.ask(t, low)
		} else {
			r.add(t, low, high, false)
		}
	}
	for _, at := range r.candidates {
		if sum := r.sums[at]; sum > r.best.bar() {
			r.best.offer(found{low + at, float32(sum)})
		}
	}
	clear(r.sums[:high-low])
}

// divide sorts the terms by their bounds in a window and returns how many of them are optional.
func (r *ranking) divide(low, high uint32) int {
	for _, t := range r.order {
		t.bound = score(t.weight, t.cursor.Bound(low, high))
	}
	slices.SortFunc(r.order, func(a, b *rankedTerm) int {
		return cmp.Or(cmp.Compare(a.bound, b.bound), cmp.Compare(a.place, b.place))
	})
	r.below = append(r.below[:0], 0)
	optional, bar := 0, r.best.bar()
	for i, t := range r.order {
		sum := r.below[i] + float64(t.bound)
		r.below = append(r.below, sum)
		if sum <= bar {
			optional = i + 1
		}
	}
	return optional
}

// add adds a term's scores to the sums of a window, and notes the documents if they are to be candidates.
func (r *ranking) add(t *rankedTerm, low, high uint32, note bool) {
	lengths, norms := r.x.lengths, &r.x.norms
	for from := low; ; {
		docs, freqs := t.cursor.Take(from, high)
		if len(docs) == 0 {
			return
		}
		from = docs[len(docs)-1] + 1
		for i, doc := range docs {
			r.sums[doc-low] += float64(score(t.weight, float32(float32(freqs[i])*norms[lengths[doc]])))
		}
		if !note {
			continue
		}
		at, some := (docs[0]-low)/64, uint64(0)
		for _, doc := range docs {
			doc -= low
			if doc/64 != at {
				r.some[at] |= some
				at, some = doc/64, 0
			}
			some |= 1 << (doc % 64)
		}
		r.some[at] |= some
	}
}

// keep keeps the candidates that rest could lift over the bar.
func (r *ranking) keep(rest float64) {
	bar := r.best.bar()
	kept := r.candidates[:0]
	for _, at := range r.candidates {
		if r.sums[at]+rest > bar {
			kept = append(kept, at)
		}
	}
	r.candidates = kept
}

// ask adds a term's scores to the sums of the candidates alone.
func (r *ranking) ask(t *rankedTerm, low uint32) {
	for _, at := range r.candidates {
		t.cursor.Seek(low + at)
		if freq := t.cursor.Freq(low + at); freq > 0 {
			r.sums[at] += float64(score(t.weight, r.x.impact(postings.Posting{Doc: low + at, Freq: freq})))
		}
	}
}
