package envtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
)

// safe is a small game with commands and a form: dial[number] adds to what was dialled, and the door opens at 42.
type safe struct {
	fault  string // what is wrong with it, for TestFaults
	shared int    // dialled in all episodes together
}

func (g *safe) ID() string     { return "safe" }
func (g *safe) Family() string { return "safes" }

func (g *safe) Start(ctx context.Context, limits env.Limits) (env.Episode, error) {
	if err := ctx.Err(); err != nil && g.fault != "start ignores its context" {
		return nil, err
	}
	if limits.Work == 1 && g.fault != "no limit" {
		return nil, &env.BudgetError{What: "work", Limit: 1}
	}
	e := &dialler{game: g, buf: make([]string, 0, 8), text: "A safe."}
	if g.fault == "another opening every time" {
		g.shared++
		e.text += strconv.Itoa(g.shared)
	}
	return e, nil
}

type dialler struct {
	game  *safe
	sum   int
	open  bool
	moves int
	text  string
	buf   []string
	err   error
}

func (e *dialler) Now() env.Observation {
	commands := []string{"look", "turn the handle"}
	switch e.game.fault {
	case "unsorted":
		slices.Reverse(commands)
	case "a command that is refused":
		commands = append(commands, "wait")
	case "lent":
		e.buf = append(e.buf[:0], "look", "turn the handle "+strconv.Itoa(e.sum))
		commands = e.buf[:1:1]
		commands[0] = "look " + strconv.Itoa(e.moves)
	}
	o := env.Observation{Text: e.text, Moves: e.moves, Won: e.open, Done: e.open}
	o.Actions.Commands = commands
	o.Actions.Forms = []env.Form{{Prefix: "dial[", Suffix: "]", Parameter: "number"}}
	if e.open {
		o.Score = 1
	}
	return o
}

func (e *dialler) Step(ctx context.Context, text string) (env.Observation, error) {
	if err := ctx.Err(); err != nil && e.game.fault != "step ignores its context" {
		e.err = err
	}
	if e.game.fault == "forgets that it was stopped" && ctx.Err() == nil {
		e.err = nil
	}
	if e.err != nil {
		return env.Observation{}, e.err
	}
	number, isDial := strings.CutPrefix(text, "dial[")
	n, err := strconv.Atoi(strings.TrimSuffix(number, "]"))
	switch {
	case e.open && e.game.fault == "an error once done":
		return env.Observation{}, errors.New("it is over")
	case strings.HasPrefix(text, "look"):
		e.text = fmt.Sprintf("It shows %d.", e.sum)
	case strings.HasPrefix(text, "turn the handle"):
		e.open = e.sum == 42
		e.text = map[bool]string{true: "It opens.", false: "It is locked."}[e.open]
	case isDial && strings.HasSuffix(text, "]") && err == nil && n >= 0 && n < 100:
		e.sum = (e.sum + n) % 100
		e.text = "Click."
	default:
		e.text = "What?"
		switch e.game.fault {
		case "junk counts":
			e.sum++
		case "junk is an error":
			return env.Observation{}, errors.New("what?")
		case "no answer to junk":
			e.text = ""
		}
		return e.Now(), nil
	}
	e.moves++
	if e.game.fault == "shares a dial" {
		e.game.shared = (e.game.shared + e.sum) % 100
		e.text += strconv.Itoa(e.game.shared)
	}
	return e.Now(), nil
}

func (e *dialler) StateKey() string {
	if e.game.fault == "one key for all" {
		return "key"
	}
	return fmt.Sprint(e.sum, e.open)
}

func (e *dialler) Goal() env.Goal {
	if e.game.fault == "a number in the goal" {
		return env.Goal{Family: "safes", Target: "door 1"}
	}
	return env.Goal{Family: "safes", Text: "open the safe", Target: "door"}
}

func (e *dialler) Plan(ctx context.Context, kind env.PlanKind) ([]string, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !slices.Contains(env.PlanKinds, kind):
		return nil, errors.New("unknown kind")
	case kind != env.Straight:
		return nil, env.ErrNoPlan
	case e.open:
		return []string{}, nil
	}
	plan := []string{fmt.Sprintf("dial[%d]", (142-e.sum)%100), "turn the handle"}
	switch e.game.fault {
	case "a plan that does not win":
		plan = plan[:1]
	case "a plan that changes the state":
		e.sum++
	case "another plan every time":
		e.game.shared++
		plan = append([]string{strings.Repeat("look", 1+e.game.shared%2)}, plan...)
	}
	return plan, nil
}

func safeSuite(fault string) Suite {
	return Suite{
		Games:   []Game{{Name: "safe", Load: func() (env.Game, error) { return &safe{fault: fault}, nil }}},
		Fill:    func(_ env.Form, r *rand.Rand) string { return strconv.Itoa(r.IntN(4)) },
		Plans:   []env.PlanKind{env.Straight},
		Counted: []string{"work"},
	}
}

// TestSafe: a game with a form passes.
func TestSafe(t *testing.T) { Run(t, safeSuite("")) }

// TestFaults: every check finds what is wrong with a game, so that a suite that passes means something.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ fault, check string }{
		{"another opening every time", "same"},
		{"unsorted", "first"},
		{"a command that is refused", "offers"},
		{"junk counts", "junk"},
		{"junk is an error", "junk"},
		{"no answer to junk", "junk"},
		{"shares a dial", "separate"},
		{"lent", "lent"},
		{"one key for all", "key"},
		{"a plan that does not win", "plans"},
		{"a plan that changes the state", "plans"},
		{"another plan every time", "plans"},
		{"a number in the goal", "goal"},
		{"an error once done", "afterwards"},
		{"start ignores its context", "ended"},
		{"step ignores its context", "ended"},
		{"forgets that it was stopped", "ended"},
		{"no limit", "limits"},
	} {
		t.Run(c.fault, func(t *testing.T) {
			s := safeSuite(c.fault)
			i := slices.IndexFunc(checks, func(k check) bool { return k.name == c.check })
			if err := checks[i].run(t.Context(), &s, s.Games[0]); err == nil {
				t.Errorf("check %q finds nothing", c.check)
			}
			s = safeSuite("")
			if err := checks[i].run(t.Context(), &s, s.Games[0]); err != nil {
				t.Errorf("check %q of a game without faults: %v", c.check, err)
			}
		})
	}
}
