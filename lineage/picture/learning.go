// Package picture draws how a training went, and a lineage, as hone's commands and pages show them.
package picture

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/internal/chart"
	"github.com/hone-rl/hone/lineage"
)

// MeanSteps is how many steps the mean of the share of episodes won goes over.
const MeanSteps = 10

// Colours of the palette.
const (
	colorTrain = iota
	colorWith
	colorWithout
	colorLibrary
	colorUtility
	colorKL
	colorEntropy
)

// learning is a training as it is drawn.
type learning struct{ *lineage.Learning }

// Learning is the picture of a training, finished or so far.
func Learning(title string, finished bool, l *lineage.Learning) chart.Figure {
	r := learning{l}
	last := 0
	for _, s := range r.Steps {
		last = max(last, s.Step)
	}
	for _, p := range r.Validations {
		last = max(last, p.Step)
	}
	note := fmt.Sprintf("%s of GRPO", counted(len(r.Steps), "step"))
	if !finished {
		note += " so far"
	}
	x := chart.Axis{Title: "step", Whole: true, Max: float64(max(last, 1))}
	f := chart.Figure{Title: title, Note: note, Rows: []chart.Row{{Height: 260, Panels: []chart.Panel{{
		X: x, Y: chart.Axis{Title: "episodes won (%)", Max: 100, Fixed: true},
		Series: append(r.won(), r.panels()...),
	}}}}}
	var below []chart.Panel
	for _, small := range []struct {
		title string
		whole bool
		color int
		of    func(lineage.LearningStep) (float64, bool)
	}{
		{"skills in the library", true, colorLibrary, func(s lineage.LearningStep) (float64, bool) {
			if s.Skills == nil {
				return 0, false
			}
			return float64(*s.Skills), true
		}},
		{"mean utility of skills", false, colorUtility, func(s lineage.LearningStep) (float64, bool) { return given(s.Utility) }},
		{"KL to the start (nats a token)", false, colorKL, func(s lineage.LearningStep) (float64, bool) { return given(s.KL) }},
		{"entropy (nats a token)", false, colorEntropy, func(s lineage.LearningStep) (float64, bool) { return given(s.Entropy) }},
	} {
		line := chart.Series{Color: small.color, Line: chart.Plain}
		for _, s := range r.Steps {
			if y, ok := small.of(s); ok {
				line.Points = append(line.Points, chart.Point{X: float64(s.Step), Y: y})
			}
		}
		if len(line.Points) > 0 {
			below = append(below, chart.Panel{X: x, Y: chart.Axis{Title: small.title, Whole: small.whole}, Series: []chart.Series{line}})
		}
	}
	for pair := range slices.Chunk(below, 2) {
		f.Rows = append(f.Rows, chart.Row{Height: 110, Panels: pair})
	}
	return f
}

func given(y *float64) (float64, bool) {
	if y == nil {
		return 0, false
	}
	return *y, true
}

// won is the share of episodes won, of each step and its mean over the last so many: won episodes of all episodes.
func (r learning) won() []chart.Series {
	each := chart.Series{Name: "training, each step", Color: colorTrain, Line: chart.Thin}
	mean := chart.Series{Name: fmt.Sprintf("training, mean of %d steps", MeanSteps), Color: colorTrain, Line: chart.Thick}
	for i, s := range r.Steps {
		if s.Episodes == 0 {
			continue // all were excluded
		}
		x := float64(s.Step)
		each.Points = append(each.Points, chart.Point{X: x, Y: percent(s.Won, s.Episodes)})
		won, episodes := 0, 0
		for _, before := range r.Steps[max(0, i+1-MeanSteps) : i+1] {
			won, episodes = won+before.Won, episodes+before.Episodes
		}
		mean.Points = append(mean.Points, chart.Point{X: x, Y: percent(won, episodes)})
	}
	return []chart.Series{each, mean}
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(whole) }

// panels are the validations, a series for each panel with retrieval and without.
func (r learning) panels() []chart.Series {
	type kind struct {
		panel string
		with  bool
	}
	points := map[kind][]chart.Point{}
	for _, v := range r.Validations {
		if v.Count == 0 {
			continue
		}
		low, high := agent.Wilson(v.Won, v.Count)
		k := kind{v.Panel, v.With}
		points[k] = append(points[k], chart.Point{X: float64(v.Step), Y: percent(v.Won, v.Count), Low: 100 * low, High: 100 * high})
	}
	var kinds []kind
	for k := range points {
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b kind) int {
		if c := cmp.Compare(a.panel, b.panel); c != 0 || a.with == b.with {
			return c
		}
		if a.with {
			return -1
		}
		return 1
	})
	var all []chart.Series
	for i, k := range kinds {
		s := chart.Series{Name: "validation", Color: colorWithout, Mark: chart.Ring, Points: points[k], Shift: 3}
		if k.panel != "" {
			s.Name = k.panel
		}
		if k.with {
			s.Name, s.Color, s.Mark, s.Shift = s.Name+" with retrieval", colorWith, chart.Dot, -3
		} else {
			s.Name += " without"
		}
		s.Shift += float64(6 * (i / 2)) // further panels stand beside the first
		slices.SortStableFunc(s.Points, func(a, b chart.Point) int { return cmp.Compare(a.X, b.X) })
		all = append(all, s)
	}
	return all
}
