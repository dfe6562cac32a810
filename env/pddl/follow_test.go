package pddl

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// followDomain has conditions of every make over facts that change: or, forall, nested quantifiers, equality,
// negations, constants, the same variable twice, and an operator that may do nothing.
const followDomain = `(define (domain d) (:types small - big) (:constants c0 - small)
(:predicates (p ?x) (q ?x ?y) (r ?x ?y ?z) (static ?x ?y) (none))
(:action a1 :parameters (?x - big ?y - small) :precondition (and (q ?x ?y) (not (p ?y))) :effect (and (not (q ?x ?y)) (q ?y ?x) (p ?x)))
(:action a2 :parameters (?x ?y) :precondition (or (q ?x ?y) (and (p ?x) (static ?x ?y))) :effect (and (not (p ?x)) (p ?y)))
(:action a3 :parameters (?x ?y - small) :precondition (and (static ?x ?y) (forall (?z - small) (or (q ?x ?z) (not (q ?z ?y)) (p ?z)))) :effect (when (p ?x) (not (p ?x))))
(:action a4 :parameters (?x) :precondition (exists (?y ?z) (and (q ?x ?y) (q ?y ?z) (not (p ?z)))) :effect (forall (?y) (when (q ?x ?y) (and (not (q ?x ?y)) (r ?x ?y ?x)))))
(:action a5 :parameters (?x ?y) :precondition (and (r ?x ?y ?x) (not (= ?x ?y)) (not (q ?x ?x))) :effect (and (not (r ?x ?y ?x)) (q ?x ?x)))
(:action a6 :parameters (?x ?y) :precondition (and (p ?x) (static ?y c0)) :effect (and (not (p ?x)) (p ?y)))
(:action a7 :parameters (?x) :precondition (and (q ?x c0) (imply (none) (p ?x))) :effect (and (none) (q c0 ?x)))
(:action a8 :parameters (?x ?y ?z) :precondition (and (q ?x ?y) (q ?y ?z) (p ?z)) :effect (and (not (none)) (r ?x ?y ?z) (not (p ?z)))))`

var followGoals = []string{
	"(exists (?x ?y - small) (and (q ?x ?y) (p ?y) (not (p ?x)) (r ?x ?y ?x)))",
	"(forall (?x - small) (or (p ?x) (exists (?y) (and (q ?x ?y) (not (p ?y))))))",
	"(or (exists (?x) (and (r ?x ?x ?x) (p ?x))) (and (none) (not (exists (?x) (q ?x c0)))))",
}

// TestFollow walks at random. What is found by following the changes is what a look at the whole state finds, in the
// same order, and so is whether the goal holds.
func TestFollow(t *testing.T) {
	defer func(was int) { deltaWork = was }(deltaWork)
	deltaWork = 0
	d, err := ParseDomain("d", followDomain)
	if err != nil {
		t.Fatal(err)
	}
	followed, wins := 0, 0
	for round := range 60 {
		r := rand.New(rand.NewPCG(11, uint64(round)))
		p, err := ParseProblem("p", followProblem(r, followGoals[round%len(followGoals)]), d)
		if err != nil {
			t.Fatal(err)
		}
		s := p.Start()
		var ops Applicable
		for step := range 40 {
			m := NewMeter(t.Context(), 10_000_000)
			probe := ops.Clone()
			for i := range probe.actions {
				if a := &probe.actions[i]; !a.fresh(s, i) && s.follow(i, a, 10_000, m) {
					followed++
				}
			}
			if err := ops.Update(s, 10_000, m); err != nil {
				t.Fatal(err)
			}
			var anew Applicable
			if err := anew.Update(s, 10_000, m); err != nil {
				t.Fatal(err)
			}
			var all []Operator
			for i, a := range d.Actions {
				if !slices.Equal(ops.Rows(i), anew.Rows(i)) || ops.Count(i) != anew.Count(i) {
					t.Fatalf("round %d, step %d, %s: got %d, want %d", round, step, a.Name, ops.Rows(i), anew.Rows(i))
				}
				for k := range ops.Count(i) {
					all = append(all, ops.At(i, k))
				}
			}
			run := s.runner(m, len(p.goalSlots))
			want := run.any(p.goal)
			if got := s.Won(m); got != want {
				t.Fatalf("round %d, step %d: won is %v, want %v", round, step, got, want)
			}
			if want {
				wins++
			}
			if len(all) == 0 {
				break
			}
			op := all[r.IntN(len(all))]
			op.Args = slices.Clone(op.Args)
			if r.IntN(5) == 0 { // on a copy: it goes on by itself
				s, ops = s.Clone(), ops.Clone()
			}
			if err := s.Apply(op, m); err != nil {
				t.Fatal(err)
			}
		}
	}
	if followed < 500 || wins < 50 {
		t.Errorf("%d times operators were followed and %d times the goal held, want some hundreds", followed, wins)
	}
}

func followProblem(r *rand.Rand, goal string) string {
	names := []string{"c0", "s1", "s2", "s3", "b1", "b2", "b3"}
	var init []string
	for _, x := range names {
		if r.IntN(2) == 0 {
			init = append(init, fmt.Sprintf("(p %s)", x))
		}
		for _, y := range names {
			for _, pred := range []string{"q", "static"} {
				if r.IntN(3) == 0 {
					init = append(init, fmt.Sprintf("(%s %s %s)", pred, x, y))
				}
			}
			for _, z := range names {
				if r.IntN(9) == 0 {
					init = append(init, fmt.Sprintf("(r %s %s %s)", x, y, z))
				}
			}
		}
	}
	return "(define (problem p) (:domain d) (:objects s1 s2 s3 - small b1 b2 b3 - big) (:init " + strings.Join(init, " ") + ") (:goal " + goal + "))"
}
