package lineage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/hints"
)

// played plays the records of a dataset again. Those that it took over from an older version have to be the same
// there, where they are played.
func (a *Auditor) played(ctx context.Context, m *artifacts.Manifest, records []byte, cfg hints.GenerateConfig) error {
	list, err := a.listed(ctx, m)
	if err != nil {
		return err
	}
	older, err := a.older(ctx, m)
	if err != nil {
		return err
	}
	for game, err := range games(records) {
		if err != nil {
			return err
		}
		id := game[0].Game
		if before, ok := older[id]; ok {
			if lines, err := hints.Lines(game); err != nil || !bytes.Equal(lines, before) {
				return errors.Join(fmt.Errorf("game %s has other records than in the older version", id), err)
			}
			delete(older, id)
			continue
		}
		listed, ok := list[id]
		if !ok {
			return fmt.Errorf("game %s is not in its game list", id)
		}
		if err := a.replayRecords(ctx, listed, game, cfg); err != nil {
			return err
		}
		a.result.Played++
		a.Tick("records of " + id)
	}
	if len(older) > 0 {
		return fmt.Errorf("%d games of the older version are missing", len(older))
	}
	return nil
}

func (a *Auditor) replayRecords(ctx context.Context, listed activities.ListedGame, records []hints.Record, cfg hints.GenerateConfig) error {
	data, err := artifacts.ReadAll(ctx, a.Store, listed.Digest, listed.Size)
	if err != nil {
		return err
	}
	game, err := a.OpenGame(ctx, listed.ID, data)
	if err != nil {
		return fmt.Errorf("game %s: %w", listed.ID, err)
	}
	return hints.Replay(ctx, game, records, cfg)
}

// older is the lines of each game in the version that a dataset takes over.
func (a *Auditor) older(ctx context.Context, m *artifacts.Manifest) (map[string][]byte, error) {
	lines := map[string][]byte{}
	for _, in := range m.Inputs {
		if in.Role != "previous" {
			continue
		}
		before, err := artifacts.GetManifest(ctx, a.Store, in.Digest)
		if err != nil {
			return nil, err
		}
		records, err := a.output(ctx, before, activities.DatasetName+hints.RecordsSuffix)
		if err != nil {
			return nil, err
		}
		for game, err := range games(records) {
			if err != nil {
				return nil, err
			}
			if lines[game[0].Game], err = hints.Lines(game); err != nil {
				return nil, err
			}
		}
	}
	return lines, nil
}

// games yields a dataset's records game by game.
func games(records []byte) iter.Seq2[[]hints.Record, error] {
	return func(yield func([]hints.Record, error) bool) {
		var game []hints.Record
		for r, err := range hints.Records(bytes.NewReader(records)) {
			if err != nil {
				yield(nil, err)
				return
			}
			if len(game) > 0 && game[0].Game != r.Game {
				if !yield(game, nil) {
					return
				}
				game = nil
			}
			game = append(game, r)
		}
		if len(game) > 0 {
			yield(game, nil)
		}
	}
}
