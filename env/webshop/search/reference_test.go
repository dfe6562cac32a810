package search_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/hone-rl/hone/env/webshop/search"
	"github.com/hone-rl/hone/env/webshop/search/internal/analysis"
)

// reference ranks by the formula of the specification and nothing else: every term in the order of the query, every
// document that has it.
type reference struct {
	ids     []string // sorted
	lengths []int
	found   map[string]map[int]int // term, document, frequency
	counted int
	average float32
}

func newReference(docs []search.Document) *reference {
	docs = slices.SortedFunc(slices.Values(docs), func(a, b search.Document) int { return cmp.Compare(a.ID, b.ID) })
	r := &reference{found: make(map[string]map[int]int)}
	total := 0
	for i, d := range docs {
		terms := analysis.Terms(d.Text)
		for _, term := range terms {
			if r.found[term] == nil {
				r.found[term] = make(map[int]int)
			}
			r.found[term][i]++
		}
		r.ids = append(r.ids, d.ID)
		r.lengths = append(r.lengths, len(terms))
		total += len(terms)
		if len(terms) > 0 {
			r.counted++
		}
	}
	r.average = float32(float64(total) / float64(r.counted))
	return r
}

func (r *reference) search(query string, most int) []search.Hit {
	count := make(map[string]int)
	var order []string
	for _, term := range analysis.Terms(query) {
		if count[term]++; count[term] == 1 {
			order = append(order, term)
		}
	}
	sums := make(map[int]float64)
	for _, term := range order {
		n := float64(len(r.found[term]))
		idf := float32(math.Log(1 + (float64(r.counted)-n+0.5)/(n+0.5)))
		w := float32(count[term]) * idf
		for doc, freq := range r.found[term] {
			one, b, k1 := float32(1), float32(0.4), float32(0.9)
			long := b * float32(luceneLength(r.lengths[doc]))
			long /= r.average
			norm := k1 * ((one - b) + long)
			tf := float32(freq) * (one / norm)
			sums[doc] += float64(w - w/(one+tf))
		}
	}
	var hits []search.Hit
	for doc, sum := range sums {
		hits = append(hits, search.Hit{ID: r.ids[doc], Score: float32(sum)})
	}
	slices.SortFunc(hits, func(a, b search.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return hits[:min(most, len(hits))]
}

// luceneLength is the length that one byte keeps: exact below 40, from there 24 and what exceeds it with its four highest
// bits.
func luceneLength(n int) int {
	if n < 40 {
		return n
	}
	above, bit := n-24, 1
	for above >= 16*bit {
		bit *= 2
	}
	return 24 + above/bit*bit
}

// compareSearches compares what an index finds, with and without pruning, with the reference.
func compareSearches(t *testing.T, x *search.Index, r *reference, query string, most int) {
	t.Helper()
	want := r.search(query, most)
	for name, search := range map[string]func(string, int) ([]search.Hit, error){"pruned": x.Search, "exhaustive": x.Exhaustive} {
		got, err := search(query, most)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s, best %d of %q: got %v, want %v", name, most, query, got, want)
		}
	}
}
