package search_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hone-rl/hone/env/webshop/internal/catalogue"
	"github.com/hone-rl/hone/env/webshop/search"
	"github.com/hone-rl/hone/internal/resident"
)

// BenchmarkSearchProducts searches WebShop's thousand products by the recorded queries.
func BenchmarkSearchProducts(b *testing.B) {
	x := inMemory(b, products(b))
	queries := goldenQueries(b)
	i := 0
	for b.Loop() {
		if _, err := x.Search(queries[i%len(queries)].Value.Query, search.MostHits); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

// BenchmarkCatalogue builds an index of a generated catalogue, once, and searches its file. HONE_CATALOGUE is how many
// products it has, or "full".
func BenchmarkCatalogue(b *testing.B) {
	count := size(b)
	if err := resident.Begin(); err != nil {
		b.Fatal(err)
	}
	c := catalogue.Catalogue{Seed: 1}
	path := filepath.Join(b.TempDir(), "index")
	docs := func(yield func(search.Document, error) bool) {
		for i := range count {
			id, text := c.Document(i)
			if !yield(search.Document{ID: id, Text: text}, nil) {
				return
			}
		}
	}
	begin := time.Now()
	if err := search.Build(b.Context(), path, docs, search.Options{}); err != nil {
		b.Fatal(err)
	}
	built := time.Since(begin)
	peak, err := resident.Peak()
	if err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	begin = time.Now()
	x := opened(b, path)
	b.Logf("%d products: built in %.1f s, at most %d MiB resident, %d MiB on disk, opened in %.2f s, %+v",
		count, built.Seconds(), peak>>20, info.Size()>>20, time.Since(begin).Seconds(), x.Stats())
	b.Run("search", func(b *testing.B) { searches(b, c, count, x.Search) })
	b.Run("exhaustive", func(b *testing.B) { searches(b, c, count, x.Exhaustive) })
}

// size is how many products a benchmark's catalogue has.
func size(b *testing.B) int {
	b.Helper()
	count, err := catalogue.Size(os.Getenv("HONE_CATALOGUE"))
	if err != nil {
		b.Fatalf("HONE_CATALOGUE is %v", err)
	}
	if count == 0 {
		b.Skip("HONE_CATALOGUE is not set: it takes minutes")
	}
	return count
}

// searches times each query by itself.
func searches(b *testing.B, c catalogue.Catalogue, count int, find func(string, int) ([]search.Hit, error)) {
	var times []time.Duration
	for b.Loop() {
		query := c.Query(len(times), count)
		begin := time.Now()
		if _, err := find(query, search.MostHits); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2].Seconds()*1e3, "ms-median")
	b.ReportMetric(times[len(times)*95/100].Seconds()*1e3, "ms-p95")
	b.ReportMetric(times[len(times)-1].Seconds()*1e3, "ms-max")
}
