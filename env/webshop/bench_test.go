package webshop_test

import (
	"testing"

	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/golden"
	"github.com/hone-rl/hone/internal/outside"
)

// BenchmarkSteps says the actions of the recorded episodes, as an agent would, with text and actions after each step:
//
//	go test ./env/webshop -run none -bench Steps
func BenchmarkSteps(b *testing.B) {
	type kind struct {
		seed         int64
		human, attrs bool
	}
	shops, made := newShops(b), map[kind]*webshop.Shop{}
	episodes, err := golden.Folder(outside.Shared(b, "webshop-golden")).Episodes()
	if err != nil {
		b.Fatal(err)
	}
	browsers := make([]*webshop.Browser, len(episodes))
	for i, at := range episodes {
		e := at.Value
		k := kind{e.Seed, e.Human, e.Attrs}
		if made[k] == nil {
			made[k] = shops.shop(b, webshop.Config{Seed: e.Seed, Human: e.Human, ShowAttributes: e.Attrs})
		}
		browsers[i] = browse(b, made[k])
	}
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; {
		for i := range episodes {
			if _, err := browsers[i].Reset(episodes[i].Value.Session); err != nil {
				b.Fatal(err)
			}
			for k := range episodes[i].Value.Steps {
				answer, err := browsers[i].Step(episodes[i].Value.Steps[k].Action)
				if err != nil {
					b.Fatal(err)
				}
				if answer.Page.Text() == "" || len(browsers[i].Page().Available().Clickables) == 0 {
					b.Fatal("an empty page")
				}
				if n++; n == b.N {
					b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
					return
				}
			}
		}
	}
}

// BenchmarkNew makes a shop of the 1,000 products with another seed.
func BenchmarkNew(b *testing.B) {
	cfg := newShops(b).base
	for b.Loop() {
		cfg.Seed++
		if _, err := webshop.New(cfg); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRead reads the 1,000 products.
func BenchmarkRead(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		thousand(b)
	}
}
