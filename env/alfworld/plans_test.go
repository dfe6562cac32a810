package alfworld_test

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
)

// eachGame calls visit for the games of the packed list, on all cores.
func eachGame(t *testing.T, want func(alfworld.Imported) bool, visit func(alfworld.Imported)) {
	t.Helper()
	src, err := alfworld.Import(shared(t, "alfworld-games"))
	if err != nil {
		t.Fatal(err)
	}
	games := make(chan alfworld.Imported, 64)
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
		if want(g) {
			games <- g
		}
	}
	close(games)
	wg.Wait()
}

func TestPlans(t *testing.T) {
	type sum struct{ games, commands, longest int }
	var mu sync.Mutex
	sums := map[string]*sum{}
	add := func(key string, n int) {
		mu.Lock()
		defer mu.Unlock()
		s := sums[key]
		if s == nil {
			s = &sum{}
			sums[key] = s
		}
		s.games++
		s.commands += n
		s.longest = max(s.longest, n)
	}
	begun := time.Now()
	eachGame(t, func(g alfworld.Imported) bool { return g.Split == "train" || os.Getenv("ALL") != "" }, func(in alfworld.Imported) {
		game, err := alfworld.Parse(in.ID, in.Data)
		if err != nil {
			t.Error(err)
			return
		}
		if game.Family() != in.Family {
			t.Errorf("%s: family %s, want %s", in.ID, game.Family(), in.Family)
		}
		ep, err := game.Start(t.Context(), env.Limits{})
		if err != nil {
			t.Error(err)
			return
		}
		for _, kind := range []env.PlanKind{env.Straight, env.Search} {
			plan, err := ep.(env.Expert).Plan(t.Context(), kind)
			if err != nil {
				t.Errorf("%s: %s: %v", in.ID, kind, err)
				continue
			}
			add(fmt.Sprintf("%s %s", in.Split, kind), len(plan))
			add(fmt.Sprintf("%s %s %s", in.Split, kind, in.Family), len(plan))
		}
	})
	t.Log(time.Since(begun))
	for k, s := range sums {
		t.Log(k, *s)
	}
}
