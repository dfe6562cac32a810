package search_test

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/hone-rl/hone/env/webshop/search"
	"github.com/hone-rl/hone/internal/outside"
)

// TestStats: the thousand products' index has as many documents and terms as Lucene's.
func TestStats(t *testing.T) {
	text, err := os.ReadFile(outside.Shared(t, "webshop-golden", "data", "index_stats.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Documents int     `json:"doc_count"`
		Length    int64   `json:"sum_total_term_freq"`
		Average   float64 `json:"avg_field_length"`
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	got := inMemory(t, products(t)).Stats()
	if got.Documents != want.Documents || got.Counted != want.Documents || got.Length != want.Length {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if average := float64(got.Length) / float64(got.Documents); average != want.Average {
		t.Errorf("got %v terms a document, want %v", average, want.Average)
	}
}

// goldenQuery is a query and what Lucene found for it.
type goldenQuery struct {
	Query  string    `json:"query"`
	IDs    []string  `json:"asins"`
	Scores []float64 `json:"scores"` // rounded to 4 decimals
}

func goldenQueries(t testing.TB) []goldenQuery {
	t.Helper()
	file, err := os.Open(outside.Shared(t, "webshop-golden", "search.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var queries []goldenQuery
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var q goldenQuery
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			t.Fatalf("line %d: %v", len(queries)+1, err)
		}
		queries = append(queries, q)
	}
	if len(queries) != 1108 {
		t.Fatalf("%d queries, want 1108", len(queries))
	}
	return queries
}

// TestGolden: Lucene's hits, order and scores.
func TestGolden(t *testing.T) {
	compareGolden(t, inMemory(t, products(t)))
}

func compareGolden(t *testing.T, x *search.Index) {
	t.Helper()
	for i, want := range goldenQueries(t) {
		hits, err := x.Search(want.Query, search.MostHits)
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) != len(want.IDs) {
			t.Errorf("query %d, %q: %d hits, want %d", i+1, want.Query, len(hits), len(want.IDs))
			continue
		}
		for j, h := range hits {
			if score := math.Round(float64(h.Score)*1e4) / 1e4; h.ID != want.IDs[j] || score != want.Scores[j] {
				t.Errorf("query %d, %q, hit %d: got %s with %v, want %s with %v", i+1, want.Query, j+1, h.ID, h.Score, want.IDs[j], want.Scores[j])
				break
			}
		}
	}
}
