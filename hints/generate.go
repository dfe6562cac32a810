package hints

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/env"
)

// GenerateConfig sets up Generate. Zero fields mean what is said beside them.
type GenerateConfig struct {
	// Plans are the kinds of plan to try, in turn; the first that exists and wins is followed. Default: the
	// walkthrough of the game file, then straight.
	Plans   []env.PlanKind `json:"plans"`
	Limits  env.Limits     `json:"limits"`
	History int            `json:"history"` // turns in X; 2, what prompts show
}

func (c GenerateConfig) withDefaults() GenerateConfig {
	if len(c.Plans) == 0 {
		c.Plans = []env.PlanKind{env.Walkthrough, env.Straight}
	}
	if c.History == 0 {
		c.History = 2
	}
	return c
}

// Generate finds the expert's plan for game, follows it step by step and returns one record a step. Every command
// has been admissible where it was said, the last one won, and none before it. Errors hold *env.BudgetError,
// env.ErrNoPlan or ctx's where these are the reason; see Exclude.
func Generate(ctx context.Context, game env.Game, cfg GenerateConfig) ([]Record, error) {
	cfg = cfg.withDefaults()
	records, err := generate(ctx, game, cfg)
	if err != nil {
		return nil, fmt.Errorf("generating records of %s: %w", game.ID(), err)
	}
	return records, nil
}

func generate(ctx context.Context, game env.Game, cfg GenerateConfig) ([]Record, error) {
	episode, err := game.Start(ctx, cfg.Limits)
	if err != nil {
		return nil, err
	}
	made, err := plan(ctx, game, episode, cfg)
	if err != nil {
		return nil, err
	}
	tracker, err := agent.Track(episode, cfg.History)
	if err != nil {
		return nil, err
	}
	records := make([]Record, len(made.gold))
	for i, command := range made.gold {
		x := tracker.X()
		if !slices.Contains(x.Admissible, command) {
			return nil, fmt.Errorf("%w: step %d of the %s plan: %q is not admissible", env.ErrBadGame, i+1, made.kind, command)
		}
		records[i] = Record{Game: game.ID(), Family: game.Family(), Expert: made.kind, Step: i + 1, X: x, H: made.hint, Y: command}
		now, err := episode.Step(ctx, command)
		if err != nil {
			return nil, fmt.Errorf("step %d, %q: %w", i+1, command, err)
		}
		tracker.Add(command, now)
	}
	return records, nil
}

// For is the hint of an episode at its first state, as Generate makes it.
func For(ctx context.Context, game env.Game, episode env.Episode, cfg GenerateConfig) (Hint, error) {
	made, err := plan(ctx, game, episode, cfg.withDefaults())
	if err != nil {
		return Hint{}, fmt.Errorf("making the hint of %s: %w", game.ID(), err)
	}
	return made.hint, nil
}

// Hinter is For as agent.PlayConfig.Hint takes it.
func Hinter(cfg GenerateConfig) func(context.Context, env.Game, env.Episode) (string, error) {
	return func(ctx context.Context, game env.Game, episode env.Episode) (string, error) {
		h, err := For(ctx, game, episode, cfg)
		return h.Text(), err
	}
}

// planned is a plan that wins, and the hint that goes with it.
type planned struct {
	kind env.PlanKind
	gold []string // up to the first win
	hint Hint
}

// plan tries the kinds of plan in turn. The episode is left at its first state.
func plan(ctx context.Context, game env.Game, episode env.Episode, cfg GenerateConfig) (planned, error) {
	expert, ok := episode.(env.Expert)
	if !ok {
		return planned{}, fmt.Errorf("%w: the game has no expert", env.ErrNoPlan)
	}
	var misses []error
	for _, kind := range cfg.Plans {
		commands, err := expert.Plan(ctx, kind)
		if err == nil {
			commands, err = winning(ctx, game, cfg.Limits, commands)
		}
		if err == nil {
			return planned{kind: kind, gold: commands, hint: hintOf(expert.Goal(), commands)}, nil
		}
		if !errors.Is(err, env.ErrNoPlan) || ctx.Err() != nil {
			return planned{}, fmt.Errorf("%s plan: %w", kind, err)
		}
		misses = append(misses, fmt.Errorf("%s plan: %w", kind, err))
	}
	return planned{}, errors.Join(misses...)
}

// winning plays commands in an episode of its own and returns them up to the first win; env.ErrNoPlan if there is
// none or one is refused.
func winning(ctx context.Context, game env.Game, limits env.Limits, commands []string) ([]string, error) {
	episode, err := game.Start(ctx, limits)
	if err != nil {
		return nil, err
	}
	for i, c := range commands {
		if !slices.Contains(episode.Now().Actions.Commands, c) {
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
