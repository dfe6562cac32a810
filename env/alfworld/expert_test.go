package alfworld_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
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
	game, err = alfworld.Parse("test/walk", buildFile(t, problem, way[:4]))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := play(t, game).ep.(env.Expert).Plan(t.Context(), env.Walkthrough); !errors.Is(err, env.ErrNoPlan) {
		t.Errorf("a walkthrough without its end: got %q, %v, want %v", got, err, env.ErrNoPlan)
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
			if got := plan(t, ep, env.Straight); len(got) != c.want {
				t.Errorf("got %q, want %d commands", got, c.want)
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
		_, err = ep.(env.Expert).Plan(t.Context(), env.Straight)
		var got *env.BudgetError
		if !errors.As(err, &got) || *got != c.want {
			t.Errorf("%+v: got %v, want %v", c.limits, err, &c.want)
		}
	}
	ep := play(t, build(t, kitchen, goal)).ep
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ep.(env.Expert).Plan(ctx, env.Straight); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if _, err := ep.(env.Expert).Plan(t.Context(), "walk"); err == nil || errors.Is(err, env.ErrNoPlan) {
		t.Errorf("a kind that there is not: got %v", err)
	}
}

// TestDeducedPlans compares the planner over the facts with the reference planner's walkthroughs of the golden games.
func TestDeducedPlans(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared(t, "alfworld-golden"), "json_2.1.1", "*", "*", "*", "game.tw-pddl"))
	if err != nil || len(files) != 64 {
		t.Fatalf("%d game files, %v, want 64", len(files), err)
	}
	ours, theirs := 0, 0
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Walkthrough []string `json:"walkthrough"`
		}
		if err := json.Unmarshal(data, &file); err != nil {
			t.Fatal(err)
		}
		game, err := alfworld.Parse(f, data)
		if err != nil {
			t.Fatal(err)
		}
		p := play(t, game)
		deduced, err := alfworld.Deduce(t.Context(), p.ep)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		if obs := p.do(deduced...); !obs.Won {
			t.Errorf("%s: %q does not win", f, deduced)
		}
		ours += len(deduced)
		theirs += len(file.Walkthrough)
	}
	if theirs != 371 || ours > 390 {
		t.Errorf("got %d commands for the walkthroughs' %d, want at most 390 for 371", ours, theirs)
	}
}
