package pddl_test

import (
	"errors"
	"slices"
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

// FuzzProblem reads any problem of any domain and plays it with work that may end anywhere. What is stopped has changed
// nothing, clones share nothing, what is worked out anew after a change is what is worked out from nothing, and a plan
// wins.
func FuzzProblem(f *testing.F) {
	f.Add(garden, gardenProblem, uint16(20_000))
	f.Add(garden, gardenProblem, uint16(60))
	f.Add("(define (domain d) (:predicates (p)) (:action f :parameters (?a ?b ?c ?d) :effect (p)))",
		"(define (problem p) (:domain d) (:objects a b c) (:goal (or (p) (forall (?x) (= ?x a)))))", uint16(5000))
	f.Fuzz(func(t *testing.T, domain, problem string, work uint16) {
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
		tryOperators(t, s, int(work))
		plan, err := s.Plan(env.Limits{Operators: 500, States: 20}, pddl.NewMeter(t.Context(), int(work)))
		if err != nil {
			return
		}
		for _, op := range plan {
			if err := s.Apply(op, meter(t)); err != nil {
				t.Fatal(err)
			}
		}
		if !s.Won(meter(t)) {
			t.Errorf("plan %v does not win", plan)
		}
	})
}

// tryOperators carries out an operator of every action on a copy, with little work.
func tryOperators(t *testing.T, s *pddl.State, work int) {
	var ops pddl.Applicable
	if ops.Update(s, 1000, pddl.NewMeter(t.Context(), work)) != nil {
		return
	}
	key := s.Key()
	for a := range s.Problem().Domain.Actions {
		if ops.Count(a) == 0 {
			continue
		}
		op := ops.At(a, ops.Count(a)/2)
		op.Args = slices.Clone(op.Args)
		c := s.Clone()
		err := c.Apply(op, pddl.NewMeter(t.Context(), work/2))
		if s.Key() != key || err != nil && c.Key() != key {
			t.Fatalf("%v, %v: the state has changed", op, err)
		}
		var followed pddl.Applicable
		if followed.Update(s, 1000, meter(t)) != nil {
			return
		}
		for b := 0; b < 4 && sameOperators(t, &followed, c); b++ { // and on, by any other action
			next := (a + b) % len(s.Problem().Domain.Actions)
			if n := followed.Count(next); n > 0 {
				op := followed.At(next, n-1)
				op.Args = slices.Clone(op.Args)
				_ = c.Apply(op, pddl.NewMeter(t.Context(), work/2)) // a budget may end it
			}
		}
	}
}

// sameOperators brings operators up to date with c and compares them with those worked out from nothing; false if
// there are too many.
func sameOperators(t *testing.T, followed *pddl.Applicable, c *pddl.State) bool {
	var fresh pddl.Applicable
	if followed.Update(c, 1000, meter(t)) != nil || fresh.Update(c, 1000, meter(t)) != nil {
		return false
	}
	for a := range c.Problem().Domain.Actions {
		if followed.Count(a) != fresh.Count(a) {
			t.Fatalf("action %d has %d operators, want %d", a, followed.Count(a), fresh.Count(a))
		}
		for i := range fresh.Count(a) {
			if got, want := followed.At(a, i), fresh.At(a, i); !slices.Equal(got.Args, want.Args) {
				t.Fatalf("operator %d is %v, want %v", i, got, want)
			}
		}
	}
	return true
}
