package page

import (
	"cmp"
	"context"
	"fmt"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/internal/chart"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/picture"
	"github.com/hone-rl/hone/runs"
	"github.com/hone-rl/hone/skills"
)

// training is how reinforcement learning went.
type training struct {
	Title    string
	Finished bool
	Note     string // why there is nothing to show of it
	Curve    *figure
	Panels   []table

	name     string // of the stage
	at       *lineage.Training
	learning *lineage.Learning
	updates  []activities.StepLine
	panels   []activities.ValidationLine // none of one under way
	best     []skills.Skill              // of its library, the most useful first
}

// trainings reads the run's trainings by reinforcement learning, and by distillation.
func (r *run) trainings(ctx context.Context) error {
	stages, err := runs.Trainings(ctx, r.store, r.Name)
	if err != nil {
		return err
	}
	for _, s := range r.made {
		if s.manifest.Kind == artifacts.KindPolicy && !runs.IsGRPO(s.name) {
			stages = append(stages, runs.TrainingStage{Name: s.name, Outcome: s.digest})
		}
	}
	for _, s := range stages {
		t := &training{Title: seeded(s.Name), name: s.Name, Finished: s.Outcome != ""}
		r.Trainings = append(r.Trainings, t)
		t.at, err = s.Open(ctx, r.store, s.Name)
		if absent(err) {
			t.Note = err.Error()
			continue
		}
		if err == nil {
			err = t.read(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return nil
}

func (t *training) read(ctx context.Context) (err error) {
	if t.learning, err = t.at.Learning(ctx); err != nil {
		return err
	}
	if t.updates, err = t.at.Updates(ctx); err != nil {
		return err
	}
	if t.Finished {
		if t.panels, err = t.at.Validations(ctx); err != nil {
			return err
		}
	}
	f := picture.Learning(t.Title, t.Finished, t.learning)
	if row, ok := t.losses(); ok {
		f.Rows = append(f.Rows, row)
	}
	t.Curve = newFigure(f, t.steps())
	t.Panels = t.validations()
	return nil
}

// loss is a step's, and its gradient's norm: means over its optimiser steps. False where none learnt.
func loss(line activities.StepLine) (value, norm float64, ok bool) {
	if line.Report == nil || len(line.Report.Steps) == 0 {
		return 0, 0, false
	}
	n := float64(len(line.Report.Steps))
	for _, s := range line.Report.Steps {
		value, norm = value+s.Loss/n, norm+s.GradNorm/n
	}
	return value, norm, true
}

// losses are the curves of the loss and of the gradient.
func (t *training) losses() (chart.Row, bool) {
	last := max(1, len(t.updates))
	x := chart.Axis{Title: "step", Whole: true, Max: float64(last)}
	value, norm := chart.Series{Color: 0, Line: chart.Plain}, chart.Series{Color: 3, Line: chart.Plain}
	for _, line := range t.updates {
		if v, n, ok := loss(line); ok {
			value.Points = append(value.Points, chart.Point{X: float64(line.Step), Y: v})
			norm.Points = append(norm.Points, chart.Point{X: float64(line.Step), Y: n})
		}
	}
	return chart.Row{Height: 110, Panels: []chart.Panel{
		{X: x, Y: chart.Axis{Title: "loss"}, Series: []chart.Series{value}},
		{X: x, Y: chart.Axis{Title: "gradient norm"}, Series: []chart.Series{norm}},
	}}, len(value.Points) > 0
}

// steps are the figures of each step, or of each so many where there are many.
func (t *training) steps() table {
	all := table{Caption: t.Title + ": steps", Heads: []string{"step", "won", "rate", "95 %", "KL", "entropy", "loss", "skills", "utility"}}
	every := (len(t.learning.Steps) + mostSteps - 1) / mostSteps
	for i, s := range t.learning.Steps {
		if every > 1 && (i+1)%every != 0 {
			continue
		}
		low, high := agent.Wilson(s.Won, s.Episodes)
		row := cells(fmt.Sprint(s.Step), fmt.Sprintf("%d/%d", s.Won, s.Episodes), "–", "–", number(s.KL), number(s.Entropy), "–", "–", number(s.Utility))
		if s.Episodes > 0 {
			row[2].Text, row[3].Text = percent(float64(s.Won)/float64(s.Episodes)), percent(low)+" to "+percent(high)
		}
		if v, _, ok := loss(t.updates[i]); ok {
			row[6].Text = fmt.Sprintf("%.5f", v)
		}
		if s.Skills != nil {
			row[7].Text = fmt.Sprint(*s.Skills)
		}
		all.Rows = append(all.Rows, row)
	}
	all.Note = "KL to the model that training began from and entropy in nats a token; the loss is the mean of a step's optimiser steps."
	if every > 1 {
		all.Note += fmt.Sprintf(" Of %d steps each of %d is shown; hone curve --json has all.", len(t.learning.Steps), every)
	}
	return all
}

func number(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.4f", *v)
}

// validations are what the policies won of the panels, with skills and without, and by family.
func (t *training) validations() []table {
	plays := table{Caption: t.Title + ": won of the panel, step by step", Heads: []string{"step", "panel", "skills", "won", "rate", "95 %", "score", "excluded", "0 to 100 %"}}
	for _, p := range t.learning.Validations {
		row := cells(fmt.Sprint(p.Step), or(p.Panel), with(p.With), fmt.Sprintf("%d/%d", p.Won, p.Count), "–", "–", "–", fmt.Sprint(p.Excluded), "")
		if p.Count > 0 {
			low, high := agent.Wilson(p.Won, p.Count)
			rate := float64(p.Won) / float64(p.Count)
			row[4].Text, row[5].Text = percent(rate), percent(low)+" to "+percent(high)
			row[8].Picture = drawn(chart.Bar(rate, low, high, colorOf(p.With), fmt.Sprintf("step %d, %s skills: %s won, 95 %% interval %s to %s", p.Step, with(p.With), percent(rate), percent(low), percent(high))))
		}
		if p.Score > 0 {
			row[6].Text = fmt.Sprintf("%.3f", p.Score)
		}
		plays.Rows = append(plays.Rows, row)
	}
	if len(plays.Rows) == 0 {
		return nil
	}
	all := []table{plays}
	if families := t.families(); len(families.Rows) > 0 {
		all = append(all, families)
	}
	return all
}

// families are the last validations by family.
func (t *training) families() table {
	all := table{Caption: t.Title + ": games won of each family", Heads: []string{"step", "panel", "skills"}}
	column := map[string]int{}
	for _, v := range t.panels {
		for _, f := range v.Families {
			if _, there := column[f.Family]; !there {
				column[f.Family] = len(all.Heads)
				all.Heads = append(all.Heads, or(f.Family))
			}
		}
	}
	if len(column) == 0 {
		return table{}
	}
	for _, v := range t.panels {
		row := cells(append([]string{fmt.Sprint(v.Step), or(v.Panel), with(v.With)}, make([]string, len(column))...)...)
		for _, f := range v.Families {
			row[column[f.Family]].Text = fmt.Sprintf("%d/%d", f.Won, f.Count)
		}
		all.Rows = append(all.Rows, row)
	}
	return all
}

func with(skills bool) string {
	if skills {
		return "with"
	}
	return "without"
}

// label is what a panel's episodes are of.
func (t *training) label(step int, skills bool, panel string) string {
	return fmt.Sprintf("%s after step %d, %s, %s skills", t.Title, step, cmp.Or(panel, "panel"), with(skills))
}
