package webshop_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/envtest"
	"github.com/hone-rl/hone/env/webshop"
)

// suite plays goals of a shop, those of some numbers.
func suite(t *testing.T, shop *webshop.Shop, plans []env.PlanKind, numbers ...int) envtest.Suite {
	t.Helper()
	s := envtest.Suite{Plans: plans}
	for _, number := range numbers {
		game, err := shop.Number(number)
		if err != nil {
			t.Fatal(err)
		}
		s.Games = append(s.Games, envtest.Game{Name: game.ID(), Load: func() (env.Game, error) { return shop.Find(game.ID()) }})
	}
	return s
}

// TestConformance plays real goals of both kinds, in plain and in rich text.
func TestConformance(t *testing.T) {
	shops := newShops(t)
	both := []env.PlanKind{env.Straight, env.Search}
	envtest.Run(t, suite(t, shops.shop(t, webshop.Config{Seed: webshop.FixedSeed}), both, 0, 3000))
	envtest.Run(t, suite(t, shops.shop(t, webshop.Config{Seed: 7, Rich: true, ShowAttributes: true}), both, 1))
	envtest.Run(t, suite(t, shops.shop(t, webshop.Config{Seed: webshop.FixedSeed, Human: true}), []env.PlanKind{env.Straight}, 4))
}

// TestConformanceOdd plays a shop of oddities, where nothing is bought on purpose, with searches that mean something.
func TestConformanceOdd(t *testing.T) {
	s := suite(t, small(t), nil, 0, 1, 2)
	words := []string{"odd", "lamp", "lower", "<r>", "<c> fashion", "<q> table lamps", "search_results", "no such thing"}
	s.Fill = func(_ env.Form, r *rand.Rand) string { return words[r.IntN(len(words))] }
	envtest.Run(t, s)
}

// TestManyGames: many goals of one shop at once are what they are one after the other.
func TestManyGames(t *testing.T) {
	shop := newShops(t).shop(t, webshop.Config{Seed: webshop.FixedSeed})
	const games = 64
	play := func(number int) string {
		game, err := shop.Number(number)
		if err != nil {
			return err.Error()
		}
		ep, err := game.Start(t.Context(), env.Limits{})
		if err != nil {
			return err.Error()
		}
		told := ep.Now().Text
		r := rand.New(rand.NewPCG(uint64(number), 0))
		for range 12 {
			actions := ep.Now().Actions
			text := "search[<r>]"
			if len(actions.Commands) > 0 {
				text = actions.Commands[r.IntN(len(actions.Commands))]
			}
			obs, err := ep.Step(t.Context(), text)
			if err != nil {
				return err.Error()
			}
			told += fmt.Sprintf("\n> %s\n%s %v", text, obs.Text, obs.Score)
		}
		return told
	}
	var alone, together [games]string
	for i := range games {
		alone[i] = play(i * 100)
	}
	var wg sync.WaitGroup
	for i := range games {
		wg.Go(func() { together[i] = play(i * 100) })
	}
	wg.Wait()
	for i := range games {
		if together[i] != alone[i] {
			t.Errorf("goal %d: played at once\n%s\nand alone\n%s", i*100, together[i], alone[i])
		}
	}
}
