package pddl_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/pddl"
)

// randomCondition writes a condition over the variables in scope, and what it means for given facts.
type meaning func(facts map[string]bool, bound map[string]string) bool

var things = []string{"a", "b", "c", "d"}

func randomCondition(r *rand.Rand, scope []string, depth int) (string, meaning) {
	pickVar := func() string { return scope[r.IntN(len(scope))] }
	if depth == 0 || r.IntN(4) == 0 {
		x, y := pickVar(), pickVar()
		switch r.IntN(4) {
		case 0:
			return fmt.Sprintf("(p %s)", x), func(f map[string]bool, b map[string]string) bool { return f["p "+b[x]] }
		case 1:
			return fmt.Sprintf("(s %s %s)", x, y), func(f map[string]bool, b map[string]string) bool { return f["s "+b[x]+" "+b[y]] }
		case 2:
			return fmt.Sprintf("(= %s %s)", x, y), func(_ map[string]bool, b map[string]string) bool { return b[x] == b[y] }
		}
		return fmt.Sprintf("(q %s %s)", x, y), func(f map[string]bool, b map[string]string) bool { return f["q "+b[x]+" "+b[y]] }
	}
	switch op := r.IntN(6); op {
	case 0:
		text, m := randomCondition(r, scope, depth-1)
		return "(not " + text + ")", func(f map[string]bool, b map[string]string) bool { return !m(f, b) }
	case 1, 2, 3:
		t1, m1 := randomCondition(r, scope, depth-1)
		t2, m2 := randomCondition(r, scope, depth-1)
		if op == 1 {
			return "(or " + t1 + t2 + ")", func(f map[string]bool, b map[string]string) bool { return m1(f, b) || m2(f, b) }
		}
		return "(and " + t1 + t2 + ")", func(f map[string]bool, b map[string]string) bool { return m1(f, b) && m2(f, b) }
	default:
		v := fmt.Sprintf("?v%d", len(scope))
		text, m := randomCondition(r, append(slices.Clone(scope), v), depth-1)
		every := op == 5
		word := map[bool]string{true: "forall", false: "exists"}[every]
		return fmt.Sprintf("(%s (%s) %s)", word, v, text), func(f map[string]bool, b map[string]string) bool {
			for _, o := range things {
				inner := map[string]string{v: o}
				for k, x := range b {
					inner[k] = x
				}
				if m(f, inner) != every {
					return !every
				}
			}
			return every
		}
	}
}

// TestJoinsMeanTheirConditions compares the operators found by joins with what a reading of the formula by brute
// force says, for random conditions and facts.
func TestJoinsMeanTheirConditions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 14))
	for round := range 3000 {
		text, means := randomCondition(r, []string{"?x", "?y"}, 4)
		domain := `(define (domain d) (:predicates (p ?x) (q ?x ?y) (s ?x ?y) (done ?x ?y))
(:action f :parameters (?x ?y) :precondition ` + text + ` :effect (done ?x ?y))
(:action g :parameters (?x ?y) :precondition () :effect (and (p ?x) (not (p ?y)) (q ?x ?y) (not (q ?y ?x)))))`
		facts := map[string]bool{}
		var init []string
		for _, a := range things {
			for _, b := range things {
				for _, f := range []string{"p " + a, "q " + a + " " + b, "s " + a + " " + b} {
					if !facts[f] && r.IntN(3) == 0 {
						facts[f] = true
						init = append(init, "("+f+")")
					}
				}
			}
		}
		s := start(t, domain, "(define (problem p) (:domain d) (:objects "+strings.Join(things, " ")+") (:init "+strings.Join(init, " ")+") (:goal "+
			strings.NewReplacer("?x", "a", "?y", "b").Replace(text)+"))")
		var ops pddl.Applicable
		for step := range 3 {
			var want []string
			for _, x := range things {
				for _, y := range things {
					if means(facts, map[string]string{"?x": x, "?y": y}) {
						want = append(want, "f "+x+" "+y)
					}
				}
			}
			got := slices.DeleteFunc(spell(t, s, &ops), func(o string) bool { return o[0] != 'f' })
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("round %d, step %d: %s with %v: got %q, want %q", round, step, text, init, got, want)
			}
			if won := s.Won(meter(t)); won != means(facts, map[string]string{"?x": "a", "?y": "b"}) {
				t.Fatalf("round %d, step %d: goal %s: got %v", round, step, text, won)
			}
			x, y := things[r.IntN(4)], things[r.IntN(4)]
			do(t, s, "g "+x+" "+y)
			facts["p "+y], facts["q "+y+" "+x] = false, false
			facts["p "+x], facts["q "+x+" "+y] = true, true
		}
	}
}
