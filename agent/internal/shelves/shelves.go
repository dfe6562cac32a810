// Package shelves is a game for tests, small enough to check by hand.
package shelves

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-rl/hone/env"
)

// Game is a game small enough to check by hand: a mug 1 on one of three shelves is to be put on desk 1. It is
// won by going to the right shelf, taking it, going to the desk and moving it there.
type Game struct {
	Name string // ID
	Kind string // Family
	At   int    // the shelf of the mug
	// Fault, if any, is asked before each step.
	Fault func(step int) error
}

// ID implements env.Game.
func (g Game) ID() string { return g.Name }

// Family implements env.Game.
func (g Game) Family() string { return g.Kind }

// Start implements env.Game.
func (g Game) Start(_ context.Context, limits env.Limits) (env.Episode, error) {
	if limits.Objects > 0 && limits.Objects < 5 {
		return nil, &env.BudgetError{What: "objects", Limit: limits.Objects}
	}
	e := &play{game: g, mug: fmt.Sprintf("shelf %d", g.At)}
	e.text = "-= Welcome =-\n\nYou are in the middle of a room. You see a desk 1, a shelf 3, a shelf 2, and a shelf 1.\n\nYour task is to: put a mug on desk."
	return e, nil
}

type play struct {
	game  Game
	here  string
	mug   string // where it is, "" in hand
	moves int
	text  string
}

func (e *play) Now() env.Observation {
	return env.Observation{
		Text: e.text, Actions: env.Actions{Commands: e.commands()}, Moves: e.moves,
		Won: e.mug == "desk 1", Done: e.mug == "desk 1", Score: map[bool]float64{true: 1}[e.mug == "desk 1"],
	}
}

func (e *play) commands() []string {
	all := []string{"help", "look"}
	for _, p := range []string{"desk 1", "shelf 1", "shelf 2", "shelf 3"} {
		if p != e.here {
			all = append(all, "go to "+p)
		}
	}
	if e.here != "" && e.mug == e.here {
		all = append(all, "take mug 1 from "+e.here)
	}
	if e.here != "" && e.mug == "" {
		all = append(all, "move mug 1 to "+e.here)
	}
	slices.Sort(all)
	return all
}

func (e *play) Step(ctx context.Context, text string) (env.Observation, error) {
	if err := ctx.Err(); err != nil {
		return env.Observation{}, err
	}
	if e.game.Fault != nil {
		if err := e.game.Fault(e.moves + 1); err != nil {
			return env.Observation{}, err
		}
	}
	if !slices.Contains(e.commands(), text) {
		e.text = "Nothing happens."
		return e.Now(), nil
	}
	e.moves++
	switch {
	case strings.HasPrefix(text, "go to "):
		e.here = strings.TrimPrefix(text, "go to ")
		e.text = "You arrive at " + e.here + "."
		if e.mug == e.here {
			e.text += " On it, you see a mug 1."
		}
	case strings.HasPrefix(text, "take "):
		e.mug, e.text = "", "You pick up the mug 1."
	case strings.HasPrefix(text, "move "):
		e.mug, e.text = e.here, "You move the mug 1."
	default:
		e.text = "You look."
	}
	return e.Now(), nil
}

func (e *play) StateKey() string { return e.here + "|" + e.mug }

func (e *play) Goal() env.Goal {
	return env.Goal{Family: e.game.Kind, Text: "put a mug on desk", Target: "mug", Count: 1, Destination: "desk"}
}

func (e *play) Plan(_ context.Context, kind env.PlanKind) ([]string, error) {
	if kind == env.Walkthrough {
		return nil, env.ErrNoPlan
	}
	var plan []string
	if e.mug == "desk 1" {
		return plan, nil
	}
	if e.mug != "" {
		if e.mug != e.here {
			plan = append(plan, "go to "+e.mug)
		}
		plan = append(plan, "take mug 1 from "+e.mug)
	}
	if e.here != "desk 1" || len(plan) > 0 {
		plan = append(plan, "go to desk 1")
	}
	return append(plan, "move mug 1 to desk 1"), nil
}
