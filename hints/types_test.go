package hints_test

import (
	"hash/fnv"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/hints"
	"github.com/hone-rl/hone/internal/outside"
)

// typed is a hint by what its game asks for.
type typed struct {
	id   string
	hint hints.Hint
}

// Real games that ask for the same types have the same hint, whatever their rooms and instances, but for where the
// thing is taken from, what stands open, and the place of the lamp: of one task in forty all games, by the experts
// that make datasets.
func TestSameTypesSameHint(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads the 4,026 real games")
	}
	src, err := alfworld.Import(outside.Shared(t, "alfworld-games"))
	if err != nil {
		t.Fatal(err)
	}
	byTask := map[string][]typed{}
	var mu sync.Mutex
	games := make(chan alfworld.Imported, 8)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for in := range games {
				game, err := alfworld.Parse(in.ID, in.Data)
				if err != nil {
					t.Error(err)
					continue
				}
				straight, err := hints.Generate(t.Context(), game, hints.GenerateConfig{Plans: []env.PlanKind{env.Straight}})
				if err != nil {
					t.Error(err)
					continue
				}
				for _, kind := range []env.PlanKind{env.Straight, env.Search, env.Explore} {
					made, err := hints.Generate(t.Context(), game, hints.GenerateConfig{Plans: []env.PlanKind{kind, env.Planner}})
					if err != nil {
						t.Error(err)
						continue
					}
					checkStraight(t, made, straight[0].H, false)
					mu.Lock()
					types := taskOf(in.ID) + " " + made[0].H.Device // one bathroom cleans in its bathtub
					byTask[types] = append(byTask[types], typed{in.ID + " by " + string(kind), made[0].H})
					mu.Unlock()
				}
			}
		})
	}
	for g, err := range src.Games() {
		if err != nil {
			t.Error(err)
			break
		}
		h := fnv.New32a()
		_, _ = h.Write([]byte(taskOf(g.ID))) // never fails
		if h.Sum32()%sampledTasks == 0 {
			games <- g
		}
	}
	close(games)
	wg.Wait()
	several := 0
	for task, all := range byTask {
		want := shape(all[0].hint)
		for _, other := range all[1:] {
			if got := shape(other.hint); !spared(got, want) {
				t.Errorf("%s: %s has\n%v\n%s has\n%v", task, all[0].id, want, other.id, got)
			}
		}
		if len(all) > 3 {
			several++
		}
	}
	if several < 5 {
		t.Errorf("%d tasks with several games: too few to compare", several)
	}
	t.Logf("%d tasks, %d of them with several games", len(byTask), several)
}

const sampledTasks = 40

// taskOf is family and types in a game's id, "split/family-Object-Movable-Receptacle-scene/trial".
func taskOf(id string) string {
	name := strings.Split(id, "/")[1]
	return name[:strings.LastIndex(name, "-")]
}

// shape is a hint without its sources, ways and openings: what is told of the goal, and the deeds.
func shape(h hints.Hint) []string {
	all := []string{h.Skill, h.Count, h.Target, h.Device, h.Destination}
	for _, c := range h.Plan {
		switch verb, _, _ := strings.Cut(c, " "); verb {
		case "go", "open":
		case "take":
			c, _, _ = strings.Cut(c, " from ")
			fallthrough
		default:
			all = append(all, c)
		}
	}
	return all
}

// spared says whether two shapes are the same but for deeds that one game needs and the other does not: a thing that
// is where it should be before the game begins, or is clean, hot or cool, spares some.
func spared(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 5
	for _, deed := range b[5:] {
		if i < len(a) && a[i] == deed {
			i++
		}
	}
	return slices.Equal(a[:5], b[:5]) && i == len(a)
}
