package alfworld_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
)

// wander plays up to n random commands, the verb drawn first so that things are taken, put away and treated as often
// as places are gone to. It stops before a command that wins and returns what it played.
func wander(t *testing.T, game *alfworld.Game, seed string, n int) (env.Episode, []string) {
	t.Helper()
	h := fnv.New64a()
	_, _ = h.Write([]byte(seed)) // never fails
	draw := rand.New(rand.NewPCG(h.Sum64(), 1))
	ep, err := game.Start(t.Context(), env.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var did []string
	for range n {
		verbs := map[string][]string{}
		for _, c := range ep.Now().Actions.Commands {
			verb, _, _ := strings.Cut(c, " ")
			if !slices.Contains([]string{"look", "inventory", "help", "examine"}, verb) {
				verbs[verb] = append(verbs[verb], c)
			}
		}
		var names []string
		for v := range verbs {
			names = append(names, v)
		}
		slices.Sort(names)
		of := verbs[names[draw.IntN(len(names))]]
		command := of[draw.IntN(len(of))]
		obs, err := ep.Step(t.Context(), command)
		if err != nil {
			t.Fatal(err)
		}
		if obs.Won {
			again, err := game.Start(t.Context(), env.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			p := player{t, again}
			p.do(did...)
			return again, did
		}
		did = append(did, command)
	}
	return ep, did
}

// TestPlanAfterDetours leaves the way at random in games of every family: things lie elsewhere, behind closed doors,
// treated or not, and the wrong one is in hand. Every expert but the walkthrough finds back from everywhere, except
// where nobody can: some things, a teddy bear or a paper towel roll, can be taken but no receptacle takes them.
func TestPlanAfterDetours(t *testing.T) {
	var mu sync.Mutex
	families := map[string]int{}
	asked, stuck := 0, 0
	someGames(t, func(in alfworld.Imported) {
		game, err := alfworld.Parse(in.ID, in.Data)
		if err != nil {
			t.Error(err)
			return
		}
		for i, n := range []int{4, 25} {
			ep, did := wander(t, game, fmt.Sprint(in.ID, i), n)
			fits := fits(did)
			for _, kind := range []env.PlanKind{env.Straight, env.Search, env.Planner, env.Explore} {
				plan, err := ep.(env.Expert).Plan(t.Context(), kind)
				if fits && (err != nil || len(plan) == 0) || !fits && !errors.Is(err, env.ErrNoPlan) {
					t.Errorf("%s: %s after %q: got %q, %v", in.ID, kind, did, plan, err)
				}
			}
			mu.Lock()
			families[in.Family]++
			asked++
			if !fits {
				stuck++
			}
			mu.Unlock()
		}
	})
	if len(families) != 6 || stuck == 0 || stuck > asked/20 {
		t.Errorf("asked in %d states, stuck in %d of them; by family %v", asked, stuck, families)
	}
}

// unwanted are the kinds of things that can be taken and that no kind of receptacle takes, as the games' canContain
// facts have it.
var unwanted = []string{"boots", "footstool", "papertowelroll", "plunger", "scrubbrush", "teddybear"}

// fits reports whether what is in hand after commands, if anything, can be put somewhere.
func fits(did []string) bool {
	thing := ""
	for _, c := range did {
		switch words := strings.Fields(c); words[0] {
		case "take":
			thing = words[1]
		case "move":
			thing = ""
		}
	}
	return !slices.Contains(unwanted, thing)
}
