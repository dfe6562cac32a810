package household_test

import (
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/envtest"
	"github.com/hone-rl/hone/env/household"
)

// TestConformance plays a game of every family.
func TestConformance(t *testing.T) {
	s := envtest.Suite{
		Plans:   []env.PlanKind{env.Straight, env.Search, env.Planner},
		Counted: []string{"operators", "objects", "work", "states"},
	}
	for _, g := range generate(t, household.Config{Seed: 3, Train: 6, Mix: household.EvenMix}) {
		s.Games = append(s.Games, envtest.Game{Name: g.Family, Load: func() (env.Game, error) { return alfworld.Parse(g.ID, g.Data) }})
	}
	envtest.Run(t, s)
}
