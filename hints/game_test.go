package hints_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-rl/hone/env"
)

// room is a game small enough to check by hand: a mug 1 in one of three drawers, which must be opened, is to be put
// on desk 1.
type room struct {
	id          string
	at          int      // the drawer of the mug
	walkthrough []string // of the game file, nil for none
	limit       bool     // plans exceed their budget
}

func (g room) ID() string     { return g.id }
func (g room) Family() string { return "pick_and_place_simple" }

func (g room) Start(context.Context, env.Limits) (env.Episode, error) {
	e := &episode{game: g, mug: fmt.Sprintf("drawer %d", g.at), open: map[string]bool{}}
	e.text = "You see a desk 1, a drawer 3, a drawer 2, and a drawer 1.\n\nYour task is to: put a mug on desk."
	return e, nil
}

type episode struct {
	game  room
	here  string
	mug   string // where it is, "" in hand
	open  map[string]bool
	moves int
	text  string
}

func (e *episode) Now() env.Observation {
	won := e.mug == "desk 1"
	return env.Observation{Text: e.text, Actions: env.Actions{Commands: e.commands()}, Moves: e.moves, Won: won, Done: won}
}

func (e *episode) commands() []string {
	all := []string{"help", "look"}
	for _, p := range []string{"desk 1", "drawer 1", "drawer 2", "drawer 3"} {
		if p != e.here {
			all = append(all, "go to "+p)
		}
	}
	if strings.HasPrefix(e.here, "drawer") && !e.open[e.here] {
		all = append(all, "open "+e.here)
	}
	if e.here != "" && e.mug == e.here && e.open[e.here] {
		all = append(all, "take mug 1 from "+e.here)
	}
	if e.here == "desk 1" && e.mug == "" {
		all = append(all, "move mug 1 to desk 1")
	}
	slices.Sort(all)
	return all
}

func (e *episode) Step(_ context.Context, text string) (env.Observation, error) {
	if !slices.Contains(e.commands(), text) {
		e.text = "Nothing happens."
		return e.Now(), nil
	}
	e.moves++
	verb, place, _ := strings.Cut(text, " ")
	switch verb {
	case "go":
		e.here = strings.TrimPrefix(place, "to ")
	case "open":
		e.open[place] = true
	case "take":
		e.mug = ""
	case "move":
		e.mug = e.here
	}
	e.text = "You " + text + "."
	return e.Now(), nil
}

func (e *episode) Goal() env.Goal {
	return env.Goal{Family: e.game.Family(), Text: "put a mug on desk", Target: "mug", Count: 1, Destination: "desk"}
}

func (e *episode) Plan(_ context.Context, kind env.PlanKind) ([]string, error) {
	first := e.game.at
	switch {
	case e.game.limit:
		return nil, &env.BudgetError{What: "states", Limit: 9}
	case kind == env.Walkthrough && e.game.walkthrough == nil:
		return nil, env.ErrNoPlan
	case kind == env.Walkthrough:
		return e.game.walkthrough, nil
	case kind == env.Search:
		first = 1
	}
	var plan []string
	for d := first; d <= e.game.at; d++ {
		plan = append(plan, fmt.Sprintf("go to drawer %d", d), fmt.Sprintf("open drawer %d", d))
	}
	return append(plan, fmt.Sprintf("take mug 1 from drawer %d", e.game.at), "go to desk 1", "move mug 1 to desk 1"), nil
}
