package runs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/workflows"
)

// Records are all that is recorded of a run's stages, in the order of their names: a stage may have several records.
func Records(ctx context.Context, store artifacts.Store, run string) ([]activities.Finished, error) {
	names, err := store.Names(ctx, activities.RecordPrefix(run))
	if err != nil {
		return nil, fmt.Errorf("records of run %s: %w", run, err)
	}
	records := make([]activities.Finished, 0, len(names))
	for _, name := range names {
		d, err := store.Resolve(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("name %s: %w", name, err)
		}
		r, err := activities.ReadRecord(ctx, store, d)
		if err != nil {
			return nil, fmt.Errorf("record %s: %w", name, err)
		}
		records = append(records, r)
	}
	return records, nil
}

// StepTimes are what the steps of a run's stage took, by the newest record of it that has them; none where there is none.
func StepTimes(ctx context.Context, store artifacts.Store, run, stage string) ([]activities.StepTime, error) {
	records, err := Records(ctx, store, run)
	if err != nil {
		return nil, err
	}
	var newest activities.Finished
	for _, r := range records {
		if r.Name == stage && len(r.Times) > 0 && r.Ended.After(newest.Ended) {
			newest = r
		}
	}
	return newest.Times, nil
}

// PartTime is a part of a step's time.
type PartTime struct {
	Part  string        `json:"part"`
	Mean  time.Duration `json:"mean"` // nanoseconds a step
	Share float64       `json:"share"`
}

// MeanTimes are the parts of a mean step, the longest first. Validations stand apart from them.
func MeanTimes(times []activities.StepTime) (steps int, parts []PartTime) {
	spent := map[string]time.Duration{}
	var all time.Duration
	for _, t := range times {
		if t.Step == 0 {
			continue
		}
		steps++
		for part, d := range t.Phases {
			if part != workflows.TimeValidation {
				spent[part] += d
				all += d
			}
		}
	}
	for part, d := range spent {
		parts = append(parts, PartTime{part, d / time.Duration(steps), float64(d) / float64(max(1, all))})
	}
	slices.SortFunc(parts, func(a, b PartTime) int { return cmp.Or(cmp.Compare(b.Mean, a.Mean), strings.Compare(a.Part, b.Part)) })
	return steps, parts
}
