package catalogue_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/hone-rl/hone/env/webshop/internal/catalogue"
	"github.com/hone-rl/hone/env/webshop/search"
)

// figures are what texts are compared by.
type figures struct {
	terms, bytes, distinct float64   // of a text, on average
	vocabulary             []float64 // distinct terms in the first 125, 250, 500 and 1,000 texts
	documents              []float64 // with a term, by the term's rank 1, 2, 4, ... 1024
	often                  float64   // share of frequencies above 5
}

// TestFit: a thousand texts, on average over ten catalogues, are like WebShop's, whose figures were taken from the golden
// data's index texts.
func TestFit(t *testing.T) {
	want := figures{
		terms: 107.608, bytes: 808.7, distinct: 68.475,
		vocabulary: []float64{3481, 5253, 7972, 12074},
		documents:  []float64{438, 430, 371, 273, 203, 162, 112, 71, 47, 28, 14},
		often:      0.0229,
	}
	const catalogues = 10
	got := figures{vocabulary: make([]float64, len(want.vocabulary)), documents: make([]float64, len(want.documents))}
	for seed := range uint64(catalogues) {
		f := measure(catalogue.Catalogue{Seed: seed}, 1000)
		got.terms += f.terms / catalogues
		got.bytes += f.bytes / catalogues
		got.distinct += f.distinct / catalogues
		got.often += f.often / catalogues
		for i := range got.vocabulary {
			got.vocabulary[i] += f.vocabulary[i] / catalogues
		}
		for i := range got.documents {
			got.documents[i] += f.documents[i] / catalogues
		}
	}
	near(t, "terms of a text", got.terms, want.terms, 0.02)
	near(t, "bytes of a text", got.bytes, want.bytes, 0.05)
	near(t, "distinct terms of a text", got.distinct, want.distinct, 0.05)
	near(t, "share of frequencies above 5", got.often, want.often, 0.3)
	for i := range want.vocabulary {
		near(t, fmt.Sprintf("distinct terms in %d texts", 125<<i), got.vocabulary[i], want.vocabulary[i], 0.1)
	}
	for i := range want.documents {
		near(t, fmt.Sprintf("documents with term %d", 1<<i), got.documents[i], want.documents[i], 0.15)
	}
}

func near(t *testing.T, what string, got, want, most float64) {
	t.Helper()
	t.Logf("%s: %.4g, real ones %.4g", what, got, want)
	if math.Abs(got/want-1) > most {
		t.Errorf("%s: got %.4g, want %.4g", what, got, want)
	}
}

func measure(c catalogue.Catalogue, count int) (f figures) {
	documents := make(map[string]int)
	postings, many := 0, 0
	for i := range count {
		if i == 125 || i == 250 || i == 500 {
			f.vocabulary = append(f.vocabulary, float64(len(documents)))
		}
		_, text := c.Document(i)
		freqs := make(map[string]int)
		for _, term := range search.Terms(text) {
			freqs[term]++
			f.terms += 1 / float64(count)
		}
		for term, freq := range freqs {
			documents[term]++
			if freq > 5 {
				many++
			}
		}
		postings += len(freqs)
		f.bytes += float64(len(text)) / float64(count)
	}
	f.vocabulary = append(f.vocabulary, float64(len(documents)))
	f.distinct = float64(postings) / float64(count)
	f.often = float64(many) / float64(postings)
	sorted := slices.SortedFunc(maps.Values(documents), func(a, b int) int { return cmp.Compare(b, a) })
	for rank := 1; rank <= 1024; rank *= 2 {
		f.documents = append(f.documents, float64(sorted[rank-1]))
	}
	return f
}
