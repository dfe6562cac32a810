package pddl

import (
	"errors"
	"testing"

	"github.com/hone-rl/hone/env"
)

// TestCoarse plans with 69 operators in thousands of alternatives.
func TestCoarse(t *testing.T) {
	const domain = `(define (domain d) (:predicates (on ?x) (pair ?x ?y) (set ?x ?y ?z) (never))
(:action light :parameters (?x) :precondition (not (on ?x)) :effect (on ?x))
(:action look :parameters () :effect (not (never)))
(:action put :parameters (?x ?y ?z)
 :precondition (exists (?q ?w) (and (on ?q) (or (not (on ?w)) (pair ?q ?w) (set ?q ?w ?x) (not (set ?w ?q ?y)))))
 :effect (and (set ?x ?y ?z) (not (pair ?x ?y)))))`
	for _, c := range []struct {
		name, init, goal string
		operators, want  int // steps of a shortest plan
		err              error
	}{
		{"at once", "(on a)", "(set a b c)", 100, 1, nil},
		{"after another", "", "(set a b c)", 100, 2, nil},
		{"two", "", "(and (set a b c) (set c b a) (not (pair c d)))", 100, 3, nil},
		{"three and a denial", "(pair d a)", "(and (set a b c) (set c b a) (forall (?x ?y) (not (pair ?x ?y))))", 100, 4, nil},
		{"never", "(on a)", "(and (never) (set a b c))", 100, 0, env.ErrNoPlan},
		{"as finely", "", "(and (set a b c) (set c b a))", 20_000, 3, nil},
		{"too many operators all the same", "", "(set a b c)", 60, 0, &env.BudgetError{What: "operators", Limit: 60}},
	} {
		s := state(t, domain, "(define (problem p) (:domain d) (:objects a b c d) (:init "+c.init+") (:goal "+c.goal+"))")
		m := NewMeter(t.Context(), 10_000_000)
		plan, err := s.Plan(env.Limits{Operators: c.operators, States: 10_000, Work: 10_000_000}, m)
		if c.err != nil {
			if err == nil || err.Error() != c.err.Error() || errors.Is(c.err, env.ErrNoPlan) != errors.Is(err, env.ErrNoPlan) {
				t.Errorf("%s: got %v, %v, want %v", c.name, plan, err, c.err)
			}
			continue
		}
		if err != nil || len(plan) != c.want {
			t.Errorf("%s: got %v, %v, want %d steps", c.name, plan, err, c.want)
		}
		for _, op := range plan {
			if err := s.Apply(op, m); err != nil {
				t.Fatal(err)
			}
		}
		if !s.Won(m) {
			t.Errorf("%s: the plan %v does not lead to the goal", c.name, plan)
		}
	}
}
