package alfworld_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/envtest"
)

// TestDeadlines ends Start, Step and Plan in the middle of work without end, whatever the limits allow. An episode
// that was stopped says so again.
func TestDeadlines(t *testing.T) {
	const (
		patience = 50 * time.Millisecond
		net      = 10 * time.Second // only a net: the machine may be busy
	)
	huge := env.Limits{Operators: 1 << 40, Objects: 1 << 40, States: 1 << 40, Work: 1 << 50}
	crowded := crowd(1000, "", "").with(act("boom", 0, "()", "(forall (?a ?b ?c - thing) (when (and (on ?a) (on ?b)) (pair ?a ?c)))"))
	for _, c := range []struct {
		name  string
		world world
		plan  env.PlanKind
	}{
		{name: "start", world: world{things: 200}.with(act("boom", 8, "(not (pair ?a0 ?a1))", "(on ?a0)"))},
		{name: "opening", world: crowd(1000, `[{"condition": "on(a) & on(b) & on(c) & on(d) & on(e) & pair(a, e)", "rhs": "x"}, {"rhs": "y"}]`, "")},
		{name: "step", world: crowded},
		{name: "plan", world: puzzle(0), plan: env.Planner},
		{name: "plan of large states", world: puzzle(4000), plan: env.Planner},
		{name: "walkthrough", world: func() world {
			w := puzzle(4000)
			w.walkthrough = make([]string, 1_000_000)
			return w
		}(), plan: env.Walkthrough},
	} {
		t.Run(c.name, func(t *testing.T) {
			game, err := alfworld.Parse(c.name, c.world.file(t))
			if err != nil {
				t.Fatal(err)
			}
			before := runtime.NumGoroutine()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			begun := time.Now()
			ep, err := game.Start(ctx, huge)
			stepped := false
			switch {
			case err != nil:
			case c.plan != "":
				_, err = ep.(env.Expert).Plan(ctx, c.plan)
			default:
				stepped = true
				_, err = ep.Step(ctx, "boom")
			}
			if took := time.Since(begun); took > net {
				t.Errorf("a deadline of %v was honoured after %v", patience, took)
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("got %v, want %v", err, context.DeadlineExceeded)
			}
			if stepped {
				for _, text := range []string{"boom", "rest", "xyzzy"} {
					if _, again := ep.Step(t.Context(), text); !errors.Is(again, context.DeadlineExceeded) {
						t.Errorf("%q afterwards: got %v, want %v again", text, again, err)
					}
				}
				if _, again := ep.(env.Expert).Plan(t.Context(), env.Planner); !errors.Is(again, context.DeadlineExceeded) {
					t.Errorf("a plan afterwards: got %v, want %v again", again, err)
				}
			}
			if after := envtest.Settle(before); after > before {
				t.Errorf("%d goroutines are left behind", after-before)
			}
		})
	}
}

// TestStoppedPlan: a plan that meets its budget or deadline takes nothing from the episode.
func TestStoppedPlan(t *testing.T) {
	game, err := alfworld.Parse("puzzle", puzzle(0).file(t))
	if err != nil {
		t.Fatal(err)
	}
	ep, err := game.Start(t.Context(), env.Limits{States: 5})
	if err != nil {
		t.Fatal(err)
	}
	want := env.BudgetError{What: "states", Limit: 5}
	for range 2 {
		var got *env.BudgetError
		if _, err := ep.(env.Expert).Plan(t.Context(), env.Planner); !errors.As(err, &got) || *got != want {
			t.Fatalf("got %v, want %v", err, &want)
		}
	}
	if obs, err := ep.Step(t.Context(), "move"); err != nil || obs.Moves != 1 {
		t.Errorf("a step afterwards: got %+v, %v, want it taken", obs, err)
	}
}
