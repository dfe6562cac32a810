package hints

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/hone-rl/hone/env"
)

// Made is what came of a game.
type Made struct {
	Lines  []byte     // its records and, behind them, those of its detours, as WriteRecord writes them
	Failed []Excluded // detours without records
}

// Late says whether a detour met the clock, and may come to something another time.
func (m Made) Late() bool {
	return slices.ContainsFunc(m.Failed, func(e Excluded) bool { return e.Kind == ExcludedByClock })
}

// Make is the lines of a game: of Generate and of Recover. A detour that comes to nothing, or to what cannot be
// written or tells too much, takes no other records with it. Errors are those of Generate and Lines, and
// env.ErrBadGame for a game whose hint would tell more than types.
func Make(ctx context.Context, game env.Game, cfg GenerateConfig) (Made, error) {
	ordinary, err := Generate(ctx, game, cfg)
	if err != nil {
		return Made{}, err
	}
	if err := sound(ordinary); err != nil {
		return Made{}, err
	}
	var made Made
	if made.Lines, err = Lines(ordinary); err != nil {
		return Made{}, err
	}
	recovered, failed := Recover(ctx, game, ordinary, cfg)
	made.Failed = failed
	for part := range byDetour(recovered) {
		lines, err := Lines(part)
		if err == nil {
			err = sound(slices.Concat(ordinary, part))
		}
		if err == nil && len(made.Lines)+len(lines) > maxGame {
			err = tooLong(game.ID(), len(part))
		}
		if err != nil {
			made.Failed = append(made.Failed, ExcludeDetour(game.ID(), part[0].Detour, err))
			continue
		}
		made.Lines = append(made.Lines, lines...)
	}
	return made, nil
}

// sound audits the records of one game. One with odd names fails: it is left out, where in a dataset it would take
// all others with it.
func sound(records []Record) error {
	a := NewAuditor()
	for _, r := range records {
		if err := a.Add(r); err != nil {
			return err
		}
	}
	if err := a.Result().Err(); err != nil {
		return fmt.Errorf("%w: %s: %w", env.ErrBadGame, records[0].Game, err)
	}
	return nil
}

// byDetour yields a game's records in parts: from the first state, then detour by detour.
func byDetour(records []Record) iter.Seq[[]Record] {
	return func(yield func([]Record) bool) {
		for len(records) > 0 {
			end := slices.IndexFunc(records, func(r Record) bool { return r.Detour != records[0].Detour })
			if end < 0 {
				end = len(records)
			}
			if !yield(records[:end]) {
				return
			}
			records = records[end:]
		}
	}
}
