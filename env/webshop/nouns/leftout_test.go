package nouns_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/hone-rl/hone/env/webshop/nouns"
	"github.com/hone-rl/hone/env/webshop/reward"
)

// given is a tagger that knows titles by another text, so that one product can have two lists of nouns.
type given map[string]nouns.Nouns

func (g given) Nouns(asin, _ string) (nouns.Nouns, error) {
	n, ok := g[asin]
	if !ok {
		return nouns.Nouns{}, fmt.Errorf("%s: %w", asin, nouns.ErrUnknown)
	}
	return n, nil
}

// TestLeftOut measures what it costs to guess: each title of the table is guessed from all others, and each product
// is bought for each other: of those for different queries for every ninth, with HONE_ALL_GAMES=1 for all. Figures are
// in percent of the pairs with another r_type than by the table.
func TestLeftOut(t *testing.T) {
	items, table := titles(t)
	guess := learn(t, table, items)
	tagger := given{}
	for _, i := range items {
		known, err := table.Nouns(i.ASIN, i.Title)
		if err != nil {
			t.Fatal(err)
		}
		tagger["known "+i.ASIN] = known
		tagger["guess "+i.ASIN] = nouns.Nouns{List: guess.Without(i.ASIN, i.Title), Guessed: true}
	}
	kind := func(wanted, bought item, wantedAs, boughtAs string) float64 {
		t.Helper()
		goal := reward.Goal{ASIN: wantedAs + wanted.ASIN, Query: wanted.Query, CategoryPath: wanted.Path, Attributes: []string{"x"}, MaxPrice: 1}
		purchase := reward.Purchase{ASIN: boughtAs + bought.ASIN, Query: bought.Query, CategoryPath: bought.Path}
		r, err := reward.Of(&goal, &purchase, tagger)
		if err != nil {
			t.Fatal(err)
		}
		if guessed := wantedAs != "known " || boughtAs != "known "; r.Kind.Guessed != guessed {
			t.Fatalf("%s for %s: guessed is %v", purchase.ASIN, goal.ASIN, r.Kind.Guessed)
		}
		return r.Kind.Share
	}
	step := 9
	if os.Getenv("HONE_ALL_GAMES") != "" {
		step = 1
	}
	var all, query [3]int // pairs; those that differ where both are guessed; where the bought title alone is
	for i, wanted := range items {
		for j, bought := range items {
			drawn, oneQuery := j%step == i%step, wanted.Query == bought.Query
			if i == j || !drawn && !oneQuery {
				continue
			}
			exact := kind(wanted, bought, "known ", "known ")
			found := [3]bool{true, kind(wanted, bought, "guess ", "guess ") != exact, kind(wanted, bought, "known ", "guess ") != exact}
			for k, f := range found {
				if f && drawn {
					all[k]++
				}
				if f && oneQuery {
					query[k]++
				}
			}
		}
	}
	for _, f := range []struct {
		what string
		of   [3]int
		most [2]float64
	}{{"all pairs", all, [2]float64{1.5, 0.7}}, {"pairs for one query", query, [2]float64{4, 1.5}}} {
		for k, titles := range []string{"both titles", "the bought title"} {
			got := 100 * float64(f.of[k+1]) / float64(f.of[0])
			t.Logf("%s (%d), guessing %s: %.2f %%", f.what, f.of[0], titles, got)
			if got > f.most[k] || got == 0 {
				t.Errorf("%s, guessing %s: %.2f %%, want up to %v and more than none", f.what, titles, got, f.most[k])
			}
		}
	}
}
