package hints

import (
	"context"
	"fmt"

	"github.com/hone-rl/hone/env"
)

// GenerateConfig sets up Generate and Recover. Zero fields mean what is said beside them.
type GenerateConfig struct {
	// Plans are the kinds of plan to try, in turn; the first that exists and wins is followed. Default: the
	// walkthrough of the game file, then straight, then what the planner finds.
	Plans    []env.PlanKind `json:"plans"`
	Limits   env.Limits     `json:"limits"`
	History  int            `json:"history"`            // turns in X; 2, what prompts show
	Recovery *Recovery      `json:"recovery,omitempty"` // nil: no detours
}

func (c GenerateConfig) withDefaults() GenerateConfig {
	if len(c.Plans) == 0 {
		c.Plans = []env.PlanKind{env.Walkthrough, env.Straight, env.Planner}
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
	w, err := start(ctx, game, cfg)
	if err != nil {
		return nil, err
	}
	plan, err := w.plan(ctx, cfg.Plans)
	if err != nil {
		return nil, err
	}
	hint, err := w.hint(ctx, plan)
	if err != nil {
		return nil, err
	}
	return w.follow(ctx, plan, Record{H: hint})
}

// For is the hint of an episode at its first state, as Generate makes it.
func For(ctx context.Context, game env.Game, episode env.Episode, cfg GenerateConfig) (Hint, error) {
	cfg = cfg.withDefaults()
	w := &walk{game: game, limits: cfg.Limits, episode: episode}
	plan, err := w.plan(ctx, cfg.Plans)
	if err != nil {
		return Hint{}, fmt.Errorf("making the hint of %s: %w", game.ID(), err)
	}
	hint, err := w.hint(ctx, plan)
	if err != nil {
		return Hint{}, fmt.Errorf("making the hint of %s: %w", game.ID(), err)
	}
	return hint, nil
}

// Hinter is For as agent.PlayConfig.Hint takes it.
func Hinter(cfg GenerateConfig) func(context.Context, env.Game, env.Episode) (string, error) {
	return func(ctx context.Context, game env.Game, episode env.Episode) (string, error) {
		h, err := For(ctx, game, episode, cfg)
		return h.Text(), err
	}
}
