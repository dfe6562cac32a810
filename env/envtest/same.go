package envtest

import (
	"context"
	"fmt"
	"sync"

	"github.com/hone-rl/hone/env"
)

// checkFirst: an episode begins with no move made and something to be said.
func checkFirst(ctx context.Context, _ *Suite, g Game) error {
	game, ep, err := begin(ctx, g)
	if err != nil {
		return err
	}
	obs := ep.Now()
	if game.ID() == "" || game.Family() == "" || obs.Text == "" {
		return fmt.Errorf("id %q, family %q, opening %q: expected a text for each", game.ID(), game.Family(), obs.Text)
	}
	if obs.Moves != 0 || obs.Done || len(obs.Actions.Commands)+len(obs.Actions.Forms) == 0 {
		return fmt.Errorf("opening with %d moves, done %v, actions %+v: expected none, false and some", obs.Moves, obs.Done, obs.Actions)
	}
	return sound(obs)
}

// checkSame: the same game with the same commands gives the same bytes, loaded twice, reset once or twice.
func checkSame(ctx context.Context, s *Suite, g Game) error {
	game, ep, err := begin(ctx, g)
	if err != nil {
		return err
	}
	lines, err := s.walk(ctx, ep, 1, steps)
	if err != nil {
		return err
	}
	again, err := game.Start(ctx, env.Limits{})
	if err != nil {
		return err
	}
	if err := equal("reset twice", again.Now(), lines[0].obs); err != nil {
		return err
	}
	if err := follow(ctx, again, lines); err != nil {
		return fmt.Errorf("after another reset: %w", err)
	}
	if key(again) != key(ep) {
		return fmt.Errorf("the same commands end in states %q and %q", key(ep), key(again))
	}
	other, ep, err := begin(ctx, g)
	if err != nil {
		return err
	}
	if other.ID() != game.ID() || other.Family() != game.Family() {
		return fmt.Errorf("loaded twice: %s of %s, and %s of %s", game.ID(), game.Family(), other.ID(), other.Family())
	}
	if err := follow(ctx, ep, lines); err != nil {
		return fmt.Errorf("loaded again: %w", err)
	}
	return nil
}

// checkSeparate: two episodes of one game, played in turn, are what they are alone.
func checkSeparate(ctx context.Context, s *Suite, g Game) error {
	game, err := g.Load()
	if err != nil {
		return err
	}
	const n = 3
	var alone [n][]line
	var eps [n]env.Episode
	for i := range n {
		_, ep, err := begin(ctx, g)
		if err != nil {
			return err
		}
		if alone[i], err = s.walk(ctx, ep, uint64(i), steps); err != nil {
			return err
		}
		if eps[i], err = game.Start(ctx, env.Limits{}); err != nil {
			return err
		}
	}
	for step := range steps {
		for i := range n {
			if step >= len(alone[i]) {
				continue
			}
			if err := followOne(ctx, eps[i], alone[i], step); err != nil {
				return fmt.Errorf("episode %d of %d played in turn: %w", i+1, n, err)
			}
		}
	}
	return nil
}

// followOne is follow for one step.
func followOne(ctx context.Context, ep env.Episode, lines []line, step int) error {
	if step > 0 {
		if _, err := ep.Step(ctx, lines[step].said); err != nil {
			return err
		}
	}
	return equal(fmt.Sprintf("step %d, %q", step, lines[step].said), ep.Now(), lines[step].obs)
}

// checkConcurrent: episodes of one game on many goroutines are what they are alone. The race detector sees more.
func checkConcurrent(ctx context.Context, s *Suite, g Game) error {
	const n = 8
	var alone [n][]line
	for i := range n {
		_, ep, err := begin(ctx, g)
		if err != nil {
			return err
		}
		if alone[i], err = s.walk(ctx, ep, uint64(i), steps); err != nil {
			return err
		}
	}
	game, err := g.Load()
	if err != nil {
		return err
	}
	var errs [n]error
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			ep, err := game.Start(ctx, env.Limits{})
			if err == nil {
				err = follow(ctx, ep, alone[i])
			}
			if e, ok := ep.(env.Expert); ok && err == nil && len(s.Plans) > 0 {
				_, err = e.Plan(ctx, s.Plans[0])
				if noPlan(err) {
					err = nil
				}
			}
			errs[i] = err
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("episode %d of %d at once: %w", i+1, n, err)
		}
	}
	return nil
}

// checkLent: what was handed out is never changed later.
func checkLent(ctx context.Context, s *Suite, g Game) error {
	_, ep, err := begin(ctx, g)
	if err != nil {
		return err
	}
	lent := []env.Observation{ep.Now()}
	copies := []env.Observation{clone(ep.Now())}
	lines, err := s.walk(ctx, ep, 2, steps)
	if err != nil {
		return err
	}
	_, ep, err = begin(ctx, g)
	if err != nil {
		return err
	}
	for _, l := range lines[1:] {
		obs, err := ep.Step(ctx, l.said)
		if err != nil {
			return err
		}
		lent, copies = append(lent, obs), append(copies, clone(obs))
		if e, ok := ep.(env.Expert); ok {
			_, _ = e.Plan(ctx, env.Straight) // for what it might write to
		}
	}
	for i := range lent {
		if err := equal(fmt.Sprintf("observation %d, looked at later", i), lent[i], copies[i]); err != nil {
			return err
		}
	}
	return nil
}
