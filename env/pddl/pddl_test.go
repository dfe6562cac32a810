package pddl_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/pddl"
)

// garden uses all of the subset: a hierarchy of types, constants, imply, forall, or, =, conditional and universal
// effects, costs, and the empty condition.
const garden = `; a garden
(define (domain garden)
 (:requirements :adl :action-costs)
 (:types flower tree - plant bed water - place plant place - object)
 (:constants pond - water)
 (:predicates (in ?p - plant ?l - place) (wet ?p - plant) (cut ?p - plant) (bloom ?f - flower) (dry) (near ?a ?b - place))
 (:functions (total-cost) - number)
 (:action rain :parameters () :precondition (dry)
  :effect (and (not (dry)) (forall (?p - plant) (when (exists (?l - bed) (in ?p ?l)) (wet ?p))) (increase (total-cost) 1)))
 (:action grow :parameters (?f - flower) :precondition (and (wet ?f) (not (bloom ?f)))
  :effect (and (bloom ?f) (not (wet ?f))))
 (:action move :parameters (?p - plant ?from ?to - place)
  :precondition (and (in ?p ?from) (or (near ?from ?to) (near ?to ?from)) (not (= ?to pond)))
  :effect (and (not (in ?p ?from)) (in ?p ?to)))
 (:action prune :parameters (?t - tree) :precondition (forall (?f - flower) (imply (wet ?f) (bloom ?f)))
  :effect (when (not (cut ?t)) (cut ?t)))
 (:action wait :parameters () :precondition () :effect ())
)`

const gardenProblem = `(define (problem p) (:domain garden)
 (:objects rose tulip - flower oak - tree b1 b2 - bed)
 (:init (dry) (dry) (in rose b1) (in tulip pond) (in oak b2) (near b1 b2) (near b2 pond) (= (total-cost) 0))
 (:goal (and (bloom rose) (not (bloom tulip)) (exists (?t - tree) (and (cut ?t) (in ?t b1)))))
 (:metric minimize (total-cost)))`

func start(t testing.TB, domain, problem string) *pddl.State {
	t.Helper()
	d, err := pddl.ParseDomain("d", domain)
	if err != nil {
		t.Fatal(err)
	}
	p, err := pddl.ParseProblem("p", problem, d)
	if err != nil {
		t.Fatal(err)
	}
	return p.Start()
}

func meter(t testing.TB) *pddl.Meter { return pddl.NewMeter(t.Context(), 10_000_000) }

// spell lists the operators of a state as "action a b".
func spell(t testing.TB, s *pddl.State, ops *pddl.Applicable) []string {
	t.Helper()
	if err := ops.Update(s, 10_000, meter(t)); err != nil {
		t.Fatal(err)
	}
	var list []string
	for a := range s.Problem().Domain.Actions {
		for i := range ops.Count(a) {
			list = append(list, name(s, ops.At(a, i)))
		}
	}
	return list
}

func name(s *pddl.State, op pddl.Operator) string {
	words := []string{s.Problem().Domain.Actions[op.Action].Name}
	for _, o := range op.Args {
		words = append(words, s.Problem().ID(o))
	}
	return strings.Join(words, " ")
}

// do applies the operator that is spelled so.
func do(t testing.TB, s *pddl.State, spelled string) {
	t.Helper()
	var ops pddl.Applicable
	if err := ops.Update(s, 10_000, meter(t)); err != nil {
		t.Fatal(err)
	}
	for a := range s.Problem().Domain.Actions {
		for i := range ops.Count(a) {
			if op := ops.At(a, i); name(s, op) == spelled {
				if err := s.Apply(op, meter(t)); err != nil {
					t.Fatal(err)
				}
				return
			}
		}
	}
	t.Fatalf("%s does not apply", spelled)
}

// TestGarden steps through the whole subset.
func TestGarden(t *testing.T) {
	s := start(t, garden, gardenProblem)
	var ops pddl.Applicable // kept, so that what is left alone must be right too
	check := func(want ...string) {
		t.Helper()
		if got := spell(t, s, &ops); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	// Nothing is wet, so pruning goes; waiting has no effect and is no operator.
	check("rain", "move oak b2 b1", "move rose b1 b2", "move tulip pond b2", "prune oak")
	do(t, s, "rain")
	check("grow rose", "move oak b2 b1", "move rose b1 b2", "move tulip pond b2")
	do(t, s, "grow rose")
	check("move oak b2 b1", "move rose b1 b2", "move tulip pond b2", "prune oak")
	do(t, s, "prune oak")
	if s.Won(meter(t)) {
		t.Error("won before the oak is in b1")
	}
	before := s.Clone()
	do(t, s, "move oak b2 b1")
	if !s.Won(meter(t)) || before.Won(meter(t)) {
		t.Errorf("won: %v, and the clone taken before it: %v, want true, false", s.Won(meter(t)), before.Won(meter(t)))
	}
	in := s.Problem().Domain.Predicate("in")
	deleted := 0
	s.MatchDeleted(in, []int32{s.Problem().Object("oak"), -1}, func(f []int32) bool {
		deleted++
		if got := s.Problem().ID(f[1]); got != "b2" {
			t.Errorf("the oak was taken out of %s, want b2", got)
		}
		return true
	})
	if deleted != 1 {
		t.Errorf("%d deleted facts about the oak, want 1", deleted)
	}
}

// TestPlan finds a shortest plan in the garden and says where there is none.
func TestPlan(t *testing.T) {
	s := start(t, garden, gardenProblem)
	limits := env.Limits{Operators: 1000, States: 1000}
	plan, err := s.Plan(limits, meter(t))
	if err != nil || len(plan) != 4 {
		t.Fatalf("got %d operators, %v, want 4", len(plan), err)
	}
	for _, op := range plan {
		do(t, s, name(s, op))
	}
	if !s.Won(meter(t)) {
		t.Errorf("%v does not win", plan)
	}
	never := start(t, garden, strings.Replace(gardenProblem, "(cut ?t)", "(wet tulip)", 1))
	if plan, err := never.Plan(limits, meter(t)); err != nil || len(plan) == 0 {
		t.Errorf("a tulip that must be moved to become wet: got %v, %v", plan, err)
	}
	never = start(t, garden, strings.Replace(gardenProblem, "(in ?t b1)", "(in ?t pond)", 1))
	if plan, err := never.Plan(limits, meter(t)); !errors.Is(err, env.ErrNoPlan) {
		t.Errorf("a tree in the pond: got %v, %v, want %v", plan, err, env.ErrNoPlan)
	}
}

// TestWarnings tells what is legal and hardly meant.
func TestWarnings(t *testing.T) {
	domain := `(define (domain d) (:types a b) (:predicates (p ?x - a) (q ?x - b))
 (:action f :parameters (?x - a) :precondition (exists (?y - a, ?z - b) (q ?x)) :effect (p ?x)))`
	d, err := pddl.ParseDomain("d", domain)
	if err != nil {
		t.Fatal(err)
	}
	want := `[d:2: type "a," is not declared, so nothing has it d:2: argument 1 of q is a a, declared as b]`
	if got := fmt.Sprint(d.Warnings); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	p, err := pddl.ParseProblem("p", "(define (problem p) (:domain d) (:objects x - a y - b) (:init (q y)) (:goal (p x)))", d)
	if err != nil {
		t.Fatal(err)
	}
	if got := spell(t, p.Start(), &pddl.Applicable{}); len(got) != 0 {
		t.Errorf("got %q, want nothing: no object is of type \"a,\"", got)
	}
}

// TestMeter stops at its limit and when its context ends.
func TestMeter(t *testing.T) {
	m := pddl.NewMeter(t.Context(), 10)
	if !m.Spend(10) || m.Spend(1) || m.Spend(0) {
		t.Error("10 of 10 go, the 11th does not, nothing after it")
	}
	var budget *env.BudgetError
	if !errors.As(m.Err(), &budget) || *budget != (env.BudgetError{What: "work", Limit: 10}) {
		t.Errorf("got %v, want work over 10", m.Err())
	}
	ctx, cancel := context.WithCancel(t.Context())
	m = pddl.NewMeter(ctx, 1<<40)
	cancel()
	n := 0
	for m.Spend(1) {
		n++
	}
	if n > 2000 || !errors.Is(m.Err(), context.Canceled) {
		t.Errorf("stopped after %d units with %v, want %v within 2000", n, m.Err(), context.Canceled)
	}
}
