package alfworld

import (
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/pddl"
)

// opening is a game's first state, as every episode finds it. It is worked out when the first one starts, and never
// changes.
type opening struct {
	ops       pddl.Applicable
	operators int
	commands  commands
	text      string
	won       bool
	work      int // that it takes
}

// open works out the opening.
func (g *Game) open(limits env.Limits, m *pddl.Meter) (*opening, error) {
	e := &Episode{game: g, limits: limits, state: g.problem.Start(), facing: -1}
	e.commands.said = make([]said, len(g.actions))
	e.teller = teller{game: g, state: e.state, told: g.problem.Tell(g.told)}
	if err := e.look(m); err != nil {
		return nil, err
	}
	text, err := e.teller.tell([]part{{symbol: g.grammar.existing("intro")}}, nil, nil)
	if err != nil {
		return nil, err
	}
	o := &opening{ops: e.ops, commands: e.commands, text: text, won: e.state.Won(m)}
	for a := range g.actions {
		o.operators += e.ops.Count(a)
	}
	o.commands.spare, o.commands.next, o.commands.key = said{}, nil, nil
	o.work = m.Used()
	return o, m.Err()
}

// episode is a new one. Limits have been seen to.
func (o *opening) episode(g *Game, limits env.Limits) *Episode {
	e := &Episode{game: g, limits: limits, state: g.problem.Start(), facing: -1, opening: o}
	e.ops, e.commands = o.ops.Clone(), o.commands.clone()
	e.teller = teller{game: g, state: e.state, told: g.problem.Tell(g.told)}
	e.obs.Text, e.obs.Won, e.obs.Actions.Commands = o.text, o.won, e.commands.list()
	return e
}
