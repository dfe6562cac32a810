package alfworld

import (
	"context"
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
	// commands are those of ops. Opening is what the game's first state is like, nil while that is being worked out.
	commands commands
	opening  *opening
	teller   teller
	obs      env.Observation
	err      error // why the episode cannot go on
	// facing is the receptacle that the last accepted command named, while the agent stays at its place: what the
	// player stands in front of, where several receptacles share a place. -1 for none.
	facing int32
}

var (
	_ env.Episode = (*Episode)(nil)
	_ env.Expert  = (*Episode)(nil)
)

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
	m := pddl.NewMeter(ctx, limits.Work)
	o := g.opening.Load()
	if o != nil && o.operators <= limits.Operators && o.work <= limits.Work {
		m.Spend(o.work)
		return o.episode(g, limits), m.Err()
	}
	o, err := g.open(limits, m)
	if err != nil {
		return nil, err
	}
	g.opening.Store(o)
	return o.episode(g, limits), nil
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
	a, i, ok := e.commands.operator(e, command)
	if !ok {
		return pddl.Operator{}, false
	}
	return e.ops.At(a, i), true
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
	text, err := e.teller.tell(w.feedback, w, op.Args)
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
	if err := e.teller.told.Apply(e.state, op, m); err != nil {
		return err
	}
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
	var err error
	e.obs.Actions.Commands, err = e.commands.update(e)
	return err
}

// clone is an independent copy of the episode.
func (e *Episode) clone() *Episode {
	c := &Episode{game: e.game, limits: e.limits, state: e.state.Clone(), obs: e.obs, facing: e.facing, opening: e.opening}
	c.commands = e.opening.commands.blank()
	c.teller = teller{game: e.game, state: c.state, told: e.teller.told.Clone()}
	return c
}
