package search

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"github.com/hone-rl/hone/env/webshop/search/internal/postings"
)

// window is how many documents are looked at together. Their sums fit the fastest cache, and bounds over fewer blocks
// are lower.
const window = 2048

// ranking is one search. Documents are taken window by window. What no document of a window can score, by the highest
// impacts of the blocks that reach into it, divides the terms: the optional ones alone cannot lift a document over the
// bar, so only documents with another term are candidates, and of those the optional terms are asked one by one while
// the document can still get over it (MaxScore, Turtle and Flood 1995, with the block bounds of Ding and Suel 2011).
type ranking struct {
	x     *Index
	terms []*rankedTerm // in the order of the query
	best  best
	prune bool // else every term is added in the order of the query, to every document that has it

	order []*rankedTerm   // by their bound in the window, the lowest first
	below []float64       // below[i] is the sum of the bounds of order[:i]
	sums  [window]float64 // by document of the window
	some  [window / 64]uint64
}

type rankedTerm struct {
	cursor postings.Cursor
	weight float32
	place  int     // in the query
	bound  float32 // on its score in the window
}

// rankings are used again, with their cursors.
var rankings = sync.Pool{New: func() any { return new(ranking) }}

// best is the hits of a query. What prune leaves out changes nothing.
func (x *Index) best(query []queryTerm, most int, prune bool) []Hit {
	r := rankings.Get().(*ranking) //nolint:forcetypeassert // only these are put
	r.set(x, query, min(most, x.documents), prune)
	for low := 0; low < x.documents; low += window {
		r.window(uint32(low), uint32(min(low+window, x.documents))) //nolint:gosec // at most 2^31-1 documents
	}
	found := r.best.sorted()
	hits := make([]Hit, len(found))
	for i, f := range found {
		hits[i] = Hit{ID: string(x.id(int(f.doc))), Score: f.score}
	}
	r.x = nil
	rankings.Put(r) // not after a fault, which leaves it as it stands
	return hits
}

func (r *ranking) set(x *Index, query []queryTerm, most int, prune bool) {
	r.x = x
	r.best = best{kept: r.best.kept[:0], most: most}
	r.terms = r.terms[:0]
	var weights []float32
	for _, q := range query {
		list, count, ok := x.find(q.text)
		if !ok {
			continue
		}
		n := len(r.terms)
		if n < cap(r.terms) {
			r.terms = r.terms[:n+1]
		} else {
			r.terms = append(r.terms, nil)
		}
		if r.terms[n] == nil {
			r.terms[n] = new(rankedTerm)
		}
		t := r.terms[n]
		t.cursor.Reset(list, x.impact)
		t.weight, t.place = weight(q.count, count, x.counted), n
		weights = append(weights, t.weight)
	}
	r.order = append(r.order[:0], r.terms...)
	r.prune = prune && exact(weights)
}

// window ranks the documents from low to before high.
func (r *ranking) window(low, high uint32) {
	optional := 0
	if r.prune {
		optional = r.divide(low, high)
		if optional == len(r.order) {
			return
		}
	}
	for _, t := range r.order[optional:] {
		r.add(t, low, high)
	}
	rest := 0.0
	if r.prune {
		rest = r.below[optional]
	}
	for i, word := range r.some {
		for ; word != 0; word &= word - 1 {
			at := 64*i + bits.TrailingZeros64(word)
			sum := r.sums[at]
			r.sums[at] = 0
			if sum+rest > r.best.bar() {
				r.finish(low+uint32(at), sum, optional) //nolint:gosec // below window
			}
		}
		r.some[i] = 0
	}
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

// add adds a term's scores to the sums of a window.
func (r *ranking) add(t *rankedTerm, low, high uint32) {
	lengths, norms := r.x.lengths, &r.x.norms
	for from := low; ; {
		docs, freqs := t.cursor.Take(from, high)
		if len(docs) == 0 {
			return
		}
		from = docs[len(docs)-1] + 1
		for i, doc := range docs {
			at := doc - low
			r.sums[at] += float64(score(t.weight, float32(float32(freqs[i])*norms[lengths[doc]])))
			r.some[at/64] |= 1 << (at % 64)
		}
	}
}

// finish adds the optional terms to the sum of a document as long as it can get over the bar.
func (r *ranking) finish(doc uint32, sum float64, optional int) {
	bar := r.best.bar()
	for i := optional - 1; i >= 0; i-- {
		t := r.order[i]
		if sum+r.below[i+1] <= bar {
			return
		}
		if sum+r.below[i]+float64(score(t.weight, t.cursor.Seek(doc))) <= bar {
			return
		}
		if freq := t.cursor.Freq(doc); freq > 0 {
			sum += float64(score(t.weight, r.x.impact(postings.Posting{Doc: doc, Freq: freq})))
		}
	}
	r.best.offer(found{doc, float32(sum)})
}
