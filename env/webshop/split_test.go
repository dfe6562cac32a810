package webshop_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/golden"
	"github.com/hone-rl/hone/internal/outside"
)

// TestSplits: no goal is in two splits or twice in one, whatever its place, and every game is found by its id.
func TestSplits(t *testing.T) {
	shops := newShops(t)
	for _, human := range []bool{false, true} {
		shop := shops.shop(t, webshop.Config{Seed: webshop.FixedSeed, Human: human})
		wants := map[string]string{} // what is asked for, without the price
		var counts []int
		for _, split := range webshop.Splits {
			games, err := shop.Games(split)
			if err != nil {
				t.Fatal(err)
			}
			counts = append(counts, len(games))
			for i, g := range games {
				goal, err := g.Goal()
				if err != nil {
					t.Fatal(err)
				}
				text, _, _ := strings.Cut(goal.Text, ", and price lower")
				key := goal.ASIN + text + fmt.Sprint(goal.Options)
				if before, ok := wants[key]; ok {
					t.Errorf("%s asks for the same as %s: %q", g.ID(), before, key)
				}
				wants[key] = g.ID()
				if i%100 > 0 {
					continue
				}
				found, err := shop.Find(g.ID())
				if err != nil {
					t.Fatal(err)
				}
				if same, err := found.Goal(); err != nil || found.ID() != g.ID() || same.Text != goal.Text {
					t.Errorf("%s is found as %v, %v", g.ID(), found, err)
				}
			}
		}
		want := []int{500, 999, 5402}
		if human {
			want = []int{1, 2, 10}
		}
		if !slices.Equal(counts, want) {
			t.Errorf("%d games in the splits, want %d", counts, want)
		}
	}
}

// TestFind: ids of no game.
func TestFind(t *testing.T) {
	shop := newShops(t).shop(t, webshop.Config{Seed: 5})
	g, err := shop.Find("webshop-seed5/number/0")
	if err != nil {
		t.Fatal(err)
	}
	if goal, err := g.Goal(); err != nil || goal.Text != goalOf(t, shop, 0).Text {
		t.Errorf("goal 0 is found as %v, %v", g, err)
	}
	for id, want := range map[string]string{
		"":                                      "expected one of webshop-seed5",
		"webshop/test/B01/0":                    "expected one of webshop-seed5",
		"webshop-seed5":                         "expected one of webshop-seed5",
		"webshop-seed5/number/6910":             "goal 6910, expected 0 to 6909",
		"webshop-seed5/number/-1":               "goal -1",
		"webshop-seed5/number/01":               "expected a number at its end",
		"webshop-seed5/number/x":                "expected a number at its end",
		"webshop-seed5/x/B07HRFSNL4/0":          `split "x", expected one of test, validation, train`,
		"webshop-seed5/test/B07HRFSNL4":         "there is no game",
		"webshop-seed5/test/none/0":             "there is no game",
		"webshop-seed5/train/B07HRFSNL4/999999": "there is no game",
	} {
		if g, err := shop.Find(id); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, %v, want %q", id, g, err, want)
		}
	}
	if _, err := shop.Number(6910); err == nil {
		t.Error("goal 6910 of 6,910 is a game")
	}
}

// TestGroups draws the tasks that were recorded of verl-agent.
func TestGroups(t *testing.T) {
	seeds, err := golden.Folder(outside.Shared(t, "webshop-golden")).NumPy()
	if err != nil {
		t.Fatal(err)
	}
	shops := newShops(t)
	for _, at := range seeds {
		s, seed := at.Value, int64(at.Value.Seed)
		groups, err := webshop.NewGroups(webshop.GroupsConfig{Shop: with(shops, seed), Groups: len(s.Calls[0].Result)})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.Calls {
			games, err := groups.Next()
			if err != nil {
				t.Fatal(err)
			}
			for i, number := range c.Result {
				want := fmt.Sprintf("webshop-seed%d/number/%d", seed+int64(i), number)
				if seed+int64(i) == webshop.FixedSeed {
					want = fmt.Sprintf("webshop/number/%d", number)
				}
				if games[i].ID() != want {
					t.Errorf("group %d plays %s, want %s", i, games[i].ID(), want)
				}
			}
		}
	}
	groups, err := webshop.NewGroups(webshop.GroupsConfig{Shop: with(shops, 3), Groups: 2, Validation: true})
	if err != nil {
		t.Fatal(err)
	}
	games, err := groups.Next()
	if err != nil || len(games) != 2 || !strings.HasPrefix(games[1].ID(), "webshop-seed1004/number/") {
		t.Errorf("validation of seed 3: %v, %v", games, err)
	}
}

func with(s shops, seed int64) webshop.Config {
	cfg := s.base
	cfg.Seed = seed
	return cfg
}

// TestBadGroups: groups that cannot be.
func TestBadGroups(t *testing.T) {
	shop := small(t)
	base := webshop.Config{Catalogue: shop.Catalogue(), Searcher: inTitle{shop.Catalogue()}, Judge: right{}}
	negative := base
	negative.Seed = -1
	for _, cfg := range []webshop.GroupsConfig{{Shop: base}, {Shop: negative, Groups: 1}, {Shop: base, Groups: 1}, {Groups: 1}} {
		if _, err := webshop.NewGroups(cfg); err == nil {
			t.Errorf("%+v: expected an error", cfg)
		}
	}
}
