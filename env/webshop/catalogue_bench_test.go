package webshop_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/internal/catalogue"
	"github.com/hone-rl/hone/env/webshop/nouns"
	"github.com/hone-rl/hone/env/webshop/search"
	"github.com/hone-rl/hone/internal/resident"
	"github.com/hone-rl/hone/scripts/bench"
)

// What a catalogue of WebShop's full size may take on two cores.
const (
	mostBuild    = 10 * time.Minute
	mostResident = 2 << 30
)

// BenchmarkCatalogue stores a generated catalogue, once, opens it, searches it and plays in it. HONE_CATALOGUE is how
// many products it has, or "full", whose memory and processor time must be within bounds:
//
//	HONE_CATALOGUE=full go test -run '^$' -bench Catalogue -timeout 1h -v ./env/webshop
func BenchmarkCatalogue(b *testing.B) {
	count, err := catalogue.Size(os.Getenv("HONE_CATALOGUE"))
	if err != nil {
		b.Fatalf("HONE_CATALOGUE is %v", err)
	}
	if count == 0 {
		b.Skip("HONE_CATALOGUE is not set: it takes minutes")
	}
	c, dir := catalogue.Catalogue{Seed: 1}, b.TempDir()
	begin(b)
	s := webshop.Sources{Products: c.Products(count), Attributes: c.Attributes(count), Instructions: c.Instructions(count)}
	var clock bench.Clock
	if err := clock.Time(func() error { return webshop.Store(b.Context(), dir, s, webshop.StoreOptions{}) }); err != nil {
		b.Fatal(err)
	}
	b.Logf("%d products: stored in %.1f s with %.1f s of processors (at most %v on two asked for) and at most %d MiB resident; products %d MiB, index %d MiB on disk",
		count, clock.Cost.Wall.Seconds(), clock.Cost.CPU.Seconds(), mostBuild, peak(b)>>20, fileSize(b, dir, "products")>>20, fileSize(b, dir, "search")>>20)
	if clock.Cost.CPU > 2*mostBuild {
		b.Errorf("%v of processors, want at most %v", clock.Cost.CPU, 2*mostBuild)
	}
	begin(b)
	now := time.Now()
	open := stored(b, dir)
	b.Logf("opened in %.2f s with at most %d MiB resident", time.Since(now).Seconds(), peak(b)>>20)
	b.Run("search", func(b *testing.B) { timed(b, c, count, open.Index) })
	for _, human := range []bool{true, false} {
		now = time.Now()
		shop, err := webshop.New(webshop.Config{
			Catalogue: open.Catalogue, Searcher: webshop.NewSearcher(open.Index), Judge: webshop.NewJudge(anyWord{}), Seed: webshop.FixedSeed, Human: human,
		})
		if err != nil {
			b.Fatal(err)
		}
		b.Logf("a shop of %d goals, by people %v, in %.2f s", shop.Goals(), human, time.Since(now).Seconds())
		b.Run(map[bool]string{true: "people", false: "synthetic"}[human], func(b *testing.B) { visits(b, c, count, shop) })
	}
	most := peak(b)
	b.Logf("at most %d MiB resident since it was opened (at most %d asked for)", most>>20, mostResident>>20)
	if most > mostResident {
		b.Errorf("%d bytes resident, want at most %d", most, mostResident)
	}
}

func begin(b *testing.B) {
	b.Helper()
	if err := resident.Begin(); err != nil {
		b.Fatal(err)
	}
}

func peak(b *testing.B) int64 {
	b.Helper()
	n, err := resident.Peak()
	if err != nil {
		b.Fatal(err)
	}
	return n
}

func fileSize(b *testing.B, path ...string) int64 {
	b.Helper()
	info, err := os.Stat(filepath.Join(path...))
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

// timed times each query by itself.
func timed(b *testing.B, c catalogue.Catalogue, count int, x *search.Index) {
	var times []time.Duration
	for b.Loop() {
		query := c.Query(len(times), count)
		now := time.Now()
		if _, err := x.Search(query, search.MostHits); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(now))
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2].Seconds()*1e3, "ms-median")
	b.ReportMetric(times[len(times)*95/100].Seconds()*1e3, "ms-p95")
	b.ReportMetric(times[len(times)-1].Seconds()*1e3, "ms-max")
}

// visits searches, turns a page, and looks at and buys a product, for goals all over the list. An operation is one visit
// of seven steps, each with text and actions.
func visits(b *testing.B, c catalogue.Catalogue, count int, shop *webshop.Shop) {
	browser := browse(b, shop)
	for i := 0; b.Loop(); i++ {
		if _, err := browser.Reset(i * 7919 % shop.Goals()); err != nil {
			b.Fatal(err)
		}
		for _, action := range []string{"search[" + c.Query(i, count) + "]", "click[next >]", "click[< prev]", "", "click[description]", "click[< prev]", "click[buy now]"} {
			if action == "" {
				found := browser.Page().Available().Clickables
				action = "click[" + found[len(found)-1] + "]"
			}
			answer, err := browser.Step(action)
			if err != nil || answer.Page.Text() == "" || len(browser.Page().Available().Clickables) == 0 {
				b.Fatalf("%q: %v", action, err)
			}
		}
	}
}

// anyWord takes every title for a noun.
type anyWord struct{}

func (anyWord) Nouns(_, title string) (nouns.Nouns, error) {
	return nouns.Nouns{List: []string{title}}, nil
}
