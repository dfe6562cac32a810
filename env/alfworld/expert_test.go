package alfworld_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
)

func plan(t *testing.T, ep env.Episode, kind env.PlanKind) []string {
	t.Helper()
	got, err := ep.(env.Expert).Plan(t.Context(), kind)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestPlanFromAnywhere asks for plans in states that no plan of its own leads to.
func TestPlanFromAnywhere(t *testing.T) {
	for _, c := range []struct {
		name string
		kind env.PlanKind
		goal string
		did  []string
		want []string
	}{
		{"straight", env.Straight, coolApple, nil, []string{
			"go to fridge 1", "open fridge 1", "take apple 1 from fridge 1", "go to countertop 1", "move apple 1 to countertop 1",
		}},
		{
			"something else in hand", env.Straight, coolApple,
			[]string{"go to countertop 1", "take knife 1 from countertop 1"},
			[]string{
				"move knife 1 to countertop 1", "go to fridge 1", "open fridge 1", "take apple 1 from fridge 1",
				"go to countertop 1", "move apple 1 to countertop 1",
			},
		},
		{
			"something else in hand elsewhere", env.Search, coolApple,
			[]string{"go to countertop 1", "take knife 1 from countertop 1", "go to fridge 1"},
			[]string{
				"go to countertop 1", "move knife 1 to countertop 1", "go to fridge 1", "open fridge 1",
				"take apple 1 from fridge 1", "go to countertop 1", "move apple 1 to countertop 1",
			},
		},
		{
			"the target in hand, warm", env.Search, coolApple,
			[]string{"go to fridge 1", "open fridge 1", "take apple 1 from fridge 1", "go to microwave 1", "heat apple 1 with microwave 1"},
			[]string{"go to fridge 1", "cool apple 1 with fridge 1", "go to countertop 1", "move apple 1 to countertop 1"},
		},
		{
			"what fits nowhere", env.Search,
			`(exists (?o - object ?r - receptacle) (and (objectType ?o EggType) (inReceptacle ?o ?r) (receptacleType ?r FridgeType)))`,
			[]string{"go to countertop 1", "take egg 1 from countertop 1", "move egg 1 to countertop 1"},
			nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, build(t, kitchen, c.goal))
			p.do(c.did...)
			if c.want == nil { // an egg fits into no fridge here
				if _, err := p.ep.(env.Expert).Plan(t.Context(), c.kind); !errors.Is(err, env.ErrNoPlan) {
					t.Errorf("got %v, want %v", err, env.ErrNoPlan)
				}
				return
			}
			if got := plan(t, p.ep, c.kind); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestSearchAtOnePlace goes through two cabinets that share a place: the second is opened, not gone to.
func TestSearchAtOnePlace(t *testing.T) {
	problem := strings.Replace(kitchen, "(inReceptacle Egg_bar_2 CounterTop_bar_1)", "", 1)
	problem = strings.Replace(problem, "(canContain CabinetType MugType)", "(canContain CabinetType MugType) (canContain FridgeType EggType)", 1)
	goal := `(exists (?o - object ?r - receptacle) (and (objectType ?o EggType) (inReceptacle ?o ?r) (receptacleType ?r FridgeType)))`
	p := play(t, build(t, problem, goal))
	want := []string{
		"go to cabinet 1", "open cabinet 1", "open cabinet 2", "take egg 2 from cabinet 2", "go to fridge 1", "open fridge 1",
		"move egg 2 to fridge 1",
	}
	if got := plan(t, p.ep, env.Search); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	p.do("go to cabinet 1", "open cabinet 1", "open cabinet 2", "close cabinet 2")
	if got := plan(t, p.ep, env.Search); !slices.Equal(got, want[2:]) {
		t.Errorf("after closing it again: got %q, want %q", got, want[2:])
	}
}

// TestWalkthrough takes the plan in the file, or what is left of it, if it wins.
func TestWalkthrough(t *testing.T) {
	way := []string{"go to fridge 1", "open fridge 1", "take apple 1 from fridge 1", "go to countertop 1", "move apple 1 to countertop 1"}
	problem := strings.Replace(kitchen, "GOAL", coolApple, 1)
	game, err := alfworld.Parse("test/walk", buildFile(t, problem, way))
	if err != nil {
		t.Fatal(err)
	}
	p := play(t, game)
	for i, command := range way {
		if got := plan(t, p.ep, env.Walkthrough); !slices.Equal(got, way[i:]) {
			t.Errorf("after %d commands got %q, want %q", i, got, way[i:])
		}
		p.do(command)
	}
	lamp := []string{"go to microwave 1", "open microwave 1"}
	for _, c := range []struct {
		name string
		file []string // the walkthrough
		did  []string
		want []string // nil: there is no plan
	}{
		{"absent", nil, nil, nil},
		{"empty", []string{}, nil, nil},
		{"without its end", way[:4], nil, nil},
		{"goes on after the win", slices.Concat(way, []string{"look", "no such thing", "open fridge 1"}), nil, way},
		{"wins, is undone and wins again", slices.Concat(way, []string{"take apple 1 from countertop 1"}, way[4:]), nil, way},
		{"begins with a detour", slices.Concat(lamp, way), nil, way},
		{"needs no more than its end", way, way[:3], way[3:]},
		{"a command of another vocabulary", slices.Concat(way[:4], []string{"put apple 1 in/on countertop 1"}), nil, nil},
		{"refused on the way", slices.Concat(way[:2], []string{"fly"}, way[2:]), nil, nil},
		{"refused before what wins", slices.Concat([]string{"fly"}, way), nil, way},
		{"from where it does not win", way, []string{"go to countertop 1", "take knife 1 from countertop 1"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			game, err := alfworld.Parse("test/walk", buildFile(t, problem, c.file))
			if err != nil {
				t.Fatal(err)
			}
			p := play(t, game)
			p.do(c.did...)
			got, err := p.ep.(env.Expert).Plan(t.Context(), env.Walkthrough)
			if c.want == nil && !errors.Is(err, env.ErrNoPlan) || !slices.Equal(got, c.want) {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// TestOddGoals leaves the scripts' families and needs the planner over the facts.
func TestOddGoals(t *testing.T) {
	for _, c := range []struct {
		name, goal string
		want       int // commands of a shortest plan
	}{
		{"sliced", `(exists (?o - object) (and (objectType ?o EggType) (isSliced ?o)))`, 4},
		{"clean and hot", `(exists (?o - object ?a - agent) (and (objectType ?o AppleType) (isClean ?o) (isHot ?o) (holds ?a ?o)))`, 7},
		{"all opened", `(forall (?r - receptacle) (or (not (openable ?r)) (opened ?r)))`, 9},
		{"either", `(or (exists (?r - receptacle) (and (receptacleType ?r FridgeType) (opened ?r))) (holds agent1 Egg_bar_1))`, 2},
		{"no longer there", `(not (inReceptacle Knife_bar_1 CounterTop_bar_1))`, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			game := build(t, kitchen, c.goal)
			if game.Family() != alfworld.FamilyOther {
				t.Errorf("family %s, want %s", game.Family(), alfworld.FamilyOther)
			}
			ep := play(t, game).ep
			if got := plan(t, ep, env.Planner); len(got) != c.want {
				t.Errorf("got %q, want %d commands", got, c.want)
			}
			for _, kind := range []env.PlanKind{env.Straight, env.Search, env.Explore} {
				if got, err := ep.(env.Expert).Plan(t.Context(), kind); !errors.Is(err, env.ErrNoPlan) {
					t.Errorf("%s: got %q, %v, want %v", kind, got, err, env.ErrNoPlan)
				}
			}
		})
	}
}

// TestPlanIsBounded stops the planner at its budgets and at its deadline.
func TestPlanIsBounded(t *testing.T) {
	goal := `(forall (?r - receptacle) (or (not (openable ?r)) (opened ?r)))`
	for _, c := range []struct {
		limits env.Limits
		want   env.BudgetError
	}{
		{env.Limits{States: 3}, env.BudgetError{What: "states", Limit: 3}},
		{env.Limits{Operators: 40}, env.BudgetError{What: "operators", Limit: 40}},
		{env.Limits{Work: 5000}, env.BudgetError{What: "work", Limit: 5000}},
	} {
		ep, err := build(t, kitchen, goal).Start(t.Context(), c.limits)
		if err != nil {
			t.Fatal(err)
		}
		_, err = ep.(env.Expert).Plan(t.Context(), env.Planner)
		var got *env.BudgetError
		if !errors.As(err, &got) || *got != c.want {
			t.Errorf("%+v: got %v, want %v", c.limits, err, &c.want)
		}
	}
	ep := play(t, build(t, kitchen, goal)).ep
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ep.(env.Expert).Plan(ctx, env.Planner); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if _, err := ep.(env.Expert).Plan(t.Context(), "walk"); err == nil || errors.Is(err, env.ErrNoPlan) {
		t.Errorf("a kind that there is not: got %v", err)
	}
}
