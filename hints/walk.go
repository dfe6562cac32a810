package hints

import (
	"context"
	"errors"
	"fmt"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/env"
)

// walk is an episode with all that has been said in it.
type walk struct {
	game    env.Game
	limits  env.Limits
	episode env.Episode
	tracker *agent.Tracker
	said    []string
}

// start begins an episode and says commands in it.
func start(ctx context.Context, game env.Game, cfg GenerateConfig, commands ...string) (*walk, error) {
	episode, err := game.Start(ctx, cfg.Limits)
	if err != nil {
		return nil, err
	}
	w := &walk{game: game, limits: cfg.Limits, episode: episode}
	if w.tracker, err = agent.Track(episode, cfg.History); err != nil {
		return nil, err
	}
	for _, c := range commands {
		if _, err := w.say(ctx, c); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *walk) say(ctx context.Context, command string) (env.Observation, error) {
	now, err := w.episode.Step(ctx, command)
	if err != nil {
		return now, fmt.Errorf("step %d, %q: %w", len(w.said)+1, command, err)
	}
	w.tracker.Add(command, now)
	w.said = append(w.said, command)
	return now, nil
}

// planned is a plan that wins from the state that it was made for.
type planned struct {
	kind env.PlanKind
	gold []string // up to the first win
}

// plan tries the kinds of plan in turn from the state at hand, and leaves the episode there.
func (w *walk) plan(ctx context.Context, kinds []env.PlanKind) (planned, error) {
	expert, ok := w.episode.(env.Expert)
	if !ok {
		return planned{}, fmt.Errorf("%w: the game has no expert", env.ErrNoPlan)
	}
	var misses []error
	for _, kind := range kinds {
		commands, err := expert.Plan(ctx, kind)
		if err == nil {
			commands, err = winning(ctx, w.game, w.limits, w.said, commands)
		}
		if err == nil {
			return planned{kind: kind, gold: commands}, nil
		}
		if !errors.Is(err, env.ErrNoPlan) || ctx.Err() != nil {
			return planned{}, fmt.Errorf("%s plan: %w", kind, err)
		}
		misses = append(misses, fmt.Errorf("%s plan: %w", kind, err))
	}
	return planned{}, errors.Join(misses...)
}

// winning plays before and then commands in an episode of its own, and returns commands up to the first win;
// env.ErrNoPlan if there is none or one is refused.
func winning(ctx context.Context, game env.Game, limits env.Limits, before, commands []string) ([]string, error) {
	episode, err := game.Start(ctx, limits)
	if err != nil {
		return nil, err
	}
	for _, c := range before {
		if _, err := episode.Step(ctx, c); err != nil {
			return nil, err
		}
	}
	for i, c := range commands {
		if !episode.Now().Actions.Allow(c) {
			return nil, fmt.Errorf("%w: command %d, %q, is not admissible", env.ErrNoPlan, i+1, c)
		}
		now, err := episode.Step(ctx, c)
		if err != nil {
			return nil, err
		}
		if now.Won {
			return commands[:i+1], nil
		}
	}
	return nil, fmt.Errorf("%w: %d commands do not win", env.ErrNoPlan, len(commands))
}

// hint is what the teacher is told of a game whose plan from its first state is plan.
func (w *walk) hint(ctx context.Context, plan planned) (Hint, error) {
	straight, err := direct(ctx, w.game, w.limits, plan.gold)
	if err != nil {
		return Hint{}, fmt.Errorf("%s plan without its detours: %w", plan.kind, err)
	}
	return hintOf(w.episode.(env.Expert).Goal(), plan.gold, straight), nil
}

// follow says the commands of a plan and returns a record of each, like r in what all have in common.
func (w *walk) follow(ctx context.Context, plan planned, r Record) ([]Record, error) {
	r.Game, r.Family, r.Expert = w.game.ID(), w.game.Family(), plan.kind
	records := make([]Record, len(plan.gold))
	for i, command := range plan.gold {
		r.Step, r.X, r.Y = len(w.said)+1, w.tracker.X(), command
		if !r.X.Allows(command) {
			return nil, fmt.Errorf("%w: step %d, by the %s plan: %q is not admissible", env.ErrBadGame, r.Step, plan.kind, command)
		}
		records[i] = r
		if _, err := w.say(ctx, command); err != nil {
			return nil, err
		}
	}
	return records, nil
}
