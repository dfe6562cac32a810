package envtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hone-rl/hone/env"
)

// checkPlans: a plan changes nothing, comes out the same again, is accepted command by command and wins with its
// last one; from the start and in the middle of a walk.
func checkPlans(ctx context.Context, s *Suite, g Game) error {
	game, ep, err := begin(ctx, g)
	if err != nil {
		return err
	}
	if _, ok := ep.(env.Expert); !ok {
		if len(s.Plans) > 0 {
			return errors.New("the episode is no env.Expert, expected one with plans")
		}
		return nil
	}
	lines, err := s.walk(ctx, ep, 5, 6)
	if err != nil {
		return err
	}
	for _, kind := range env.PlanKinds {
		for at, must := range map[int]bool{1: slices.Contains(s.Plans, kind), len(lines): false} {
			ep, err := game.Start(ctx, env.Limits{})
			if err != nil {
				return err
			}
			if err := follow(ctx, ep, lines[:at]); err != nil {
				return err
			}
			if err := planOf(ctx, ep, kind, must); err != nil {
				return fmt.Errorf("%s plan after %d steps: %w", kind, at-1, err)
			}
		}
	}
	if plan, err := ep.(env.Expert).Plan(ctx, "no such expert"); err == nil {
		return fmt.Errorf("an expert of no known kind plans %q, expected an error", plan)
	}
	return nil
}

// planOf asks for a plan twice and follows it.
func planOf(ctx context.Context, ep env.Episode, kind env.PlanKind, must bool) error {
	before, at := clone(ep.Now()), key(ep)
	plan, err := ep.(env.Expert).Plan(ctx, kind)
	again, errAgain := ep.(env.Expert).Plan(ctx, kind)
	if key(ep) != at {
		return errors.New("asking for it changes the state")
	}
	if err := equal("asking for it", ep.Now(), before); err != nil {
		return err
	}
	if !slices.Equal(plan, again) || (err == nil) != (errAgain == nil) {
		return fmt.Errorf("got %q, %s, and asked again %q, %s", plan, fmt.Sprint(err), again, fmt.Sprint(errAgain))
	}
	if err != nil {
		if must || !noPlan(err) {
			return err
		}
		return nil
	}
	for i, command := range plan {
		if ep.Now().Won {
			return fmt.Errorf("%q: won after %d commands already", plan, i)
		}
		if err := take(ctx, ep, command); err != nil {
			return fmt.Errorf("%q: %w", plan, err)
		}
	}
	if !ep.Now().Won {
		return fmt.Errorf("%q does not win", plan)
	}
	if rest, err := ep.(env.Expert).Plan(ctx, kind); err == nil && len(rest) != 0 {
		return fmt.Errorf("after the win it goes on with %q", rest)
	}
	return nil
}

// checkGoal: a goal names types and no instance.
func checkGoal(ctx context.Context, _ *Suite, g Game) error {
	game, ep, err := begin(ctx, g)
	if err != nil {
		return err
	}
	e, ok := ep.(env.Expert)
	if !ok {
		return nil
	}
	goal := e.Goal()
	for name, text := range map[string]string{"target": goal.Target, "device": goal.Device, "destination": goal.Destination} {
		if strings.ContainsFunc(text, unicode.IsDigit) {
			return fmt.Errorf("goal %+v: %s %q has a digit, expected a type", goal, name, text)
		}
	}
	if goal.Family != game.Family() {
		return fmt.Errorf("goal of family %q in a game of %q", goal.Family, game.Family())
	}
	return nil
}

// checkAfterwards: once done, an episode still answers, the same way every time, and takes no move back.
func checkAfterwards(ctx context.Context, s *Suite, g Game) error {
	if len(s.Plans) == 0 {
		return nil
	}
	game, ep, err := begin(ctx, g)
	if err != nil {
		return err
	}
	plan, err := ep.(env.Expert).Plan(ctx, s.Plans[0])
	if err != nil {
		return err
	}
	var after [2][]env.Observation
	for i := range after {
		ep, err := game.Start(ctx, env.Limits{})
		if err != nil {
			return err
		}
		for _, command := range plan {
			if _, err := ep.Step(ctx, command); err != nil {
				return err
			}
		}
		if obs := ep.Now(); !obs.Won || !obs.Done {
			return fmt.Errorf("at the end of the plan %q: won %v, done %v, expected both", plan, obs.Won, obs.Done)
		}
		for _, text := range append(slices.Clone(ep.Now().Actions.Commands), plan[0], "xyzzy") {
			moves := ep.Now().Moves
			obs, err := ep.Step(ctx, text)
			if err != nil {
				return fmt.Errorf("%q once done: %w, expected an answer", text, err)
			}
			if err := sound(obs); err != nil {
				return fmt.Errorf("%q once done: %w", text, err)
			}
			if obs.Moves < moves {
				return fmt.Errorf("%q once done: %d moves, expected no fewer than the %d before", text, obs.Moves, moves)
			}
			after[i] = append(after[i], obs)
		}
	}
	for k := range after[0] {
		if err := equal(fmt.Sprintf("answer %d once done, given twice", k+1), after[1][k], after[0][k]); err != nil {
			return err
		}
	}
	return nil
}
