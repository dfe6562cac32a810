package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/gpu"
)

// shelves is a game small enough to check by hand: a mug 1 on one of three shelves is to be put on desk 1. It is
// won by going to the right shelf, taking it, going to the desk and moving it there.
type shelves struct {
	id     string
	family string
	at     int // the shelf of the mug
	fault  func(step int) error
}

func (g shelves) ID() string     { return g.id }
func (g shelves) Family() string { return g.family }

func (g shelves) Start(_ context.Context, limits env.Limits) (env.Episode, error) {
	if limits.Objects > 0 && limits.Objects < 5 {
		return nil, &env.BudgetError{What: "objects", Limit: limits.Objects}
	}
	e := &shelvesEpisode{game: g, mug: fmt.Sprintf("shelf %d", g.at)}
	e.text = "-= Welcome =-\n\nYou are in the middle of a room. You see a desk 1, a shelf 3, a shelf 2, and a shelf 1.\n\nYour task is to: put a mug on desk."
	return e, nil
}

type shelvesEpisode struct {
	game  shelves
	here  string
	mug   string // where it is, "" in hand
	moves int
	text  string
}

func (e *shelvesEpisode) Now() env.Observation {
	return env.Observation{
		Text: e.text, Actions: env.Actions{Commands: e.commands()}, Moves: e.moves,
		Won: e.mug == "desk 1", Done: e.mug == "desk 1", Score: map[bool]float64{true: 1}[e.mug == "desk 1"],
	}
}

func (e *shelvesEpisode) commands() []string {
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

func (e *shelvesEpisode) Step(ctx context.Context, text string) (env.Observation, error) {
	if err := ctx.Err(); err != nil {
		return env.Observation{}, err
	}
	if e.game.fault != nil {
		if err := e.game.fault(e.moves + 1); err != nil {
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

func (e *shelvesEpisode) StateKey() string { return e.here + "|" + e.mug }

func (e *shelvesEpisode) Goal() env.Goal {
	return env.Goal{Family: e.game.family, Text: "put a mug on desk", Target: "mug", Count: 1, Destination: "desk"}
}

func (e *shelvesEpisode) Plan(_ context.Context, kind env.PlanKind) ([]string, error) {
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

// bytesEncoder has one token a byte.
type bytesEncoder struct{}

func (bytesEncoder) EncodePlain(text string) []int32 {
	ids := make([]int32, len(text))
	for i, b := range []byte(text) {
		ids[i] = int32(b)
	}
	return ids
}

func text(ids []int32) string {
	b := make([]byte, len(ids))
	for i, id := range ids {
		b[i] = byte(id)
	}
	return string(b)
}

// policy chooses as the func says, told the prompt and the candidates as text.
type policy func(prompt string, candidates []string) string

func (p policy) Choose(_ context.Context, requests []gpu.Choice) ([]gpu.Chosen, error) {
	chosen := make([]gpu.Chosen, len(requests))
	for i, r := range requests {
		names := make([]string, len(r.Candidates))
		for k, c := range r.Candidates {
			names[k] = strings.TrimSuffix(text(c), "\n")
		}
		want := p(text(r.Prompt), names)
		if chosen[i].Index = slices.Index(names, want); chosen[i].Index < 0 {
			return nil, fmt.Errorf("no candidate %q in %q", want, names)
		}
		chosen[i].LogProb = -0.5
	}
	return chosen, nil
}

func (policy) Sample(context.Context, []gpu.Sampling) ([]gpu.Sampled, error) {
	return nil, errors.New("not asked for here")
}

func (policy) Close() error { return nil }

// searcher looks on shelf 1, 2, 3 and brings the mug: what it does next follows from the prompt.
func searcher(prompt string, candidates []string) string {
	for _, c := range candidates {
		if strings.HasPrefix(c, "take ") || c == "move mug 1 to desk 1" {
			return c
		}
	}
	last := strings.LastIndex(prompt, "did: ")
	switch did, _, _ := strings.Cut(prompt[max(last, 0):], "\n"); {
	case strings.HasPrefix(did, "did: take"):
		return "go to desk 1"
	case did == "did: go to shelf 1":
		return "go to shelf 2"
	case did == "did: go to shelf 2":
		return "go to shelf 3"
	}
	return "go to shelf 1"
}

// looker never does anything.
func looker(string, []string) string { return "look" }

// wait is a fault that takes its time.
func wait(int) error { time.Sleep(20 * time.Millisecond); return context.DeadlineExceeded }
