package alfworld

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/pddl"
)

// Episode is one play of a game.
type Episode struct {
	game   *Game
	limits env.Limits
	state  *pddl.State
	ops    pddl.Applicable
	said   []said // by action
	teller teller
	obs    env.Observation
	err    error // why the episode cannot go on
	// facing is the receptacle that the last accepted command named, while the agent stays at its place: what the
	// player stands in front of, where several receptacles share a place. -1 for none.
	facing int32
}

var (
	_ env.Episode = (*Episode)(nil)
	_ env.Expert  = (*Episode)(nil)
)

// said is the commands of one action's operators.
type said struct {
	generation int
	commands   []string
	bytes      int // of all commands
}

// Start implements env.Game. Every call of Start, Step and Plan may spend limits.Work tests; Operators bounds the
// operators of one state, which are grounded as they become applicable.
func (g *Game) Start(ctx context.Context, limits env.Limits) (env.Episode, error) {
	return g.start(ctx, limits)
}

func (g *Game) start(ctx context.Context, limits env.Limits) (*Episode, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limits = withDefaults(limits)
	if g.problem.Objects() > limits.Objects {
		return nil, &env.BudgetError{What: "objects", Limit: limits.Objects}
	}
	e := &Episode{game: g, limits: limits, state: g.problem.Start(), facing: -1}
	e.said = make([]said, len(g.actions))
	e.teller = teller{game: g, state: e.state}
	m := pddl.NewMeter(ctx, limits.Work)
	if err := e.look(m); err != nil {
		return nil, err
	}
	text, err := e.teller.tell([]part{{symbol: g.grammar.existing("intro")}}, nil, nil)
	if err != nil {
		return nil, err
	}
	e.obs.Text = text
	e.obs.Won = e.state.Won(m)
	return e, m.Err()
}

func withDefaults(l env.Limits) env.Limits {
	for _, f := range []struct{ field, def *int }{
		{&l.Operators, &DefaultLimits.Operators},
		{&l.Objects, &DefaultLimits.Objects},
		{&l.States, &DefaultLimits.States},
		{&l.Work, &DefaultLimits.Work},
	} {
		if *f.field == 0 {
			*f.field = *f.def
		}
	}
	return l
}

// Now implements env.Episode.
func (e *Episode) Now() env.Observation { return e.obs }

// Step implements env.Episode.
func (e *Episode) Step(ctx context.Context, text string) (env.Observation, error) {
	if e.err == nil {
		e.err = ctx.Err()
	}
	if e.err != nil {
		return env.Observation{}, e.err
	}
	return e.step(text, pddl.NewMeter(ctx, e.limits.Work))
}

// step is Step within a call that counts its work already.
func (e *Episode) step(text string, m *pddl.Meter) (env.Observation, error) {
	if op, ok := e.find(strings.TrimFunc(text, isSpace)); ok {
		e.err = e.do(op, m)
	} else {
		e.obs.Text = Refused
	}
	if e.err != nil {
		return env.Observation{}, e.err
	}
	e.obs.Done = e.obs.Won
	e.obs.Score = 0
	if e.obs.Won {
		e.obs.Score = 1
	}
	return e.obs, nil
}

// isSpace is what Python strips from the ends of a command.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

// find is the operator that is said as command.
func (e *Episode) find(command string) (pddl.Operator, bool) {
	for a := range e.said {
		if i := slices.Index(e.said[a].commands, command); i >= 0 {
			return e.ops.At(a, i), true
		}
	}
	return pddl.Operator{}, false
}

// do carries out an operator and looks at the new state.
func (e *Episode) do(op pddl.Operator, m *pddl.Meter) error {
	op.Args = slices.Clone(op.Args) // lent by e.ops, which is about to change
	if err := e.apply(op, m); err != nil {
		return err
	}
	if err := e.look(m); err != nil {
		return err
	}
	w := &e.game.actions[op.Action]
	text, err := e.teller.tell(w.feedback, w.slots, op.Args)
	if err != nil {
		return err
	}
	e.obs.Text = text
	e.obs.Won = e.state.Won(m)
	e.obs.Moves++
	return m.Err()
}

// apply changes the state and what the player faces.
func (e *Episode) apply(op pddl.Operator, m *pddl.Meter) error {
	if err := e.state.Apply(op, m); err != nil {
		return err
	}
	e.facing = e.game.house.facing(e.state, op, e.facing)
	return nil
}

// look works out the operators and their commands.
func (e *Episode) look(m *pddl.Meter) error {
	if err := e.ops.Update(e.state, e.limits.Operators, m); err != nil {
		return err
	}
	e.teller.meter = m
	total, bytes := 0, 0
	for a := range e.said {
		s, w := &e.said[a], &e.game.actions[a]
		if gen := e.ops.Generation(a); gen != s.generation || w.varies {
			s.generation = gen
			s.commands, s.bytes = s.commands[:0], 0
			for i := range e.ops.Count(a) {
				text, err := e.teller.tell(w.template, w.slots, e.ops.At(a, i).Args)
				if err != nil {
					return err
				}
				if s.bytes += len(text); bytes+s.bytes > maxCommands {
					return fmt.Errorf("%w: grammar: the commands of one state are longer than %d bytes together", env.ErrBadGame, maxCommands)
				}
				s.commands = append(s.commands, text)
			}
		}
		bytes += s.bytes
		total += len(s.commands)
	}
	all := make([]string, 0, total)
	for a := range e.said {
		all = append(all, e.said[a].commands...)
	}
	slices.Sort(all)
	e.obs.Actions.Commands = slices.Compact(all)
	return nil
}

// clone is an independent copy of the episode.
func (e *Episode) clone() *Episode {
	c := &Episode{game: e.game, limits: e.limits, state: e.state.Clone(), obs: e.obs, facing: e.facing}
	c.said = make([]said, len(e.said))
	c.teller = teller{game: e.game, state: c.state}
	return c
}
