package envtest

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/hone-rl/hone/env"
)

// checkKey: states with the same key answer the same commands alike. Walks that go to and fro come to the same
// states by different ways.
func checkKey(ctx context.Context, s *Suite, g Game) error {
	const walks, onward = 12, 4
	game, ep, err := begin(ctx, g)
	if err != nil {
		return err
	}
	if _, ok := ep.(env.Stateful); !ok {
		return nil
	}
	seen := map[string][]line{} // what came after the first visit
	for seed := range uint64(walks) {
		ep, err := game.Start(ctx, env.Limits{})
		if err != nil {
			return err
		}
		lines, err := s.walk(ctx, ep, seed, steps)
		if err != nil {
			return err
		}
		for at := range lines {
			ep, err := game.Start(ctx, env.Limits{})
			if err != nil {
				return err
			}
			if err := follow(ctx, ep, lines[:at+1]); err != nil {
				return err
			}
			k := key(ep)
			if before, ok := seen[k]; ok {
				if err := alike(ctx, ep, before); err != nil {
					return fmt.Errorf("two states with key %s: %w", k, err)
				}
				continue
			}
			r := rand.New(rand.NewPCG(seed, uint64(at)))
			after := []line{{"", clone(ep.Now())}}
			for range onward {
				text, ok := s.draw(ep.Now(), r)
				if !ok {
					break
				}
				obs, err := ep.Step(ctx, text)
				if err != nil {
					return err
				}
				after = append(after, line{text, obs})
			}
			seen[k] = after
		}
	}
	return nil
}

// alike is follow but for the text of the state itself, which tells how one came there, and the number of moves.
func alike(ctx context.Context, ep env.Episode, lines []line) error {
	for i, l := range lines {
		obs := ep.Now()
		if i > 0 {
			var err error
			if obs, err = ep.Step(ctx, l.said); err != nil {
				return err
			}
		}
		obs.Moves = l.obs.Moves
		if i == 0 {
			obs.Text, obs.Score, obs.Done = l.obs.Text, l.obs.Score, l.obs.Done
		}
		if err := equal(fmt.Sprintf("%d commands on, %q", i, l.said), obs, l.obs); err != nil {
			return err
		}
	}
	return nil
}
