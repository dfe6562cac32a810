package alfworld_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
)

// world is a game to be written, around a domain with things, a predicate "on" of one and "pair" of two of them.
type world struct {
	predicates, actions, types string // more of them
	things                     int    // objects o_bar_0, …
	init, goal                 string
	symbols                    string // more of the table, after a comma each
	intro                      string // its rules
	words                      string // of more actions
	walkthrough                []string
	raw                        [][2]string // replacements in the file's JSON
}

const flipAction = "(:action flip :parameters (?x - thing) :precondition (not (on ?x)) :effect (on ?x))"

func (w world) file(t *testing.T) []byte {
	var names strings.Builder
	for i := range max(w.things, 1) {
		fmt.Fprintf(&names, " o_bar_%d", i)
	}
	if w.actions == "" {
		w.actions = flipAction
		w.words = `action flip { template :: "flip {x}"; feedback :: "Done."; }`
	}
	if w.intro == "" {
		w.intro = `[{"rhs": "Go."}]`
	}
	if w.goal == "" {
		w.goal = "(on o_bar_0)"
	}
	return encoded(t, map[string]any{
		"pddl_domain": "(define (domain d) (:types thing " + w.types + ")\n(:predicates (on ?x - thing) (pair ?x ?y - thing) (mark) " + w.predicates + ")\n" + w.actions + ")",
		"pddl_problem": "(define (problem p) (:domain d)\n(:objects" + names.String() + " - thing)\n(:init (pair o_bar_0 o_bar_0) " +
			w.init + ")\n(:goal " + w.goal + "))",
		"grammar":     `grammar :: """{"intro": ` + w.intro + w.symbols + `}""";` + "\n" + w.words,
		"walkthrough": w.walkthrough,
	}, w.raw...)
}

func encoded(t *testing.T, v any, replace ...[2]string) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range replace {
		if !strings.Contains(string(data), r[0]) {
			t.Fatalf("%q is not in the file", r[0])
		}
		data = []byte(strings.Replace(string(data), r[0], r[1], 1))
	}
	return data
}

// many writes n texts made by f.
func many(n int, f func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(f(i))
	}
	return b.String()
}

// vars is "?a0 … ?an-1".
func vars(n int) string { return many(n, func(i int) string { return fmt.Sprintf(" ?a%d", i) }) }

// act is an action with things for parameters, and its words.
func act(name string, params int, condition, effect string) (action, words string) {
	typed := ""
	if params > 0 {
		typed = vars(params) + " - thing"
	}
	return "(:action " + name + " :parameters (" + typed + ") :precondition " + condition + " :effect " + effect + ")\n",
		"action " + name + ` { template :: "` + name + `"; feedback :: "ok"; }` + "\n"
}

func (w world) with(action, words string) world {
	w.actions += action
	w.words += words
	return w
}

// within starts the game within limits, says the first command of the first state, and plans.
func within(limits env.Limits, kinds ...env.PlanKind) func(context.Context, *alfworld.Game) error {
	return func(ctx context.Context, g *alfworld.Game) error {
		ep, err := g.Start(ctx, limits)
		if err != nil {
			return err
		}
		for _, kind := range kinds {
			if _, err := ep.(env.Expert).Plan(ctx, kind); err != nil {
				return err
			}
		}
		if len(kinds) == 0 {
			_, err = ep.Step(ctx, ep.Now().Actions.Commands[0])
		}
		return err
	}
}

var (
	work      = env.BudgetError{What: "work", Limit: alfworld.DefaultLimits.Work}
	operators = env.BudgetError{What: "operators", Limit: alfworld.DefaultLimits.Operators}
	states    = env.BudgetError{What: "states", Limit: alfworld.DefaultLimits.States}
	objects   = env.BudgetError{What: "objects", Limit: alfworld.DefaultLimits.Objects}
)

// planned is within for the planner, whose "no plan" is as good as a plan here.
func planned(limits env.Limits) func(context.Context, *alfworld.Game) error {
	return func(ctx context.Context, g *alfworld.Game) error {
		if err := within(limits, env.Planner)(ctx, g); !errors.Is(err, env.ErrNoPlan) {
			return err
		}
		return nil
	}
}
