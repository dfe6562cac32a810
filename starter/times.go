package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/workflows"
)

// stepTimes are what the steps of a run's stage took, by the newest record of it that has them; none where there is none.
func stepTimes(ctx context.Context, store artifacts.Store, run, stage string) ([]activities.StepTime, error) {
	names, err := store.Names(ctx, activities.RecordPrefix(run))
	if err != nil {
		return nil, fmt.Errorf("records of run %s: %w", run, err)
	}
	var newest activities.Finished
	for _, name := range names {
		if !strings.HasSuffix(name, "/"+stage) {
			continue
		}
		d, err := store.Resolve(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("name %s: %w", name, err)
		}
		r, err := activities.ReadRecord(ctx, store, d)
		if err != nil {
			return nil, fmt.Errorf("record %s: %w", name, err)
		}
		if r.Name == stage && len(r.Times) > 0 && r.Ended.After(newest.Ended) {
			newest = r
		}
	}
	return newest.Times, nil
}

// partTime is a part of a step's time.
type partTime struct {
	Part  string        `json:"part"`
	Mean  time.Duration `json:"mean"` // nanoseconds a step
	Share float64       `json:"share"`
}

// meanTimes are the parts of a mean step, the longest first. Validations stand apart from them.
func meanTimes(times []activities.StepTime) (steps int, parts []partTime) {
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
		parts = append(parts, partTime{part, d / time.Duration(steps), float64(d) / float64(max(1, all))})
	}
	slices.SortFunc(parts, func(a, b partTime) int { return cmp.Or(cmp.Compare(b.Mean, a.Mean), strings.Compare(a.Part, b.Part)) })
	return steps, parts
}

// writeTimes writes what a mean step took.
func writeTimes(out io.Writer, steps int, parts []partTime) error {
	if steps == 0 {
		return nil
	}
	var all time.Duration
	text := make([]string, len(parts))
	for i, p := range parts {
		all += p.Mean
		text[i] = fmt.Sprintf("%s %.1f s (%.0f %%)", p.Part, p.Mean.Seconds(), 100*p.Share)
	}
	_, err := fmt.Fprintf(out, "a step's work took %.1f s, mean of %s: %s\n", all.Seconds(), counted(steps, "step"), strings.Join(text, ", "))
	return err
}
