package search

import (
	"sync"

	"github.com/hone-rl/hone/env/webshop/search/internal/postings"
)

// ranking is one search. Documents are taken window by window. What no document of a window can score, by the highest
// impacts of the blocks that reach into it, divides the terms: the optional ones alone cannot lift a document over the
// bar, so only documents with another term are candidates, and of those the optional terms are asked one after the other
// while the document can still get over it (MaxScore, Turtle and Flood 1995, with the block bounds of Ding and Suel 2011).
type ranking struct {
	x     *Index
	best  best
	prune bool // else every term is added in the order of the query, to every document that has it

	terms      []*rankedTerm // as many as a query has had, to be used again
	order      []*rankedTerm // those of this query, as they stand in it or by their bound in the window, the lowest first
	below      []float64     // below[i] is the sum of the bounds of order[:i]
	candidates []uint32      // counted from the window's first document
	sums       [window]float64
	some       [window / 64]uint64 // the documents that have a term that is not optional
}

type rankedTerm struct {
	cursor postings.Cursor
	weight float32
	place  int     // in the query
	share  float64 // of all documents that have it
	bound  float32 // on its score in the window
}

// rankings are used again, with their cursors.
var rankings = sync.Pool{New: func() any { return new(ranking) }}

// best is the hits of a query. What prune leaves out changes nothing.
func (x *Index) best(query []queryTerm, most int, prune bool) []Hit {
	r := rankings.Get().(*ranking)
	r.set(x, query, min(most, x.documents), prune)
	for low := 0; low < x.documents; low += window {
		r.window(uint32(low), uint32(min(low+window, x.documents)))
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
	r.order = r.order[:0]
	var weights []float32
	for _, q := range query {
		list, count, ok := x.find(q.text)
		if !ok {
			continue
		}
		n := len(r.order)
		if n == len(r.terms) {
			r.terms = append(r.terms, new(rankedTerm))
		}
		t := r.terms[n]
		t.cursor.Reset(list, x.impact)
		t.weight, t.place, t.share = weight(q.count, count, x.counted), n, float64(count)/float64(x.documents)
		r.order = append(r.order, t)
		weights = append(weights, t.weight)
	}
	r.prune = prune && exact(weights)
}
