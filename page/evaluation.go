package page

import (
	"context"
	"encoding/json"
	"fmt"
	"html/template"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/internal/chart"
)

// panel is an evaluation's table.
type panel struct {
	Heading string
	Tables  []table
	Notes   []string
}

// played is a row of an evaluation.
type played struct {
	panel        string
	cell         agent.Cell
	trajectories artifacts.Digest
}

// name is the row for people: "unseen: student with H".
func (p played) name() string { return p.panel + ": " + p.cell.Name() }

// evaluation reads the run's report.
func (r *run) evaluation(ctx context.Context) error {
	for _, s := range r.made {
		if s.name != "report" || s.manifest.Kind != artifacts.KindReport {
			continue
		}
		raw, ok, err := r.file(ctx, s.digest, s.manifest, activities.ReportJSONFile)
		if err != nil || !ok {
			return err
		}
		var report agent.Report
		if err := json.Unmarshal(raw, &report); err != nil {
			return fmt.Errorf("%s of report %s: %w", activities.ReportJSONFile, s.digest.Short(), err)
		}
		for _, p := range report.Panels {
			if len(p.Cells) == 0 {
				return fmt.Errorf("%s of report %s: panel %s has no row", activities.ReportJSONFile, s.digest.Short(), p.Name)
			}
			r.Panels = append(r.Panels, newPanel(p))
			for _, c := range p.Cells {
				r.cells = append(r.cells, played{p.Name, c, artifacts.Digest(c.Trajectories)})
			}
		}
	}
	return nil
}

// newPanel is the panel's tables with a picture of the intervals in the first.
func newPanel(p agent.Panel) panel {
	one := panel{Heading: p.Heading(), Notes: p.Notes()}
	for i, t := range p.Tables() {
		shown := table{Caption: t.Caption, Heads: t.Heads}
		switch {
		case i == 0:
			shown.Caption, shown.Heads = "Games won", append(t.Heads[:len(t.Heads):len(t.Heads)], "0 to 100 %")
		case t.Caption == "":
			shown.Caption = "Games won of each family"
		}
		for k, texts := range t.Rows {
			row := cells(texts...)
			if i == 0 {
				row = append(row, cell{Picture: bar(p.Cells[k])})
			}
			shown.Rows = append(shown.Rows, row)
		}
		one.Tables = append(one.Tables, shown)
	}
	return one
}

// The palette's colours for what has help, by a hint or by skills, and what has none.
const (
	colorWith    = 1
	colorWithout = 2
)

func colorOf(with bool) int {
	if with {
		return colorWith
	}
	return colorWithout
}

func bar(c agent.Cell) template.HTML {
	s := c.All
	label := fmt.Sprintf("%s: %s won, 95 %% interval %s to %s", c.Name(), percent(s.Rate), percent(s.Low), percent(s.High))
	return drawn(chart.Bar(s.Rate, s.Low, s.High, colorOf(c.WithHint), label))
}
