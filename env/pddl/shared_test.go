package pddl_test

import (
	"fmt"
	"testing"

	"github.com/hone-rl/hone/env/pddl"
)

// TestGoalOfUnknownType: nothing has a type that only a goal names, and the domain, which other problems share, does
// not learn it.
func TestGoalOfUnknownType(t *testing.T) {
	d, err := pddl.ParseDomain("d", `(define (domain d) (:types a) (:predicates (p ?x))
 (:action f :parameters (?x) :precondition () :effect (p ?x)))`)
	if err != nil {
		t.Fatal(err)
	}
	types := len(d.Types)
	for goal, want := range map[string]bool{"(exists (?y - b) (p ?y))": false, "(forall (?y - b ?z - c) (p ?y))": true} {
		p, err := pddl.ParseProblem("p", "(define (problem p) (:domain d) (:objects x - a) (:init (p x)) (:goal "+goal+"))", d)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Start().Won(meter(t)); got != want {
			t.Errorf("%s: got %v, want %v", goal, got, want)
		}
		if len(p.Warnings) == 0 || fmt.Sprint(p.Warnings[0]) != `p:1: type "b" is not declared, so nothing has it` {
			t.Errorf("%s: warnings %v", goal, p.Warnings)
		}
	}
	if len(d.Types) != types {
		t.Errorf("the domain has %d types, had %d", len(d.Types), types)
	}
}
