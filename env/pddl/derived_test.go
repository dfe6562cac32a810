package pddl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
)

// graph is a domain of edges that can be cut and built: what is linked, what is lost because nothing at hand is linked
// to it, and whether all is well, each derived from the one before.
const graph = `(define (domain graph)
(:predicates (edge ?x ?y) (at ?x) (linked ?x ?y) (lost ?x) (well) (painted ?x))
(:derived (well) (forall (?x) (not (lost ?x))))
(:derived (lost ?x) (and (not (at ?x)) (not (exists (?y) (and (at ?y) (linked ?y ?x))))))
(:derived (linked ?x ?y) (edge ?x ?y))
(:derived (linked ?x ?y) (exists (?z) (and (edge ?x ?z) (linked ?z ?y))))
(:action cut :parameters (?x ?y) :precondition (edge ?x ?y) :effect (not (edge ?x ?y)))
(:action build :parameters (?x ?y) :precondition (and (at ?x) (lost ?y)) :effect (edge ?x ?y))
(:action paint :parameters (?x) :precondition (lost ?x) :effect (painted ?x)))`

func graphProblem(t *testing.T, init, goal string) *Problem {
	t.Helper()
	d, err := ParseDomain("d", graph)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ParseProblem("p", "(define (problem p) (:domain graph) (:objects a b c d) (:init "+init+") (:goal "+goal+"))", d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// told lists a predicate's facts.
func told(s *State, name string) string {
	var list []string
	s.Match(s.problem.Domain.Predicate(name), []int32{-1, -1}[:s.problem.Domain.Predicates[s.problem.Domain.Predicate(name)].Arity()], func(args []int32) bool {
		ids := ""
		for _, o := range args {
			ids += s.problem.ID(o)
		}
		list = append(list, ids)
		return true
	})
	return strings.Join(list, " ")
}

func (s *State) do(t *testing.T, action string, args ...string) {
	t.Helper()
	op := Operator{Action: s.problem.Domain.Action(action)}
	for _, id := range args {
		op.Args = append(op.Args, s.problem.Object(id))
	}
	m := NewMeter(t.Context(), 100_000)
	all, err := s.Operators(op.Action, 100, m)
	if err != nil || !slices.ContainsFunc(all, func(o Operator) bool { return slices.Equal(o.Args, op.Args) }) {
		t.Fatalf("%s %v does not apply: %v, %v", action, args, all, err)
	}
	if err := s.Apply(op, m); err != nil {
		t.Fatal(err)
	}
}

// TestDerived follows derived facts of three strata through a few changes.
func TestDerived(t *testing.T) {
	p := graphProblem(t, "(at a) (edge a b) (edge b c) (edge c b)", "(well)")
	s := p.Start()
	check := func(s *State, linked, lost string, well bool) {
		t.Helper()
		if got := told(s, "linked"); got != linked {
			t.Errorf("linked %q, want %q", got, linked)
		}
		if got := told(s, "lost"); got != lost {
			t.Errorf("lost %q, want %q", got, lost)
		}
		if got := s.Won(NewMeter(t.Context(), 10_000)); got != well {
			t.Errorf("won %v, want %v", got, well)
		}
	}
	check(s, "ab ac bb bc cb cc", "d", false)
	other := s.Clone()
	s.do(t, "build", "a", "d")
	check(s, "ab ac ad bb bc cb cc", "", true)
	s.do(t, "cut", "b", "c")
	check(s, "ab ad cb", "c", false)
	check(other, "ab ac bb bc cb cc", "d", false)
	other.do(t, "cut", "a", "b")
	check(other, "bb bc cb cc", "b c d", false)
}

// TestDerivedVersions: what derived facts are is looked at only when something they hang on changes, and their
// versions are counted up only when they do.
func TestDerivedVersions(t *testing.T) {
	p := graphProblem(t, "(at a) (edge a b) (edge b c) (edge c b)", "(well)")
	s := p.Start()
	linked, lost := p.Domain.Predicate("linked"), p.Domain.Predicate("lost")
	before := slices.Clone(s.version)
	s.do(t, "paint", "d")
	if s.version[linked] != before[linked] || s.version[lost] != before[lost] {
		t.Error("painting changes what is derived")
	}
	s.do(t, "cut", "c", "b") // c and b are no circle any more, and nothing is lost by it
	if s.version[linked] == before[linked] || s.version[lost] != before[lost] {
		t.Errorf("versions %v, want those of linked alone to differ from %v", s.version, before)
	}
	if key := s.Key(); key == p.Start().Key() {
		t.Error("two states have one key")
	}
}

// TestDerivedPlan plans through what is derived, and denied.
func TestDerivedPlan(t *testing.T) {
	for _, c := range []struct {
		init, goal string
		want       string
	}{
		{"(at a) (edge a b) (edge b c)", "(well)", "build a d"},
		{"(at a) (edge a b) (edge b c)", "(and (painted c) (painted b))", "cut a b; paint b; paint c"},
		{"(at a)", "(and (linked a b) (not (lost c)))", "build a b; build a c"},
		{"(at a) (edge a b)", "(linked b a)", "none"},
	} {
		p := graphProblem(t, c.init, c.goal)
		s := p.Start()
		plan, err := s.Plan(env.Limits{Operators: 10_000, States: 10_000, Work: 1_000_000}, NewMeter(t.Context(), 10_000_000))
		if c.want == "none" {
			if !errors.Is(err, env.ErrNoPlan) {
				t.Errorf("%s: got %v, %v, want %v", c.goal, plan, err, env.ErrNoPlan)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.goal, err)
			continue
		}
		var words []string
		for _, op := range plan {
			w := p.Domain.Actions[op.Action].Name
			for _, o := range op.Args {
				w += " " + p.ID(o)
			}
			words = append(words, w)
		}
		slices.Sort(words)
		if got := strings.Join(words, "; "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.goal, got, c.want)
		}
	}
}

// TestDerivedIsCounted: working out what follows ends with the meter.
func TestDerivedIsCounted(t *testing.T) {
	p := graphProblem(t, "(at a) (edge a b) (edge b c) (edge c b)", "(well)")
	s := p.Start()
	m := NewMeter(context.Background(), 15)
	var budget *env.BudgetError
	op := Operator{p.Domain.Action("cut"), []int32{0, 1}}
	if err := s.Apply(op, m); !errors.As(err, &budget) || budget.What != "work" {
		t.Errorf("got %v, want a budget of work", err)
	}
	var edges strings.Builder
	for i := range 300 {
		fmt.Fprintf(&edges, "(edge o%d o%d) ", i, (i+1)%300)
	}
	var objects strings.Builder
	for i := range 300 {
		fmt.Fprintf(&objects, "o%d ", i)
	}
	d, err := ParseDomain("d", graph)
	if err != nil {
		t.Fatal(err)
	}
	_, err = ParseProblem("p", "(define (problem p) (:domain graph) (:objects "+objects.String()+") (:init "+edges.String()+") (:goal (well)))", d)
	if !errors.Is(err, env.ErrBadGame) || !strings.Contains(fmt.Sprint(err), "d:5: working out linked and what else is derived") {
		t.Errorf("300 linked to 300: got %v, want a bad game", err)
	}
}

func TestDerivedStrata(t *testing.T) {
	for _, c := range []struct{ name, rules, want string }{
		{"through itself", "(:derived (p ?x) (not (p ?x)))", "d:2: derived predicate p denies what it leads to itself"},
		{"through another", "(:derived (p ?x) (q ?x))\n(:derived (q ?x) (exists (?y) (not (p ?y))))", "denies what it leads to itself"},
		{"through imply", "(:derived (p ?x) (imply (p ?x) (r ?x)))", "d:2: derived predicate p denies"},
		{"of lower ones", "(:derived (p ?x) (not (q ?x)))\n(:derived (q ?x) (not (s ?x)))\n(:derived (s ?x) (and (r ?x) (not (= ?x ?x))))", ""},
		{"for all is no denial", "(:derived (p ?x) (forall (?y) (imply (r ?y) (p ?y))))", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseDomain("d", "(define (domain d) (:predicates (p ?x) (q ?x) (r ?x) (s ?x))\n"+c.rules+")")
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
