// Package search is WebShop's search engine: the fifty best products for a query by BM25, in the order and with the scores
// of the Lucene index that WebShop uses (Anserini's defaults, k1 0.9 and b 0.4). An index is made in memory by New, or on disk
// by Build and opened by Open; both are searched by the same code, and what one has in memory the other has in its file,
// byte for byte.
package search

import (
	"errors"
	"fmt"

	"github.com/hone-rl/hone/env/webshop/search/internal/analysis"
)

// MostHits is how many products WebShop asks for.
const MostHits = 50

// maxTerms is how many distinct terms a query may have, as in Lucene.
const maxTerms = 1024

// ErrTooManyTerms is the error of a query that has more than 1,024 distinct terms. Lucene refuses it, too.
var ErrTooManyTerms = errors.New("more than 1024 distinct terms in a query")

// Document is one product as it is indexed.
type Document struct {
	ID   string // its asin: 1 to 255 bytes, no other's
	Text string // title, description, first bullet and options
}

// Hit is one document that a search found.
type Hit struct {
	ID    string
	Score float32
}

// Index is an index that is ready to be searched. It never changes and may be used from many goroutines.
type Index struct {
	content
	release func() error // nil for one in memory
}

// Stats is what an index holds.
type Stats struct {
	Documents int   // all that were given
	Counted   int   // those with a term, which is what Lucene counts
	Terms     int   // distinct
	Postings  int64 // a term in a document
	Length    int64 // of all documents together, in terms with repeats
}

// Stats says what the index holds.
func (x *Index) Stats() Stats {
	return Stats{
		Documents: x.documents,
		Counted:   x.counted,
		Terms:     x.terms(),
		Postings:  x.postings,
		Length:    x.length,
	}
}

// Search returns the documents with the highest scores, at most so many: the highest first, of equal ones the lower id. Any
// document with one term of the query may be among them. A query without terms finds nothing.
func (x *Index) Search(query string, most int) (hits []Hit, err error) {
	terms, err := queryTerms(query)
	if err != nil || most < 1 {
		return nil, err
	}
	if x.release == nil {
		return x.best(terms, most, true), nil
	}
	err = guard(func() { hits = x.best(terms, most, true) })
	return hits, err
}

// Terms are the index terms of a text, in its order and with repeats.
func Terms(text string) []string { return analysis.Terms(text) }

// queryTerm is one distinct term of a query.
type queryTerm struct {
	text  string
	count int // in the query
}

// queryTerms are in the order in which they first stand in the query.
func queryTerms(query string) ([]queryTerm, error) {
	var terms []queryTerm
	at := make(map[string]int)
	for _, text := range analysis.Terms(query) {
		i, ok := at[text]
		if !ok {
			i = len(terms)
			at[text] = i
			terms = append(terms, queryTerm{text: text})
		}
		terms[i].count++
	}
	if len(terms) > maxTerms {
		return nil, fmt.Errorf("%w: %d", ErrTooManyTerms, len(terms))
	}
	return terms, nil
}

// Close gives back what Open took. No search may be running.
func (x *Index) Close() error {
	if x.release == nil {
		return nil
	}
	release := x.release
	x.release, x.content = nil, content{}
	return release()
}
