package bazaar_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/envtest"
	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/bazaar"
)

func shop(t testing.TB, products int, human bool) *webshop.Shop {
	t.Helper()
	cfg, err := bazaar.Open(t.Context(), bazaar.Config{Products: products})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Seed, cfg.Human = webshop.FixedSeed, human
	s, err := webshop.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSolvable: every goal of the default catalogue can be met in full, and nearly all without knowing the product's
// title.
func TestSolvable(t *testing.T) {
	for _, human := range []bool{false, true} {
		s := shop(t, 0, human)
		full := map[env.PlanKind]int{}
		for number := range s.Goals() {
			game, err := s.Number(number)
			if err != nil {
				t.Fatal(err)
			}
			ep, err := game.Start(t.Context(), env.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			for _, kind := range []env.PlanKind{env.Straight, env.Search} {
				plan, err := ep.(env.Expert).Plan(t.Context(), kind)
				switch {
				case err == nil:
					full[kind]++
				case !errors.Is(err, env.ErrNoPlan):
					t.Fatal(err)
				case kind == env.Straight:
					t.Errorf("goal %d, %s: %q, %v", number, game.ID(), plan, err)
				}
				if len(plan) > 15 {
					t.Errorf("goal %d: %d commands, expected at most 15: %q", number, len(plan), plan)
				}
			}
		}
		t.Logf("human %v: %d goals, %v bought in full", human, s.Goals(), full)
		if full[env.Straight] != s.Goals() || full[env.Search]*100 < s.Goals()*99 {
			t.Errorf("human %v: of %d goals the title leads to %d and the instruction to %d, want all and 99 %%",
				human, s.Goals(), full[env.Straight], full[env.Search])
		}
	}
}

// TestShare: the splits of the default catalogue are as large as those of WebShop's 1,000 products, and none of its
// products was passed over.
func TestShare(t *testing.T) {
	s := shop(t, 0, false)
	test, err := s.Games(webshop.Test)
	if err != nil {
		t.Fatal(err)
	}
	train, err := s.Games(webshop.Train)
	if err != nil {
		t.Fatal(err)
	}
	if len(test) != 500 || len(train) < 3000 || s.Catalogue().Len() != 900 || s.Catalogue().Passed() != (webshop.Passed{}) {
		t.Errorf("%d test and %d training games of %d products, passed over %+v; want 500, 3,000 or more, 900, none",
			len(test), len(train), s.Catalogue().Len(), s.Catalogue().Passed())
	}
	families := map[string]int{}
	for _, g := range train {
		families[g.Family()]++
	}
	for family, n := range families {
		if n*20 < len(train) {
			t.Errorf("%d of %d games are of %s, want more than 5 %%", n, len(train), family)
		}
	}
	if len(families) != 5 {
		t.Errorf("families %v, want five", families)
	}
}

// TestMake: a longer catalogue begins with a shorter one, another seed gives another one, and the default one stays as
// it is. A change of tables or texts changes it, and is a change for everybody.
func TestMake(t *testing.T) {
	short, err := bazaar.Make(bazaar.Config{Products: 40})
	if err != nil {
		t.Fatal(err)
	}
	all, err := bazaar.Make(bazaar.Config{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := bazaar.Make(bazaar.Config{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(all.Products, bytes.TrimSuffix(short.Products, []byte("]\n"))) {
		t.Error("the first 40 of 900 products are others than those of 40")
	}
	if bytes.Equal(all.Products, other.Products) {
		t.Error("two seeds give the same products")
	}
	sum := sha256.Sum256(slices.Concat(all.Products, all.Attributes, all.Instructions, all.Nouns))
	const want = "82d2e7c10575e81a893e9a82c0a042e404a20d6eb96fd6931a5f2e229b49627d"
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("the default catalogue is %s, want %s", got, want)
	}
	for _, n := range []int{-1, 100_001} {
		if _, err := bazaar.Make(bazaar.Config{Products: n}); err == nil || !strings.Contains(err.Error(), "expected 1 to 100000") {
			t.Errorf("%d products: %v", n, err)
		}
	}
}

func TestConformance(t *testing.T) {
	s := shop(t, 0, false)
	suite := envtest.Suite{Plans: []env.PlanKind{env.Straight}}
	for _, split := range webshop.Splits {
		games, err := s.Games(split)
		if err != nil {
			t.Fatal(err)
		}
		id := games[0].ID()
		suite.Games = append(suite.Games, envtest.Game{Name: id, Load: func() (env.Game, error) { return s.Find(id) }})
	}
	envtest.Run(t, suite)
}
