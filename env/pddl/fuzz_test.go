package pddl_test

import (
	"errors"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/pddl"
)

// FuzzDomain reads any domain: no panic, and every error names the file and is a bad game.
func FuzzDomain(f *testing.F) {
	f.Add(garden)
	f.Add("(define (domain d) (:types a b - (either c d)))")
	f.Add("(define (domain d) (:types a - b b - a) (:predicates (p ?x?y)) (:action f :effect (p)))")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := pddl.ParseDomain("d", text); err != nil && !errors.Is(err, env.ErrBadGame) {
			t.Errorf("got %v, want %v", err, env.ErrBadGame)
		}
	})
}

// FuzzProblem reads and starts any problem of any domain within small budgets.
func FuzzProblem(f *testing.F) {
	f.Add(garden, gardenProblem)
	f.Add("(define (domain d) (:predicates (p)) (:action f :parameters (?a ?b ?c ?d) :effect (p)))", "(define (problem p) (:domain d) (:objects a b c) (:goal (or (p) (forall (?x) (= ?x a)))))")
	f.Fuzz(func(t *testing.T, domain, problem string) {
		d, err := pddl.ParseDomain("d", domain)
		if err != nil {
			return
		}
		p, err := pddl.ParseProblem("p", problem, d)
		if err != nil {
			if !errors.Is(err, env.ErrBadGame) {
				t.Errorf("got %v, want %v", err, env.ErrBadGame)
			}
			return
		}
		s := p.Start()
		m := pddl.NewMeter(t.Context(), 20_000)
		var ops pddl.Applicable
		if ops.Update(s, 1000, m) != nil {
			return
		}
		s.Won(m)
		for a := range d.Actions {
			if ops.Count(a) > 0 {
				_ = s.Clone().Apply(ops.At(a, 0), m) // a budget may end it
			}
		}
		_, _ = s.Plan(env.Limits{Operators: 500, States: 20}, pddl.NewMeter(t.Context(), 20_000))
	})
}
