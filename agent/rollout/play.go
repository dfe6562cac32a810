package rollout

import (
	"context"
	"sync"

	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/env"
)

// Task is an episode to be played.
type Task struct {
	Game    env.Game
	Rollout int    // of the task's group, from 0
	Seed    uint64 // of all that is drawn in the episode
	// Bare is an episode without skills: one half of RetroAgent's groups.
	Bare bool
	// Other is an episode of the same task that may end the other way: it is shown with the lesson if it did.
	Other []ask.Episode
}

// Play plays the tasks and hands each episode to done as it ends, one after the other. What a game does wrong is its
// episode's failure; an error is ctx's, the policy's, the finder's, done's or that of the settings, and ends the others.
func Play(ctx context.Context, cfg Config, tasks []Task, done func(Episode) error) error {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	var mu sync.Mutex
	at := Progress{Episodes: len(tasks)}
	room := make(chan struct{}, cfg.Batch)
	for _, task := range tasks {
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-room }()
			e := newEpisode(&cfg, task)
			err := e.play(ctx)
			mu.Lock()
			defer mu.Unlock()
			if err == nil && ctx.Err() == nil {
				err = done(e.record)
			}
			if err != nil {
				cancel(err)
				return
			}
			at.Finished++
			if e.record.Outcome.Won {
				at.Won++
			}
			if cfg.Progress != nil {
				cfg.Progress(at)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
