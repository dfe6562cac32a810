package household_test

import (
	"errors"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/household"
)

// From wherever random commands lead, every expert that goes by recipes finds a plan where the planner finds one, in
// games of every family.
func TestEveryGameCanBeWonAfterDetours(t *testing.T) {
	families := map[string]int{}
	for i, game := range generate(t, household.Config{Seed: 5, Train: 48, Mix: household.EvenMix}) {
		_, episode := start(t, game)
		var did []string
		next := uint32(i + 1)
		for range 20 {
			next = next*1664525 + 1013904223 // Numerical Recipes' generator
			commands := episode.Now().Actions.Commands
			command := commands[int(next>>8)%len(commands)]
			did = append(did, command)
			now, err := episode.Step(t.Context(), command)
			if err != nil {
				t.Fatal(err)
			}
			if now.Won {
				break
			}
		}
		if episode.Now().Won {
			continue
		}
		families[game.Family]++
		expert := episode.(env.Expert)
		planner, none := expert.Plan(t.Context(), env.Planner)
		if none != nil && !errors.Is(none, env.ErrNoPlan) {
			t.Fatalf("%s after %q: %v", game.ID, did, none)
		}
		for _, kind := range []env.PlanKind{env.Straight, env.Search, env.Explore} {
			plan, err := expert.Plan(t.Context(), kind)
			if (none == nil) != (err == nil) || err != nil && !errors.Is(err, env.ErrNoPlan) {
				t.Errorf("%s: %s after %q: got %q, %v, where the planner has %q, %v", game.ID, kind, did, plan, err, planner, none)
			}
			if err == nil && len(plan) == 0 {
				t.Errorf("%s: %s after %q: an empty plan of a game that is not won", game.ID, kind, did)
			}
		}
	}
	if len(families) != 6 {
		t.Errorf("games of %d families, want 6: %v", len(families), families)
	}
}
