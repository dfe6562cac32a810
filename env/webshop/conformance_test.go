package webshop_test

import (
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/envtest"
	"github.com/hone-rl/hone/env/webshop"
)

// suite plays some goals of shops.
func suite(t *testing.T, plans []env.PlanKind, shops ...*webshop.Shop) envtest.Suite {
	t.Helper()
	s := envtest.Suite{Plans: plans}
	for _, shop := range shops {
		for number := 0; number < shop.Goals(); number += 1 + shop.Goals()/2 {
			game, err := shop.Number(number)
			if err != nil {
				t.Fatal(err)
			}
			s.Games = append(s.Games, envtest.Game{Name: game.ID(), Load: func() (env.Game, error) { return shop.Find(game.ID()) }})
		}
	}
	return s
}

// TestConformance plays a shop of oddities.
func TestConformance(t *testing.T) {
	envtest.Run(t, suite(t, nil, small(t)))
}
