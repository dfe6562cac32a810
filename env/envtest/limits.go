package envtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/hone-rl/hone/env"
)

// ending is a context that ends between two looks: the first looks at Err find it going on, Done is closed.
type ending struct {
	context.Context //nolint:containedctx // it is one
	done            chan struct{}
	looks           atomic.Int32 // still to be answered with nil
}

func endingAfter(ctx context.Context, looks int32) *ending {
	e := &ending{Context: ctx, done: make(chan struct{})}
	e.looks.Store(looks)
	close(e.done)
	return e
}

// Deadline implements context.Context.
func (e *ending) Deadline() (time.Time, bool) { return time.Now(), true }

// Done implements context.Context.
func (e *ending) Done() <-chan struct{} { return e.done }

// Err implements context.Context.
func (e *ending) Err() error {
	if e.looks.Add(-1) >= 0 {
		return nil
	}
	return context.DeadlineExceeded
}

// checkEnded: Start, Step and Plan give the error of a context that has ended, and of one that ends on the way as soon
// as they look. An episode that was stopped in a step stays so; one that was stopped in a plan goes on.
func checkEnded(ctx context.Context, s *Suite, g Game) error {
	game, ep, err := begin(ctx, g)
	if err != nil {
		return err
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := game.Start(ended, env.Limits{}); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("start after the context ended: got %s, want %w", fmt.Sprint(err), context.Canceled)
	}
	if _, err := game.Start(endingAfter(ctx, 1), env.Limits{}); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("start while the context ends: got %s, want %w or nothing", fmt.Sprint(err), context.DeadlineExceeded)
	}
	lines, err := s.walk(ctx, ep, 6, 3)
	if err != nil {
		return err
	}
	if e, ok := ep.(env.Expert); ok {
		before, at := clone(ep.Now()), key(ep)
		for _, kind := range env.PlanKinds {
			if _, err := e.Plan(ended, kind); !errors.Is(err, context.Canceled) {
				return fmt.Errorf("%s plan after the context ended: got %s, want %w", kind, fmt.Sprint(err), context.Canceled)
			}
			if _, err := e.Plan(endingAfter(ctx, 1), kind); err != nil && !errors.Is(err, context.DeadlineExceeded) && !noPlan(err) {
				return fmt.Errorf("%s plan while the context ends: got %s, want %w or nothing", kind, fmt.Sprint(err), context.DeadlineExceeded)
			}
		}
		if key(ep) != at {
			return fmt.Errorf("plans that were stopped change the state %s to %s", at, key(ep))
		}
		if err := equal("after plans that were stopped", ep.Now(), before); err != nil {
			return err
		}
	}
	text := lines[len(lines)-1].said
	if _, err := ep.Step(ended, text); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("step after the context ended: got %s, want %w", fmt.Sprint(err), context.Canceled)
	}
	if _, err := ep.Step(ctx, text); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("step of a stopped episode: got %s, want %w again", fmt.Sprint(err), context.Canceled)
	}
	return nil
}

// checkLimits: a limit of 1 is met with an error that names it, or does not matter to the game.
func checkLimits(ctx context.Context, s *Suite, g Game) error {
	game, err := g.Load()
	if err != nil {
		return err
	}
	for _, l := range []struct {
		what   string
		limits env.Limits
	}{
		{"operators", env.Limits{Operators: 1}},
		{"objects", env.Limits{Objects: 1}},
		{"work", env.Limits{Work: 1}},
		{"states", env.Limits{States: 1}},
	} {
		counted := slices.Contains(s.Counted, l.what)
		ep, err := game.Start(ctx, l.limits)
		if l.what != "states" {
			if err := budget(err, l.what, counted); err != nil {
				return fmt.Errorf("start: %w", err)
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("start with a limit of states: %w", err)
		}
		before := clone(ep.Now())
		if e, ok := ep.(env.Expert); ok {
			for _, kind := range env.PlanKinds {
				_, err := e.Plan(ctx, kind)
				if noPlan(err) {
					continue
				}
				if err := budget(err, l.what, counted && kind == env.Planner && slices.Contains(s.Plans, kind)); err != nil {
					return fmt.Errorf("%s plan: %w", kind, err)
				}
			}
		}
		if err := equal("after plans that met their limit", ep.Now(), before); err != nil {
			return err
		}
	}
	return nil
}

// budget checks the error of a limit of 1.
func budget(err error, what string, must bool) error {
	var b *env.BudgetError
	switch {
	case errors.As(err, &b) && b.What == what && b.Limit == 1:
		return nil
	case err == nil && !must:
		return nil
	}
	return fmt.Errorf("with a limit of 1: got %s, want %w", fmt.Sprint(err), &env.BudgetError{What: what, Limit: 1})
}
