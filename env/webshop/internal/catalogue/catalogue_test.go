package catalogue_test

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/webshop/internal/catalogue"
	"github.com/hone-rl/hone/env/webshop/search"
)

// TestDocument: a product is the same whenever it is made, and no two have the same id.
func TestDocument(t *testing.T) {
	c := catalogue.Catalogue{Seed: 7}
	const count = 20_000
	ids := make(map[string]int)
	sum := crc32.NewIEEE()
	for i := range count {
		id, text := c.Document(i)
		if other, ok := ids[id]; ok || len(id) != 10 {
			t.Fatalf("product %d has id %q, as has %d", i, id, other)
		}
		ids[id] = i
		fmt.Fprintln(sum, id, text, c.Query(i, count))
	}
	if got, want := sum.Sum32(), uint32(0x928b1fa6); got != want {
		t.Errorf("%d products with their queries have sum %08x, want %08x", count, got, want)
	}
}

// TestQuery: a query's terms are distinct, and all are in the index.
func TestQuery(t *testing.T) {
	c := catalogue.Catalogue{Seed: 7}
	const documents, queries = 200, 500
	known := make(map[string]bool)
	for i := range documents {
		_, text := c.Document(i)
		for _, term := range search.Terms(text) {
			known[term] = true
		}
	}
	long := 0
	for i := range queries {
		query := c.Query(i, documents)
		terms := search.Terms(query)
		if !slices.Equal(terms, strings.Fields(query)) || len(terms) == 0 || len(terms) > 30 {
			t.Errorf("query %d, %q: terms %q", i, query, terms)
		}
		for _, term := range terms {
			if !known[term] {
				t.Errorf("query %d: no product has %q", i, term)
			}
		}
		if len(terms) > 10 {
			long++
		}
	}
	if long < queries/10 || long > queries/3 {
		t.Errorf("%d of %d queries are instructions, want one in five", long, queries)
	}
}

// TestWords: every term is one word and its own stem, no two are the same.
func TestWords(t *testing.T) {
	seen := make(map[string]int)
	for i := range 200_000 {
		word := catalogue.Word(uint32(i))
		if other, ok := seen[word]; ok {
			t.Fatalf("terms %d and %d are %q", i, other, word)
		}
		seen[word] = i
		if terms := search.Terms(word); len(terms) != 1 || terms[0] != word {
			t.Fatalf("term %d is %q with the terms %q", i, word, terms)
		}
	}
}
