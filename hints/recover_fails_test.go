package hints_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/hints"
)

// lost is an episode whose expert does not find back once the mug has been carried away from its drawer.
type lost struct {
	room
	fault error
}

type lostEpisode struct {
	*episode
	game  lost
	moved bool
}

func (g lost) Start(ctx context.Context, limits env.Limits) (env.Episode, error) {
	e, err := g.room.Start(ctx, limits)
	return &lostEpisode{episode: e.(*episode), game: g}, err
}

func (e *lostEpisode) Step(ctx context.Context, text string) (env.Observation, error) {
	e.moved = e.moved || text == "look"
	return e.episode.Step(ctx, text)
}

func (e *lostEpisode) Plan(ctx context.Context, kind env.PlanKind) ([]string, error) {
	if e.moved {
		return nil, e.game.fault
	}
	return e.episode.Plan(ctx, kind)
}

// A detour that the expert does not find back from is listed with its reason; the game keeps its other records.
func TestRecoverFails(t *testing.T) {
	for _, c := range []struct {
		name, kind string
		fault      error
	}{
		{"no plan", hints.ExcludedNoPlan, fmt.Errorf("%w: the mug is gone", env.ErrNoPlan)},
		{"budget", hints.ExcludedByBudget, &env.BudgetError{What: "states", Limit: 9}},
		{"clock", hints.ExcludedByClock, context.DeadlineExceeded},
		{"fault", hints.ExcludedByError, fmt.Errorf("%w: line 3", env.ErrBadGame)},
	} {
		t.Run(c.name, func(t *testing.T) {
			game := lost{room: room{id: "g", at: 2}, fault: c.fault}
			cfg := recovering(hints.Recovery{PerGame: 12, Seed: 1})
			made, err := hints.Make(t.Context(), game, cfg)
			if err != nil {
				t.Fatal(err)
			}
			numbers := map[int]string{}
			for _, e := range made.Failed {
				if e.Game != "g" || numbers[e.Detour] != "" || e.Reason == "" {
					t.Errorf("failed %+v", e)
				}
				numbers[e.Detour] = e.Kind
			}
			looks := 0
			for _, kind := range numbers {
				if kind == c.kind {
					looks++
				}
			}
			if looks == 0 || made.Late() != (c.kind == hints.ExcludedByClock) {
				t.Errorf("failed detours %v, late %v, want some by %s", numbers, made.Late(), c.kind)
			}
			var ordinary []hints.Record
			for r, err := range hints.Records(bytes.NewReader(made.Lines)) {
				if err != nil {
					t.Fatal(err)
				}
				if r.Detour == 0 {
					ordinary = append(ordinary, r)
				} else {
					numbers[r.Detour] = "made"
				}
			}
			if len(ordinary) != 7 || len(numbers) != 12 {
				t.Errorf("%d records from the first state, want 7; detours %v, want all 12", len(ordinary), numbers)
			}
			m, err := hints.WriteDataset(hints.DatasetConfig{Name: "d", Generate: cfg}, io.Discard, readers(made.Lines), made.Failed)
			if err != nil {
				t.Fatal(err)
			}
			if r := m.Recovery; r.Detours+len(made.Failed) != 12 || r.Failed[c.kind] != looks || m.Games != 1 || len(m.Excluded) != 0 {
				t.Errorf("manifest %+v, recovery %+v", m, r)
			}
		})
	}
}
