package page

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/internal/chart"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/runs"
)

// comparison is several runs side by side.
type comparison struct {
	Gains       table
	Notes       []string // why runs could not be compared, and games left out
	Curves      []figure
	Evaluations []table
	Specs       table
}

func compare(ctx context.Context, store artifacts.Store, all []*run) (*comparison, error) {
	c := &comparison{Specs: specs(all)}
	if err := c.gains(ctx, store, all); err != nil {
		return nil, err
	}
	c.curves(all)
	return c, c.evaluations(ctx, store, all)
}

// gains are what each run has learnt, and how much more the first than each other: what hone compare says.
func (c *comparison) gains(ctx context.Context, store artifacts.Store, all []*run) error {
	c.Gains = table{
		Caption: "Learnt by reinforcement", Heads: []string{"run", "games", "seeds", "skills", "before", "after", "step", "gain", all[0].Name + " beside it"},
		Note: "Shares of the validation panel's games. Gains and differences in percentage points, with Student's interval of 95 % over the games, each compared with itself: as hone compare has them.",
	}
	for i, r := range all {
		if len(r.Trainings) == 0 {
			continue
		}
		row := cells(r.Name, "–", "–", "–", "–", "–", "–", "–", "–")
		own, err := runs.Compare(ctx, store, r.Name)
		if err != nil && !absent(err) {
			return err
		}
		if err != nil {
			c.Notes = append(c.Notes, sentence(err))
		} else {
			one := own.Runs[0]
			row = cells(r.Name, fmt.Sprint(one.Gain.Games), fmt.Sprint(one.Seeds), with(one.Skills), percent(one.Before), percent(one.After), fmt.Sprint(one.Step), points(one.Gain), "–")
			c.left(r.Name, own.LeftOut)
		}
		if i > 0 && err == nil && len(all[0].Trainings) > 0 {
			beside, err := runs.Compare(ctx, store, all[0].Name, r.Name)
			if err != nil && !absent(err) {
				return err
			}
			if err != nil {
				c.Notes = append(c.Notes, sentence(err))
			} else {
				row[8].Text = points(*beside.More)
				c.left(all[0].Name+" beside "+r.Name, beside.LeftOut)
			}
		}
		row[0].Href = "#" + r.ID
		c.Gains.Rows = append(c.Gains.Rows, row)
	}
	slices.Sort(c.Notes)
	c.Notes = slices.Compact(c.Notes)
	return nil
}

func sentence(err error) string { return "Not compared: " + err.Error() + "." }

// left notes games that are left out of a comparison.
func (c *comparison) left(what string, games []string) {
	if len(games) > 0 {
		first, more := some(games, mostInputs)
		text := fmt.Sprintf("%s: left out, since somewhere all episodes were lost: %s", what, strings.Join(first, ", "))
		if more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		c.Notes = append(c.Notes, text+".")
	}
}

// points is a difference in percentage points.
func points(d lineage.Difference) string {
	return fmt.Sprintf("%+.1f points (%.1f to %.1f)", 100*d.Mean, 100*d.Low, 100*d.High)
}

// curves are what the runs' policies won of panels of the same name, with skills and without, a picture each.
func (c *comparison) curves(all []*run) {
	type kind struct {
		panel string
		with  bool
	}
	series, last := map[kind][]chart.Series{}, 1
	for i, r := range all {
		for _, t := range r.Trainings {
			if t.learning == nil {
				continue
			}
			name := r.Name
			if t.Title != runs.GRPO {
				name += ", " + t.Title
			}
			one := map[kind]*chart.Series{}
			for _, p := range t.learning.Validations {
				if p.Count == 0 {
					continue
				}
				k := kind{p.Panel, p.With}
				if one[k] == nil {
					one[k] = &chart.Series{Name: name, Color: 1 + i, Line: chart.Plain, Mark: chart.Dot, Shift: float64(4 * len(series[k]))}
				}
				low, high := agent.Wilson(p.Won, p.Count)
				one[k].Points = append(one[k].Points, chart.Point{X: float64(p.Step), Y: 100 * float64(p.Won) / float64(p.Count), Low: 100 * low, High: 100 * high})
				last = max(last, p.Step)
			}
			for k, s := range one {
				series[k] = append(series[k], *s)
			}
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(series), func(a, b kind) int {
		return cmp.Or(strings.Compare(a.panel, b.panel), strings.Compare(with(a.with), with(b.with)))
	}) {
		c.Curves = append(c.Curves, *newFigure(chart.Figure{
			Title: fmt.Sprintf("Won of panel %s, %s skills", or(k.panel), with(k.with)), Note: "with intervals of 95 %",
			Rows: []chart.Row{{Height: 220, Panels: []chart.Panel{{
				X: chart.Axis{Title: "step", Whole: true, Max: float64(last)}, Y: chart.Axis{Title: "episodes won (%)", Max: 100, Fixed: true}, Series: series[k],
			}}}},
		}))
	}
}

// evaluations are the rows that several runs have of the same panel, with the difference of the first from each other.
func (c *comparison) evaluations(ctx context.Context, store artifacts.Store, all []*run) error {
	var names []string
	rows := map[string][]*played{} // by name, of each run
	for i, r := range all {
		for k := range r.cells {
			p := &r.cells[k]
			if rows[p.name()] == nil {
				names = append(names, p.name())
				rows[p.name()] = make([]*played, len(all))
			}
			rows[p.name()][i] = p
		}
	}
	for _, name := range names {
		one := table{Caption: name, Heads: []string{"run", "won", "rate", "95 %", "0 to 100 %", all[0].Name + " beside it"}}
		first := rows[name][0]
		for i, p := range rows[name] {
			if p == nil {
				one.Rows = append(one.Rows, cells(all[i].Name, "–", "–", "–", "–", "–"))
				continue
			}
			s := p.cell.All
			row := cells(all[i].Name, fmt.Sprintf("%d/%d", s.Won, s.Games), percent(s.Rate), percent(s.Low)+" to "+percent(s.High), "", "–")
			row[4].Picture = bar(p.cell)
			if i > 0 && first != nil {
				text, err := beside(ctx, store, first, p)
				if err != nil {
					return fmt.Errorf("%s of run %s: %w", name, all[i].Name, err)
				}
				row[5].Text = text
			}
			one.Rows = append(one.Rows, row)
		}
		c.Evaluations = append(c.Evaluations, one)
	}
	return nil
}

// beside is how much more of its games one row has won than another of the same conditions, or why that cannot be said.
func beside(ctx context.Context, store artifacts.Store, one, other *played) (string, error) {
	if one.cell.Conditions != other.cell.Conditions || one.cell.Played != other.cell.Played {
		return "played under other conditions", nil
	}
	var shares [2]lineage.Shares
	for i, p := range []*played{one, other} {
		m, err := artifacts.GetManifest(ctx, store, p.trajectories)
		if err != nil {
			return "", err
		}
		shares[i] = lineage.Shares{}
		for t, err := range trajectoriesOf(ctx, store, m.Outputs[0].Digest) {
			if err != nil {
				return "", err
			}
			shares[i][t.Game] = 0
			if t.Outcome.Won {
				shares[i][t.Game] = 1
			}
		}
	}
	d, err := lineage.Between(shares[1], shares[0])
	if err != nil {
		return err.Error(), nil // too few games
	}
	return points(d), nil
}

// specs are the fields in which the runs' specs differ.
func specs(all []*run) table {
	one := table{Caption: "What differs in the specs", Heads: []string{"field"}}
	fields := map[string][]string{}
	for i, r := range all {
		one.Heads = append(one.Heads, r.Name)
		in := json.NewDecoder(bytes.NewReader(r.spec))
		in.UseNumber()
		var v any
		if err := in.Decode(&v); err != nil {
			continue // it has been indented, so it is JSON
		}
		flatten("", v, func(field, value string) {
			if fields[field] == nil {
				fields[field] = make([]string, len(all))
			}
			fields[field][i] = value
		})
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		values := fields[field]
		if len(slices.Compact(slices.Clone(values))) == 1 {
			continue
		}
		row := cells(field)
		for _, v := range values {
			row = append(row, cell{Text: clipped(or(v), 300)})
		}
		one.Rows = append(one.Rows, row)
	}
	if len(one.Rows) == 0 {
		one.Note = "Nothing."
	}
	return one
}

// flatten tells the leaves of JSON by the names of their fields.
func flatten(at string, v any, tell func(field, value string)) {
	switch v := v.(type) {
	case map[string]any:
		for name, field := range v {
			flatten(strings.TrimPrefix(at+"."+name, "."), field, tell)
		}
	case []any:
		for i, part := range v {
			flatten(fmt.Sprintf("%s[%d]", at, i), part, tell)
		}
	default:
		raw, err := json.Marshal(v)
		if err != nil {
			raw = fmt.Append(nil, v)
		}
		tell(at, string(raw))
	}
}
