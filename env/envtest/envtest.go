// Package envtest is the conformance suite that every environment passes: what env says of games, episodes, experts
// and limits, tried on real games with commands drawn by seed.
package envtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/hone-rl/hone/env"
)

// Suite is an environment under test.
type Suite struct {
	// Games are tested one after the other.
	Games []Game
	// Fill is a parameter that form accepts. Default: one or two English words.
	Fill func(form env.Form, r *rand.Rand) string
	// Plans are the experts that must find a plan from the start of every game. The others may have none.
	Plans []env.PlanKind
	// Counted are the limits, by the names that env.BudgetError gives them, that a limit of 1 must meet: in Start, or
	// for "states" in the plan of Planner, if that is among Plans.
	Counted []string
}

// Game is one game of a Suite.
type Game struct {
	Name string
	// Load reads the game; every call gives another env.Game of the same bytes.
	Load func() (env.Game, error)
}

// check is one property of an environment; the error says where it does not hold.
type check struct {
	name string
	run  func(ctx context.Context, s *Suite, g Game) error
}

var checks = []check{
	{"first", checkFirst},
	{"same", checkSame},
	{"offers", checkOffers},
	{"junk", checkJunk},
	{"separate", checkSeparate},
	{"concurrent", checkConcurrent},
	{"lent", checkLent},
	{"key", checkKey},
	{"plans", checkPlans},
	{"goal", checkGoal},
	{"afterwards", checkAfterwards},
	{"ended", checkEnded},
	{"limits", checkLimits},
}

// Run tries every game of s. Each property is a subtest of its own.
func Run(t *testing.T, s Suite) {
	t.Helper()
	if len(s.Games) == 0 {
		t.Fatal("envtest: no game, expected at least one")
	}
	for _, g := range s.Games {
		t.Run(g.Name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			for _, c := range checks {
				t.Run(c.name, func(t *testing.T) {
					if err := c.run(t.Context(), &s, g); err != nil {
						t.Error(err)
					}
				})
			}
			if after := Settle(before); after > before {
				t.Errorf("%d goroutines are left behind", after-before)
			}
		})
	}
}

// Settle is the number of goroutines once those that are ending have ended and want are left, or after a second. What
// a timer or a context runs as it fires may outlive what waited for it by a moment; what was left behind stays.
func Settle(want int) int {
	n := runtime.NumGoroutine()
	for range 100 {
		if n <= want {
			break
		}
		time.Sleep(10 * time.Millisecond)
		n = runtime.NumGoroutine()
	}
	return n
}

// begin loads the game and starts an episode of it.
func begin(ctx context.Context, g Game) (env.Game, env.Episode, error) {
	game, err := g.Load()
	if err != nil {
		return nil, nil, fmt.Errorf("load: %w", err)
	}
	ep, err := game.Start(ctx, env.Limits{})
	if err != nil {
		return nil, nil, fmt.Errorf("start: %w", err)
	}
	return game, ep, nil
}
