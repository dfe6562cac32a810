package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/runs"
)

// printTrainings prints what the policies of a run's finished trainings won of their panels, and says whether there are any.
func (a *app) printTrainings(ctx context.Context, store artifacts.Store, run string) (bool, error) {
	stages, err := runs.Trainings(ctx, store, run)
	if err != nil {
		return false, refused(err)
	}
	var all []reportedRun
	for _, s := range stages {
		if s.Outcome == "" {
			continue
		}
		name := run + "/" + s.Name
		training, err := s.Open(ctx, store, name)
		if err != nil {
			return false, err
		}
		learning, err := training.Learning(ctx)
		if err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
		times, err := runs.StepTimes(ctx, store, run, s.Name)
		if err != nil {
			return false, err
		}
		one := reportedRun{drawnRun: drawnRun{Run: name, Finished: true, Learning: learning}}
		one.Timed, one.Times = runs.MeanTimes(times)
		all = append(all, one)
	}
	if a.json && len(all) > 0 {
		return true, printJSON(all)
	}
	for _, one := range all {
		if err := errors.Join(writePlays(os.Stdout, one.drawnRun), writeTimes(os.Stdout, one.Timed, one.Times)); err != nil {
			return true, err
		}
	}
	return len(all) > 0, nil
}

// reportedRun is what hone report --json prints of a training.
type reportedRun struct {
	drawnRun
	Timed int             `json:"timed_steps"` // that times are the mean of
	Times []runs.PartTime `json:"times"`
}

// writePlays writes the panels that a training's policies played, a row for each step.
func writePlays(out io.Writer, run drawnRun) error {
	if _, err := fmt.Fprintf(out, "%s: %s; won of the panel, with 95 %% intervals\n", run.Run, counted(len(run.Steps), "step")); err != nil {
		return err
	}
	type row struct{ with, without *lineage.PanelPlay }
	var steps []int
	rows, skills := map[int]*row{}, false
	for i := range run.Validations {
		p := &run.Validations[i]
		if rows[p.Step] == nil {
			steps = append(steps, p.Step)
			rows[p.Step] = &row{}
		}
		if p.With {
			rows[p.Step].with, skills = p, true
		} else {
			rows[p.Step].without = p
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	heading := "step\twithout skills\n"
	if skills {
		heading = "step\twith skills\twithout\n"
	}
	fmt.Fprint(w, heading)
	for _, step := range steps {
		fmt.Fprintf(w, "%d", step)
		if skills {
			fmt.Fprintf(w, "\t%s", share(rows[step].with))
		}
		fmt.Fprintf(w, "\t%s\n", share(rows[step].without))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return writeExcluded(out, run.Excluded)
}

// mostExcluded is how many lost episodes are named one by one.
const mostExcluded = 10

// writeExcluded writes the episodes that a training has lost.
func writeExcluded(out io.Writer, lost []lineage.LostEpisode) error {
	if len(lost) == 0 {
		return nil
	}
	fmt.Fprintf(out, "%s excluded by the clock, in no group\n", counted(len(lost), "episode"))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "step\trollout\tgame")
	for _, e := range lost[:min(len(lost), mostExcluded)] {
		fmt.Fprintf(w, "%d\t%d\t%s\n", e.Step, e.Rollout, e.Game)
	}
	if more := len(lost) - mostExcluded; more > 0 {
		fmt.Fprintf(w, "and %d more, which --json lists\n", more)
	}
	return w.Flush()
}

// share is how much of a panel was won.
func share(p *lineage.PanelPlay) string {
	if p == nil || p.Count == 0 {
		return "–"
	}
	low, high := agent.Wilson(p.Won, p.Count)
	text := fmt.Sprintf("%d/%d  %.1f %% (%.1f to %.1f)", p.Won, p.Count, 100*float64(p.Won)/float64(p.Count), 100*low, 100*high)
	if p.Score > 0 {
		text += fmt.Sprintf(", score %.3f", p.Score)
	}
	if p.Excluded > 0 {
		text += fmt.Sprintf(", %d excluded", p.Excluded)
	}
	return text
}
