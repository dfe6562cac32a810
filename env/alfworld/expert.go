package alfworld

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/pddl"
)

// Goal implements env.Expert.
func (e *Episode) Goal() env.Goal { return e.game.goal }

// Plan implements env.Expert. Every plan has been played to the win on a copy of the episode before it is returned:
// all its commands are accepted, the last one wins and none before it. Finding and playing it together spend at most
// limits.Work tests. Straight, Search and Explore go by recipes for ALFWorld's families of goals; Planner takes any
// goal.
func (e *Episode) Plan(ctx context.Context, kind env.PlanKind) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if e.err != nil {
		return nil, e.err
	}
	experts := map[env.PlanKind]func(*pddl.Meter) ([]string, error){
		env.Walkthrough: e.walkthrough,
		env.Straight:    func(m *pddl.Meter) ([]string, error) { return e.script(env.Straight, m) },
		env.Search:      func(m *pddl.Meter) ([]string, error) { return e.script(env.Search, m) },
		env.Planner:     e.deduce,
		env.Explore:     e.explore,
	}
	expert, ok := experts[kind]
	switch {
	case !ok:
		return nil, fmt.Errorf("unknown kind of plan %q, expected one of %q", kind, env.PlanKinds)
	case e.obs.Won:
		return []string{}, nil
	}
	m := pddl.NewMeter(ctx, e.limits.Work)
	plan, err := expert(m)
	if err != nil {
		return nil, err
	}
	n, err := e.replay(plan, m)
	if err != nil {
		return nil, err
	}
	if n < len(plan) {
		return nil, fmt.Errorf("%w: command %d of %d, %q, wins too early", env.ErrNoPlan, n, len(plan), plan[n-1])
	}
	return plan, nil
}

// deduce is a plan of the planner over the facts.
func (e *Episode) deduce(m *pddl.Meter) ([]string, error) {
	ops, err := e.state.Plan(e.limits, m)
	if err != nil {
		return nil, err
	}
	t := teller{game: e.game, state: e.state.Clone(), told: e.teller.told.Clone(), meter: m}
	plan := make([]string, len(ops))
	for i, op := range ops {
		w := &e.game.actions[op.Action]
		if plan[i], err = t.tell(w.template, w, op.Args); err != nil {
			return nil, err
		}
		if err := t.told.Apply(t.state, op, m); err != nil {
			return nil, err
		}
		if err := t.state.Apply(op, m); err != nil {
			return nil, err
		}
	}
	return plan, nil
}

// replayWork is what a copy of an episode costs beside looking at its state, in units of work.
const replayWork = 100

// walkthrough is the rest of the file's walkthrough that wins from the current state, up to the win: of all ends of
// it the shortest, which is what is left of it if the episode has followed it so far.
func (e *Episode) walkthrough(m *pddl.Meter) ([]string, error) {
	w := e.game.walkthrough
	err := fmt.Errorf("%w: the game file has no walkthrough", env.ErrNoPlan)
	for i := len(w) - 1; i >= 0; i-- {
		var n int
		if n, err = e.replay(w[i:], m); err == nil {
			return slices.Clone(w[i : i+n]), nil
		}
		if !errors.Is(err, env.ErrNoPlan) {
			return nil, err
		}
		if !m.Spend(replayWork) {
			return nil, m.Err()
		}
		err = fmt.Errorf("walkthrough of %d commands: no end of it wins from here; all of it: %w", len(w), err)
	}
	return nil, err
}

// replay plays commands on a copy and returns how many it takes to win; env.ErrNoPlan if one is refused before that
// or they do not win.
func (e *Episode) replay(commands []string, m *pddl.Meter) (int, error) {
	c := e.clone()
	if err := c.look(m); err != nil {
		return 0, err
	}
	for i, command := range commands {
		op, ok := c.find(command)
		if !ok {
			return 0, fmt.Errorf("%w: command %d, %q, is refused", env.ErrNoPlan, i+1, command)
		}
		if err := c.do(op, m); err != nil {
			return 0, err
		}
		if c.obs.Won {
			return i + 1, nil
		}
	}
	return 0, fmt.Errorf("%w: after its %d commands the game is not won", env.ErrNoPlan, len(commands))
}
