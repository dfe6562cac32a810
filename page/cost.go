package page

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/runs"
)

// cost is what the run took.
type cost struct {
	Tables []table
}

// costs reads the run's records: of a stage with several the newest of those that did the work.
func (r *run) costs(ctx context.Context) error {
	records, err := runs.Records(ctx, r.store, r.Name)
	if err != nil {
		return err
	}
	newest := map[string]activities.Finished{}
	for _, f := range records {
		name := f.Name
		if f.Stopped > 0 {
			name = activities.StoppedName(f.Name, f.Stopped)
		}
		was, there := newest[name]
		if !there || was.Reused && !f.Reused || was.Reused == f.Reused && f.Ended.After(was.Ended) {
			newest[name] = f
		}
	}
	if len(newest) > 0 {
		r.Cost = &cost{}
		r.Cost.Tables = append(r.Cost.Tables, stageCosts(newest))
	}
	for _, t := range r.Trainings {
		if t.learning == nil {
			continue
		}
		if r.Cost == nil {
			r.Cost = &cost{}
		}
		times, err := runs.StepTimes(ctx, r.store, r.Name, t.name)
		if err != nil {
			return err
		}
		if len(times) > 0 {
			r.Cost.Tables = append(r.Cost.Tables, partCosts(t.Title, times))
		}
		if tokens := tokenCosts(t); len(tokens.Rows) > 0 {
			r.Cost.Tables = append(r.Cost.Tables, tokens)
		}
	}
	if r.Cost != nil && len(r.Cost.Tables) == 0 {
		r.Cost = nil
	}
	return nil
}

// stageCosts are the stages with what their activities took, added up.
func stageCosts(newest map[string]activities.Finished) table {
	all := table{
		Caption: "Time by stage", Heads: []string{"stage", "passed", "work", "activities", "repeated", "device"},
		Note: "Work is the time of all activities, which may go on side by side; a stage that was found done took none.",
	}
	names := slices.SortedFunc(maps.Keys(newest), func(a, b string) int {
		return cmp.Or(cmp.Compare(stage{name: a}.rank(), stage{name: b}.rank()), strings.Compare(a, b))
	})
	var passed, worked time.Duration
	for _, name := range names {
		f := newest[name]
		if f.Reused {
			all.Rows = append(all.Rows, cells(name, "found done", "–", "–", "–", "–"))
			continue
		}
		var work time.Duration
		again, devices := 0, []string(nil)
		for _, w := range f.Work {
			work += w.Ended.Sub(w.Started)
			if w.Attempt > 1 {
				again++
			}
			if on := strings.TrimSpace(w.Device + " " + w.Class); on != "" && !slices.Contains(devices, on) {
				devices = append(devices, on)
			}
		}
		slices.Sort(devices)
		took := f.Ended.Sub(f.Started)
		passed, worked = passed+took, worked+work
		all.Rows = append(all.Rows, cells(name, lasted(took), lasted(work), fmt.Sprint(len(f.Work)), fmt.Sprint(again), or(strings.Join(devices, ", "))))
	}
	all.Rows = append(all.Rows, cells("all", lasted(passed), lasted(worked), "", "", ""))
	return all
}

// partCosts are the parts of a training's time, over all of its steps.
func partCosts(title string, times []activities.StepTime) table {
	spent := map[string]time.Duration{}
	var all time.Duration
	for _, t := range times {
		for part, d := range t.Phases {
			spent[part] += d
			all += d
		}
	}
	one := table{Caption: title + ": time by phase", Heads: []string{"phase", "time", "share", "a step"}}
	for _, part := range slices.SortedFunc(maps.Keys(spent), func(a, b string) int {
		return cmp.Or(cmp.Compare(spent[b], spent[a]), strings.Compare(a, b))
	}) {
		one.Rows = append(one.Rows, cells(part, lasted(spent[part]), percent(float64(spent[part])/float64(max(all, 1))), lasted(spent[part]/time.Duration(len(times)))))
	}
	one.Note = fmt.Sprintf("Of %s; what came before the first counts as one.", counted(len(times), "step"))
	return one
}

// tokenCosts are the tokens that a training sampled and learnt from.
func tokenCosts(t *training) table {
	one := table{Caption: t.Title + ": tokens", Heads: []string{"what", "answers", "tokens"}}
	answers, tokens, read := map[rollout.Phase]int{}, map[rollout.Phase]float64{}, 0
	for _, u := range t.updates {
		if u.Figures != nil {
			for phase, f := range u.Figures.Phases {
				answers[phase] += f.Answers
				tokens[phase] += float64(f.Answers) * f.Tokens
			}
		}
		if u.Report != nil {
			read += u.Report.Tokens
		}
	}
	for _, phase := range rollout.Phases {
		if answers[phase] > 0 {
			one.Rows = append(one.Rows, cells("sampled: "+string(phase), fmt.Sprint(answers[phase]), fmt.Sprintf("%.0f", tokens[phase])))
		}
	}
	if read > 0 {
		one.Rows = append(one.Rows, cells("learnt from, prompts and all", "–", fmt.Sprint(read)))
	}
	one.Note = "Of the training's steps, without panels."
	return one
}

// lasted is a time for people.
func lasted(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}
