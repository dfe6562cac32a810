package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/internal/chart"
)

// losses are how a fine-tuning went.
type losses struct {
	Title string
	*figure
}

// fineTuned is what a fine-tuned model's files and summary say of its training.
type fineTuned struct {
	curve  []activities.CurvePoint
	checks []activities.Check
	held   int // records that checks are of
	best   activities.Check
}

// curves reads the loss curves of the run's fine-tuned models.
func (r *run) curves(ctx context.Context) error {
	for _, s := range r.made {
		if s.manifest.Kind != artifacts.KindModel && s.manifest.Kind != artifacts.KindAdapter {
			continue
		}
		raw, ok, err := r.file(ctx, s.digest, s.manifest, activities.TrainingFile)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		t, err := readTuned(raw, s.manifest.Summary)
		if err != nil {
			return fmt.Errorf("%s of %s: %w", activities.TrainingFile, s.name, err)
		}
		title := seeded(s.name)
		r.Losses = append(r.Losses, losses{title, newFigure(t.figure(title), t.table(title))})
	}
	return nil
}

func readTuned(raw []byte, summary json.RawMessage) (t fineTuned, err error) {
	var said struct {
		Validation int              `json:"validation"`
		Best       activities.Check `json:"best"`
	}
	if err := json.Unmarshal(summary, &said); err != nil {
		return t, fmt.Errorf("its summary: %w", err)
	}
	t.held, t.best = said.Validation, said.Best
	n := 0
	for line := range bytes.Lines(raw) {
		n++
		var one struct {
			activities.CurvePoint
			Validation *activities.Check `json:"validation"`
		}
		if err := json.Unmarshal(line, &one); err != nil {
			return t, fmt.Errorf("line %d: %w", n, err)
		}
		if one.Validation != nil {
			t.checks = append(t.checks, *one.Validation)
		} else {
			t.curve = append(t.curve, one.CurvePoint)
		}
	}
	return t, nil
}

func (t fineTuned) figure(title string) chart.Figure {
	last := 0
	train := chart.Series{Name: "training", Color: 0, Line: chart.Plain}
	held := chart.Series{Name: "held-out records", Color: colorWith, Line: chart.Plain, Mark: chart.Dot}
	right := chart.Series{Name: "held-out records, 95 %", Color: colorWith, Mark: chart.Dot}
	for _, p := range t.curve {
		train.Points = append(train.Points, chart.Point{X: float64(p.Step), Y: p.Loss})
		last = max(last, p.Step)
	}
	for _, c := range t.checks {
		held.Points = append(held.Points, chart.Point{X: float64(c.Step), Y: c.Loss})
		low, high := t.interval(c)
		right.Points = append(right.Points, chart.Point{X: float64(c.Step), Y: 100 * c.Exact, Low: 100 * low, High: 100 * high})
		last = max(last, c.Step)
	}
	x := chart.Axis{Title: "step", Whole: true, Max: float64(max(last, 1))}
	return chart.Figure{Title: title, Note: "loss and decisions", Rows: []chart.Row{{Height: 180, Panels: []chart.Panel{
		{X: x, Y: chart.Axis{Title: "loss (nats an answer token)"}, Series: []chart.Series{train, held}},
		{X: x, Y: chart.Axis{Title: "decisions right (%)", Max: 100, Fixed: true}, Series: []chart.Series{right}},
	}}}}
}

// interval is Wilson's of the share of held-out records that are right in every token.
func (t fineTuned) interval(c activities.Check) (low, high float64) {
	return agent.Wilson(int(math.Round(c.Exact*float64(t.held))), t.held)
}

func (t fineTuned) table(title string) table {
	all := table{
		Caption: title + ": validations", Heads: []string{"step", "loss", "decisions right", "95 %", "kept"},
		Note: fmt.Sprintf("Of %s held out. Loss in nats an answer token; a decision is right where every token is the model's first choice.", counted(t.held, "record")),
	}
	for _, c := range t.checks {
		low, high := t.interval(c)
		mark := ""
		if c.Step == t.best.Step {
			mark = "this one"
		}
		all.Rows = append(all.Rows, cells(fmt.Sprint(c.Step), fmt.Sprintf("%.4f", c.Loss), percent(c.Exact), percent(low)+" to "+percent(high), mark))
	}
	return all
}
