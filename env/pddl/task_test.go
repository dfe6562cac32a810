package pddl

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
)

// workshop has what grounded operators can get wrong: alternatives in conditions and goal, conditional effects that
// delete or undo each other, universal effects and conditions, operators that do the same, and some that do nothing
// of use.
const workshop = `(define (domain workshop) (:types box place)
 (:predicates (at ?b - box ?p - place) (open ?b - box) (full ?b - box) (lit) (dark) (here ?p - place) (seen ?p - place) (near ?a ?b - place))
 (:action go :parameters (?from ?to - place) :precondition (and (here ?from) (or (near ?from ?to) (near ?to ?from) (lit)))
  :effect (and (not (here ?from)) (here ?to) (when (dark) (not (lit)))))
 (:action lid :parameters (?b - box ?p - place) :precondition (and (here ?p) (at ?b ?p))
  :effect (and (when (open ?b) (not (open ?b))) (when (not (open ?b)) (open ?b))))
 (:action light :parameters (?p - place) :precondition (forall (?b - box) (or (not (open ?b)) (full ?b)))
  :effect (and (lit) (not (dark)) (when (here ?p) (dark))))
 (:action fill :parameters (?hand - place ?b - box) :precondition (and (open ?b) (exists (?p - place) (and (here ?p) (at ?b ?p))))
  :effect (and (full ?b) (forall (?o - box) (when (and (full ?o) (not (= ?o ?b))) (not (full ?o))))))
 (:action look :parameters (?p - place) :precondition (here ?p) :effect (seen ?p)))`

const workshopProblem = `(define (problem w) (:domain workshop) (:objects b1 b2 - box p1 p2 p3 - place)
 (:init (at b1 p1) (at b2 p3) (here p1) (near p1 p2) (near p2 p3) (full b1))
 (:goal (and (lit) (or (dark) (here p3)) (forall (?b - box) (imply (full ?b) (open ?b))) (full b2))))`

// switches has two facts that exclude each other and n switches.
func switches(n int, goal string) string {
	var objects, on strings.Builder
	for i := range n {
		fmt.Fprintf(&objects, " s%d", i)
		fmt.Fprintf(&on, " (on s%d)", i)
	}
	return fmt.Sprintf("(define (problem p) (:domain switches) (:objects%s - switch) (:init (q)) (:goal (and %s)))",
		&objects, strings.Replace(goal, "ALL", on.String(), 1))
}

const switchesDomain = `(define (domain switches) (:types switch) (:predicates (p) (q) (r) (never) (on ?s - switch))
 (:action left :parameters () :precondition () :effect (and (p) (not (q))))
 (:action right :parameters () :precondition () :effect (and (q) (not (p))))
 (:action out :parameters () :precondition (never) :effect (r))
 (:action flip :parameters (?s - switch) :precondition (not (on ?s)) :effect (on ?s))
 (:action flop :parameters (?s - switch) :precondition (on ?s) :effect (not (on ?s))))`

func state(t *testing.T, domain, problem string) *State {
	t.Helper()
	d, err := ParseDomain("d", domain)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ParseProblem("p", problem, d)
	if err != nil {
		t.Fatal(err)
	}
	return p.Start()
}

func taskOf(t *testing.T, s *State, m *Meter) *task {
	t.Helper()
	g, err := s.ground(10_000, m)
	if err != nil {
		t.Fatal(err)
	}
	task, err := newTask(g, m)
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// TestTaskIsState walks at random and compares the task's sets of literals with the states they stand for: the same
// operators do the same, and the goal holds in the same.
func TestTaskIsState(t *testing.T) {
	for _, c := range []struct{ name, domain, problem string }{
		{"workshop", workshop, workshopProblem},
		{"switches", switchesDomain, switches(4, "(q) ALL")},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := NewMeter(t.Context(), 100_000_000)
			draw := rand.New(rand.NewPCG(1, 2))
			s := state(t, c.domain, c.problem)
			k := taskOf(t, s, m)
			if k.loose {
				t.Fatal("the grounding is loose, want an exact one")
			}
			won := 0
			for range 2000 {
				b := k.truth(s)
				if got := k.won(b); got != s.Won(m) {
					t.Fatalf("won is %v, want %v", got, s.Won(m))
				}
				if s.Won(m) {
					won++
				}
				next := compareOperators(t, k, s, b, m)
				s = next[draw.IntN(len(next))]
			}
			if won == 0 || won == 2000 {
				t.Errorf("%d of 2000 states fulfil the goal, want some", won)
			}
		})
	}
}

// compareOperators compares the operators of a state with the task's and returns the states that they lead to.
func compareOperators(t *testing.T, k *task, s *State, b bits, m *Meter) []*State {
	t.Helper()
	var ops Applicable
	if err := ops.Update(s, 10_000, m); err != nil {
		t.Fatal(err)
	}
	task := k.applicable(b, m)
	var next []*State
	for a := range s.problem.actions {
		for i := range ops.Count(a) {
			op := ops.At(a, i)
			to := s.Clone()
			if err := to.Apply(op, m); err != nil {
				t.Fatal(err)
			}
			next = append(next, to)
			want := k.truth(to)
			id := k.opID(op)
			if int(id) >= k.operators {
				t.Fatalf("operator %v was not grounded", op)
			}
			if k.first[id] == k.first[id+1] {
				continue // left out: it does nothing that is wanted
			}
			got := k.apply(b, id)
			if got == nil {
				got = b
			}
			if !slices.Equal(got, want) {
				t.Fatalf("after %v: got %x, want %x", op, got, want)
			}
			stands := slices.ContainsFunc(task, func(o int32) bool { return slices.Contains(k.alike[o], id) })
			if !stands && !slices.Equal(want, b) {
				t.Fatalf("%v is not among the task's operators", op)
			}
		}
	}
	for _, o := range task {
		op := k.ops[o]
		all, err := s.Operators(op.Action, 10_000, m)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(all, func(x Operator) bool { return slices.Equal(x.Args, op.Args) }) {
			t.Fatalf("%v is an operator of the task and does not apply", op)
		}
	}
	return next
}

// TestLooseSearch finds plans whether it goes by literals or by states; needless operators are looked for in the first
// alone.
func TestLooseSearch(t *testing.T) {
	for _, c := range []struct {
		domain, problem string
		want            int
	}{
		{workshop, workshopProblem, 5}, // go p2, go p3, lid b2, fill b2, light
		{switchesDomain, switches(6, "(p) ALL"), 7},
	} {
		for _, loose := range []bool{false, true} {
			m := NewMeter(t.Context(), 100_000_000)
			s := state(t, c.domain, c.problem)
			k := taskOf(t, s, m)
			k.loose = loose
			f := &finder{heuristic: newHeuristic(k), start: s, limits: env.Limits{Operators: 1000, States: 10_000}, meter: m, relevant: s.problem.relevant()}
			for _, weight := range []int{firstWeight, 1} {
				if err := f.find(weight, 5000, m.limit); err != nil {
					t.Fatal(err)
				}
			}
			if n := len(f.plan); n < c.want || n > c.want+pick(loose, 1, 0) {
				t.Errorf("loose %v: got %d operators, want %d", loose, n, c.want)
			}
			for _, op := range f.plan {
				if err := s.Apply(k.ops[op], m); err != nil {
					t.Fatal(err)
				}
			}
			if !s.Won(m) {
				t.Errorf("loose %v: the plan does not lead to the goal", loose)
			}
		}
	}
}

// TestUnsolvable says quickly that there is no plan where that can be seen without deletes or in few states, whatever
// else could be done; else it ends at its limits.
func TestUnsolvable(t *testing.T) {
	for _, c := range []struct {
		name, problem string
		work          int // at most
		want          error
	}{
		{"never reached", switches(60, "(r) ALL"), 20_000, env.ErrNoPlan},
		{"excluded, 60 switches beside it", switches(60, "(p) (q)"), 20_000, env.ErrNoPlan},
		{"excluded, with 5 switches", switches(5, "(p) (q) ALL"), 20_000, env.ErrNoPlan},
		{"excluded, with 60 switches", switches(60, "(p) (q) ALL"), 1_000_000, &env.BudgetError{What: "states", Limit: 500}},
	} {
		m := NewMeter(t.Context(), 10_000_000)
		plan, err := state(t, switchesDomain, c.problem).Plan(env.Limits{Operators: 1000, States: 500}, m)
		if err == nil || err.Error() != c.want.Error() || errors.Is(c.want, env.ErrNoPlan) != errors.Is(err, env.ErrNoPlan) {
			t.Errorf("%s: got %v, %v, want %v", c.name, plan, err, c.want)
		}
		if m.Used() > c.work {
			t.Errorf("%s: %d units of work, want at most %d", c.name, m.Used(), c.work)
		}
	}
}

// TestNobodysDoing counts a step that follows from facts alone as nothing.
func TestNobodysDoing(t *testing.T) {
	g := &grounding{
		lits:  []ground{{}, {pred: 0}, {pred: 1}},
		ops:   []Operator{{Action: 0}},
		steps: []groundStep{{op: 0, post: []int32{1}}, {op: -1, pre: []int32{1}, post: []int32{2}}, {op: -1, pre: []int32{2}, post: []int32{goalLit}}},
	}
	m := NewMeter(t.Context(), 1000)
	k, err := newTask(g, m)
	if err != nil {
		t.Fatal(err)
	}
	if got := newHeuristic(k).estimate(make(bits, 1), m); got != 1 {
		t.Errorf("got %d operators, want 1", got)
	}
}
