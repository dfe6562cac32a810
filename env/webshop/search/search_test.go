package search_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hone-rl/hone/env/webshop/internal/catalogue"
	"github.com/hone-rl/hone/env/webshop/search"
)

// generated is the first products of a catalogue.
func generated(c catalogue.Catalogue, count int) []search.Document {
	docs := make([]search.Document, count)
	for i := range docs {
		docs[i].ID, docs[i].Text = c.Document(i)
	}
	return docs
}

// TestPrunedProducts: nothing is lost by what is left out, on the golden queries.
func TestPrunedProducts(t *testing.T) {
	docs := products(t)
	x, r := inMemory(t, docs), newReference(docs)
	for i, q := range goldenQueries(t) {
		compareSearches(t, x, r, q.Value.Query, []int{search.MostHits, 1, 7}[i%3])
	}
}

// TestPrunedCatalogue: nor over many windows, where most of a query's documents are left out.
func TestPrunedCatalogue(t *testing.T) {
	c := catalogue.Catalogue{Seed: 3}
	docs := generated(c, 20_000)
	x, r := inMemory(t, docs), newReference(docs)
	for i := range 100 {
		compareSearches(t, x, r, c.Query(i, len(docs)), []int{search.MostHits, 1, 7}[i%3])
	}
	// A term counts as often as it stands in the query, and unknown ones do not.
	compareSearches(t, x, r, c.Query(4, 100)+" "+strings.Repeat(c.Query(5, 100)+" ", 9)+"unknown", search.MostHits)
}

// TestRounding: where sums could depend on their order, that of the query holds and nothing is left out. For that a term
// of all documents, which weighs next to nothing, must meet one that weighs much.
func TestRounding(t *testing.T) {
	docs := generated(catalogue.Catalogue{Seed: 4}, 3000)
	for i := range docs {
		docs[i].Text += " everywhere"
		if i%50 == 0 {
			docs[i].Text += strings.Repeat(" everywhere", i/50) + " seldom"
		}
	}
	x, r := inMemory(t, docs), newReference(docs)
	heavy := strings.Repeat("seldom ", 100_000)
	for _, query := range []string{"everywhere seldom", heavy + "everywhere", "everywhere " + heavy, "everywhere everywhere"} {
		compareSearches(t, x, r, query, search.MostHits)
	}
	if x.Exact(heavy+"everywhere") || !x.Exact("everywhere seldom") {
		t.Error("the heavy query is exact, or the light one is not: nothing was tested")
	}
}

// TestTies: equal documents come by their ids, whatever the order in which they were given.
func TestTies(t *testing.T) {
	var docs []search.Document
	for i := range 5000 {
		docs = append(docs, search.Document{ID: fmt.Sprintf("B%04d", 7*i%5000), Text: "red shirt"})
	}
	hits, err := inMemory(t, docs).Search("a red, red shirt", search.MostHits)
	if err != nil || len(hits) != search.MostHits {
		t.Fatalf("%d hits, %v", len(hits), err)
	}
	for i, h := range hits {
		if want := fmt.Sprintf("B%04d", i); h.ID != want || h.Score != hits[0].Score {
			t.Errorf("hit %d: got %v, want %s", i, h, want)
		}
	}
}

func TestFew(t *testing.T) {
	none := inMemory(t, nil)
	some := inMemory(t, []search.Document{{"B2", "blue shoe"}, {"B1", "The"}, {"B3", ""}, {"B0", "Red shoes"}})
	if got, want := some.Stats(), (search.Stats{Documents: 4, Counted: 2, Terms: 3, Postings: 4, Length: 4}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, c := range []struct {
		name  string
		x     *search.Index
		query string
		most  int
		want  []string
	}{
		{"no documents", none, "shoe", 50, nil},
		{"no terms", some, "the of -", 50, nil},
		{"no query", some, "", 50, nil},
		{"unknown term", some, "green", 50, nil},
		{"one", some, "green red", 50, []string{"B0"}},
		{"both", some, "shoe blue", 50, []string{"B2", "B0"}},
		{"tie", some, "SHOE'S", 50, []string{"B0", "B2"}},
		{"best", some, "shoe", 1, []string{"B0"}},
		{"none wanted", some, "shoe", 0, nil},
	} {
		hits, err := c.x.Search(c.query, c.most)
		var got []string
		for _, h := range hits {
			got = append(got, h.ID)
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

func TestTooManyTerms(t *testing.T) {
	x := inMemory(t, []search.Document{{"B1", "7 8"}})
	var query strings.Builder
	for i := range 1024 {
		fmt.Fprintln(&query, i, i)
	}
	if hits, err := x.Search(query.String(), 50); err != nil || len(hits) != 1 {
		t.Errorf("1024 terms: %v, %v, want one hit", hits, err)
	}
	if _, err := x.Search(query.String()+"1024", 50); !errors.Is(err, search.ErrTooManyTerms) {
		t.Errorf("1025 terms: got %v, want %v", err, search.ErrTooManyTerms)
	}
}

// TestMany: many goroutines search one index and find what one does.
func TestMany(t *testing.T) {
	c := catalogue.Catalogue{Seed: 5}
	docs := generated(c, 3000)
	x := inMemory(t, docs)
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := range 50 {
				query := c.Query((i+worker*7)%50, len(docs))
				got, err := x.Search(query, search.MostHits)
				want, _ := x.Exhaustive(query, search.MostHits)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%q: got %v, %v, want %v", query, got, err, want)
				}
			}
		})
	}
	all.Wait()
}
