package alfworld_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
)

// chained is a game of n things that takes n³ to find out what can be reached: at the start, to know whether "hide"
// could do anything, or in the first step of "sweep", to know what its texts see.
func chained(t *testing.T, n int, start bool) []byte {
	t.Helper()
	var objects, init strings.Builder
	for i := range n {
		fmt.Fprintf(&objects, " o_bar_%d", i)
		fmt.Fprintf(&init, "(on o_bar_%d)(next o_bar_%d o_bar_%d)", i, i, (i+1)%n)
	}
	last, intro := "(:action sweep :parameters () :precondition () :effect (and (looked) (when (on o_bar_1) (not (on o_bar_1)))))", ""
	if start {
		last = "(:action hide :parameters (?x) :precondition (on ?x) :effect (when (never ?x) (not (on ?x))))"
		intro = "{\"condition\": \"on(a:object) & on(b:object) & never(b:object)\", \"rhs\": \"x\"},"
	}
	name := strings.Fields(last)[1]
	data, err := json.Marshal(map[string]any{
		"solvable": true, "walkthrough": nil,
		"pddl_domain": `(define (domain d) (:predicates (on ?x) (next ?x ?y) (linked ?x ?y) (looked) (never ?x))
(:action link :parameters (?x ?y) :precondition (next ?x ?y) :effect (linked ?x ?y))
(:action more :parameters (?x ?y ?z) :precondition (and (linked ?x ?y) (next ?y ?z)) :effect (linked ?x ?z))
` + last + `)`,
		"pddl_problem": "(define (problem p) (:domain d) (:objects" + objects.String() + ") (:init " + init.String() + ") (:goal (looked)))",
		"grammar": `grammar :: """{"intro": [` + intro + `{"rhs": "y"}], "list_empty": [{"rhs": "-"}], "list_separator": [{"rhs": "."}], "list_last_separator": [{"rhs": "."}]}""";
action link { template :: "link {x} {y}"; feedback :: "."; }
action more { template :: "more {x} {y} {z}"; feedback :: "."; }
action ` + name + ` { template :: "` + name + `"; feedback :: "[{a.id | on(a:object)}][{a.id | not_on(a:object)}]"; }`,
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestNoHistory: whether a call has work enough does not depend on what was played before on the same game.
func TestNoHistory(t *testing.T) {
	const enough = 100_000_000
	for _, c := range []struct {
		name  string
		start bool
	}{{"start", true}, {"step", false}} {
		t.Run(c.name, func(t *testing.T) {
			data := chained(t, 12, c.start)
			// ends is how a play ends of which every call may work so much.
			ends := func(game *alfworld.Game, work int) error {
				ep, err := game.Start(t.Context(), env.Limits{Work: work})
				if err == nil && !c.start {
					_, err = ep.Step(t.Context(), "sweep")
				}
				return err
			}
			parse := func() *alfworld.Game {
				game, err := alfworld.Parse(c.name, data)
				if err != nil {
					t.Fatal(err)
				}
				return game
			}
			few, many := 1, enough
			for few < many {
				if half := (few + many) / 2; ends(parse(), half) == nil {
					many = half
				} else {
					few = half + 1
				}
			}
			if few < 1000 || few == enough {
				t.Fatalf("it takes %d units, expected some thousands: %v", few, ends(parse(), few))
			}
			limits := []int{few - 3, few - 2, few - 1, few, few + 1, few + 2}
			for part := 1; part < 8; part++ {
				limits = append(limits, few*part/8)
			}
			for _, work := range limits {
				game := parse()
				fresh := fmt.Sprint(ends(game, work))
				var budget *env.BudgetError
				if err := ends(game, work); fmt.Sprint(err) != fresh || err != nil && !errors.As(err, &budget) {
					t.Errorf("of %d units: at first %s, then %v", work, fresh, err)
				}
				if err := ends(game, enough); err != nil {
					t.Errorf("of %d units: %v", enough, err)
				}
				if err := ends(game, work); fmt.Sprint(err) != fresh {
					t.Errorf("of %d units: at first %s, after another play %v", work, fresh, err)
				}
			}
		})
	}
}

// TestDeadlineOfOthers: who waits for what another play is working out waits no longer than it may, and a play that
// is stopped while others wait takes nothing from them.
func TestDeadlineOfOthers(t *testing.T) {
	game, err := alfworld.Parse("chained", chained(t, 200, true))
	if err != nil {
		t.Fatal(err)
	}
	huge := env.Limits{Operators: 1 << 40, Work: 1 << 50}
	first, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := game.Start(first, huge)
		ended <- err
	}()
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, err := game.Start(ctx, huge); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the deadline", err)
		}
		cancel()
	}
	select {
	case err := <-ended:
		t.Fatalf("the first play ended by itself with %v", err)
	default:
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the first play ended with %v, want it canceled", err)
	}
}
