package alfworld_test

import (
	"fmt"
	"hash/fnv"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/internal/outside"
)

// eachGame calls visit for the games of a packed list, from all cores.
func eachGame(t *testing.T, folder string, visit func(alfworld.Imported)) {
	t.Helper()
	if testing.Short() {
		t.Skip("all real games take some 10 s")
	}
	src, err := alfworld.Import(folder)
	if err != nil {
		t.Fatal(err)
	}
	games := make(chan alfworld.Imported, 16)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for g := range games {
				visit(g)
			}
		})
	}
	for g, err := range src.Games() {
		if err != nil {
			t.Error(err)
			break
		}
		games <- g
	}
	close(games)
	wg.Wait()
	if left := src.LeftOut(); len(left) != 0 {
		t.Errorf("left out %v, want nothing", left)
	}
}

// someGames calls visit for one of 20 real games, the same ones every time, from all cores. HONE_ALL_GAMES asks for
// every game.
func someGames(t *testing.T, visit func(alfworld.Imported)) {
	t.Helper()
	folder := outside.Shared(t, "alfworld-games")
	if os.Getenv("HONE_ALL_GAMES") != "" {
		eachGame(t, folder, visit)
		return
	}
	sampleOnce.Do(func() {
		eachGame(t, folder, func(in alfworld.Imported) {
			if sampled(in.ID, 20) {
				sampleLock.Lock()
				sample = append(sample, in)
				sampleLock.Unlock()
			}
		})
	})
	if len(sample) < 150 {
		t.Skip("the real games have not been read")
	}
	var wg sync.WaitGroup
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(sample); i = next.Add(1) - 1 {
				visit(sample[i])
			}
		})
	}
	wg.Wait()
}

var (
	sampleOnce sync.Once
	sampleLock sync.Mutex
	sample     []alfworld.Imported
)

// planSum is what the plans of one kind in one split come to.
type planSum struct{ games, commands, longest int }

// TestPlans asks the experts for a plan of every real game; the planner, which takes longest, where HONE_ALL_GAMES is
// set. Every plan is replayed to the win before Plan returns it. The figures of straight plans are those of
// ../shared/learning.md to the command. There, searching plans of the train games have 24,318 commands; what is left
// open about that rule comes to 34 commands (0.14 %).
func TestPlans(t *testing.T) {
	want := map[string]planSum{
		"train straight": {3553, 21472, 10}, "train search": {3553, 24284, 53}, "train explore": {3553, 38572, 93},
		"valid_seen straight": {140, 812, 9}, "valid_seen search": {140, 899, 15}, "valid_seen explore": {140, 1412, 42},
		"valid_unseen straight": {134, 798, 9}, "valid_unseen search": {134, 913, 14}, "valid_unseen explore": {134, 1097, 33},
	}
	kinds := []env.PlanKind{env.Straight, env.Search, env.Explore}
	if os.Getenv("HONE_ALL_GAMES") != "" {
		kinds = append(kinds, env.Planner)
		want["train planner"], want["valid_seen planner"], want["valid_unseen planner"] = planSum{3553, 21343, 10}, planSum{140, 812, 9}, planSum{134, 788, 9}
	}
	var mu sync.Mutex
	got := map[string]planSum{}
	eachGame(t, outside.Shared(t, "alfworld-games"), func(in alfworld.Imported) {
		game, err := alfworld.Parse(in.ID, in.Data)
		if err != nil {
			t.Error(err)
			return
		}
		if game.Family() != in.Family || game.Goal().Family != in.Family {
			t.Errorf("%s: family %s, want %s", in.ID, game.Family(), in.Family)
		}
		checkGoal(t, in.ID, game.Goal())
		ep, err := game.Start(t.Context(), env.Limits{})
		if err != nil {
			t.Error(err)
			return
		}
		for _, kind := range kinds {
			plan, err := ep.(env.Expert).Plan(t.Context(), kind)
			if err != nil {
				t.Errorf("%s: %s: %v", in.ID, kind, err)
				continue
			}
			mu.Lock()
			s := got[in.Split+" "+string(kind)]
			got[in.Split+" "+string(kind)] = planSum{s.games + 1, s.commands + len(plan), max(s.longest, len(plan))}
			mu.Unlock()
			if sampled(in.ID, 40) && (kind == env.Straight || kind == env.Search) {
				checkAskedAgain(t, game, kind, plan)
			}
		}
	})
	for key, w := range want {
		if got[key] != w {
			t.Errorf("%s: got %+v, want %+v", key, got[key], w)
		}
	}
}

// sampled picks one id of n, the same ones every time.
func sampled(id string, n uint32) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	return h.Sum32()%n == 0
}

// checkGoal compares the goal's types with those in the game's id, "family-Object-Movable-Receptacle-scene".
func checkGoal(t *testing.T, id string, g env.Goal) {
	t.Helper()
	parts := strings.Split(strings.ToLower(strings.Split(id, "/")[1]), "-")
	place := parts[3]
	if g.Family == alfworld.FamilyLook {
		if g.Target != parts[1] || g.Device != place || g.Destination != "" || g.Count != 1 {
			t.Errorf("%s: goal %+v", id, g)
		}
		return
	}
	device := map[string]string{alfworld.FamilyClean: "sinkbasin", alfworld.FamilyHeat: "microwave", alfworld.FamilyCool: "fridge"}[g.Family]
	count := 1
	if g.Family == alfworld.FamilyTwo {
		count = 2
	}
	if device == "sinkbasin" && strings.HasSuffix(strings.Split(id, "/")[1], "-420") {
		device = "bathtubbasin" // the only receptacle of type SinkBasinType in that room
	}
	if g.Target != parts[1] || g.Destination != place || g.Device != device || g.Count != count || !strings.Contains(g.Text, g.Target) {
		t.Errorf("%s: goal %+v", id, g)
	}
}

// checkAskedAgain asks for the rest of the plan after every command.
func checkAskedAgain(t *testing.T, game *alfworld.Game, kind env.PlanKind, plan []string) {
	t.Helper()
	ep, err := game.Start(t.Context(), env.Limits{})
	if err != nil {
		t.Error(err)
		return
	}
	for i, command := range plan {
		again, err := ep.(env.Expert).Plan(t.Context(), kind)
		if err != nil || !slices.Equal(again, plan[i:]) {
			t.Errorf("%s: %s asked again after %d commands: got %q, %v, want %q", game.ID(), kind, i, again, err, plan[i:])
			return
		}
		if _, err := ep.Step(t.Context(), command); err != nil {
			t.Error(err)
			return
		}
	}
	if rest, err := ep.(env.Expert).Plan(t.Context(), kind); err != nil || len(rest) != 0 {
		t.Errorf("%s: %s after the win: got %q, %v, want nothing", game.ID(), kind, rest, err)
	}
	if obs := ep.Now(); !obs.Won || !obs.Done || obs.Score != 1 || obs.Moves != len(plan) {
		t.Errorf("%s: %s ends with %+v", game.ID(), kind, fmt.Sprint(obs.Won, obs.Done, obs.Score, obs.Moves))
	}
}
