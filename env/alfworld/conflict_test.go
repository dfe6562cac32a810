package alfworld_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
)

// TestConflictingTypesInFeedback: a query that gives one variable two types ends an episode. ALFWorld's engine takes
// its own error for a command it does not know and says that nothing happens, after it has changed the state; a game
// of which that is true is better not played.
func TestConflictingTypesInFeedback(t *testing.T) {
	game, err := alfworld.Parse("conflict", gameFile(t, `(define (domain d) (:types t u) (:predicates (p ?x) (q ?x))
(:action act :parameters (?x - t) :precondition () :effect (p ?x)))`,
		`(define (problem p) (:domain d) (:objects a_bar_1 - t b_bar_1 - u) (:init (q a_bar_1) (q b_bar_1)) (:goal (p a_bar_1)))`,
		`grammar :: """{"intro": [{"rhs": "Act."}], "list_empty": [{"rhs": "-"}], "list_separator": [{"rhs": ","}], "list_last_separator": [{"rhs": ","}]}""";
action act { template :: "act {x}"; feedback :: "[{y.id | p(y:t) & q(y:u)}]"; }`))
	if err != nil {
		t.Fatal(err)
	}
	ep, err := game.Start(t.Context(), env.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ep.Step(t.Context(), "act a 1"); !errors.Is(err, env.ErrBadGame) || !strings.Contains(err.Error(), "two types") {
		t.Errorf("got %v, want a bad game that gives a variable two types", err)
	}
}
