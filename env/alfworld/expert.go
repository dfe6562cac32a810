package alfworld

import (
	"context"
	"errors"
	"fmt"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/pddl"
)

// Goal implements env.Expert.
func (e *Episode) Goal() env.Goal { return e.game.goal }

// Plan implements env.Expert. Every plan has been played to the win on a copy of the episode before it is returned.
// Straight and Search are scripts; where a script does not fit the goal or the state, Straight and Search are both
// what a planner over the facts finds.
func (e *Episode) Plan(ctx context.Context, kind env.PlanKind) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if e.err != nil {
		return nil, e.err
	}
	if e.obs.Won {
		return []string{}, nil
	}
	m := pddl.NewMeter(ctx, e.limits.Work)
	switch kind {
	case env.Walkthrough:
		return e.walkthrough(m)
	case env.Straight, env.Search:
	default:
		return nil, fmt.Errorf("unknown kind of plan %q, expected %q, %q or %q", kind, env.Walkthrough, env.Straight, env.Search)
	}
	plan, err := e.script(kind, m)
	if err == nil {
		if err = e.replay(plan, m); err == nil {
			return plan, nil
		}
	}
	if !errors.Is(err, env.ErrNoPlan) {
		return nil, err
	}
	plan, err = e.deduce(m)
	if err != nil {
		return nil, err
	}
	if err := e.replay(plan, m); err != nil {
		return nil, err
	}
	return plan, nil
}

// deduce is a plan of the planner over the facts.
func (e *Episode) deduce(m *pddl.Meter) ([]string, error) {
	ops, err := e.state.Plan(e.limits, m)
	if err != nil {
		return nil, err
	}
	t := teller{game: e.game, state: e.state.Clone(), meter: m}
	plan := make([]string, len(ops))
	for i, op := range ops {
		w := &e.game.actions[op.Action]
		if plan[i], err = t.tell(w.template, w.slots, op.Args); err != nil {
			return nil, err
		}
		if err := t.state.Apply(op, m); err != nil {
			return nil, err
		}
	}
	return plan, nil
}

// walkthrough is the rest of the file's walkthrough that wins from the current state: the shortest one, which is
// what is left of it if the episode has followed it so far.
func (e *Episode) walkthrough(m *pddl.Meter) ([]string, error) {
	w := e.game.walkthrough
	for i := len(w) - 1; i >= 0; i-- {
		err := e.replay(w[i:], m)
		if err == nil {
			return append([]string(nil), w[i:]...), nil
		}
		if !errors.Is(err, env.ErrNoPlan) {
			return nil, err
		}
		if !m.Spend(1) {
			return nil, m.Err()
		}
	}
	return nil, fmt.Errorf("%w: the walkthrough in the file has %d commands and no end of it wins from here", env.ErrNoPlan, len(w))
}

// replay plays the commands on a copy; ErrNoPlan unless all are accepted and the last one, and none before, wins.
func (e *Episode) replay(plan []string, m *pddl.Meter) error {
	c := e.clone()
	if err := c.look(m); err != nil {
		return err
	}
	for i, command := range plan {
		moves := c.obs.Moves
		obs, err := c.step(command, m)
		if err != nil {
			return err
		}
		if obs.Moves == moves {
			return fmt.Errorf("%w: command %d, %q, is refused", env.ErrNoPlan, i+1, command)
		}
		if obs.Won != (i == len(plan)-1) {
			return fmt.Errorf("%w: command %d of %d, %q: won is %v", env.ErrNoPlan, i+1, len(plan), command, obs.Won)
		}
	}
	return nil
}
