package page

import (
	"bytes"
	"context"
	"fmt"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/hints"
)

// excluded are games and episodes that were left out, with why.
type excluded struct {
	Tables []table
	None   bool // nothing was excluded, and something could have been
}

// exclusions reads what the run's datasets and trainings have left out.
func (r *run) exclusions(ctx context.Context) error {
	looked := false
	for _, s := range r.made {
		if s.manifest.Kind != artifacts.KindDataset {
			continue
		}
		raw, ok, err := r.file(ctx, s.digest, s.manifest, activities.DatasetName+hints.ExcludedSuffix)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		all, err := hints.ReadExcluded(bytes.NewReader(raw))
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		looked = true
		if len(all) > 0 {
			r.Excluded.Tables = append(r.Excluded.Tables, excludedGames(s.name, all))
		}
	}
	for _, t := range r.Trainings {
		if t.learning == nil {
			continue
		}
		looked = true
		if lost := t.learning.Excluded; len(lost) > 0 {
			one := table{Caption: t.Title + ": " + counted(len(lost), "episode") + " excluded, in no group", Heads: []string{"step", "game", "rollout", "reason"}}
			for _, e := range lost[:min(len(lost), mostExcluded)] {
				one.Rows = append(one.Rows, cells(fmt.Sprint(e.Step), clipped(e.Game, 300), fmt.Sprint(e.Rollout), e.Reason))
			}
			one.Note = more(len(lost), mostExcluded)
			r.Excluded.Tables = append(r.Excluded.Tables, one)
		}
	}
	r.Excluded.None = looked && len(r.Excluded.Tables) == 0
	return nil
}

func excludedGames(stage string, all []hints.Excluded) table {
	one := table{Caption: fmt.Sprintf("%s: %d excluded from the dataset, games and detours", stage, len(all)), Heads: []string{"game", "detour", "kind", "reason"}}
	for _, e := range all[:min(len(all), mostExcluded)] {
		detour := "–"
		if e.Detour > 0 {
			detour = fmt.Sprint(e.Detour)
		}
		one.Rows = append(one.Rows, cells(clipped(e.Game, 300), detour, e.Kind, e.Reason))
	}
	one.Note = more(len(all), mostExcluded)
	return one
}

// more says how many of all are left out, "" for none.
func more(all, most int) string {
	if all <= most {
		return ""
	}
	return fmt.Sprintf("%d more are left out here.", all-most)
}
