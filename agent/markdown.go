package agent

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Markdown is the report for people: each panel as a table of all its games, one of its families (won of games),
// and what it was played under.
func (r Report) Markdown() string {
	var b strings.Builder
	for i, p := range r.Panels {
		if i > 0 {
			b.WriteByte('\n')
		}
		p.markdown(&b)
	}
	return b.String()
}

func (p Panel) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "## %s\n\n", p.Heading())
	for i, t := range p.Tables() {
		switch {
		case t.Caption != "":
			fmt.Fprintf(b, "\n%s:\n\n", t.Caption)
		case i > 0:
			b.WriteByte('\n')
		}
		row(b, t.Heads...)
		b.WriteString("|" + strings.Repeat("---|", len(t.Heads)) + "\n")
		for _, fields := range t.Rows {
			row(b, fields...)
		}
	}
	for _, note := range p.Notes() {
		fmt.Fprintf(b, "\n%s\n", note)
	}
}

// Table is a table for people.
type Table struct {
	Caption string // "" where the panel's heading says all
	Heads   []string
	Rows    [][]string // as long as Heads, each
}

// Heading is what the panel is of: "unseen: 60 games, all six families".
func (p Panel) Heading() string {
	return fmt.Sprintf("%s: %d games, %s", p.Name, p.Cells[0].All.Games, p.Label)
}

// Tables are the panel for people: all its games, with a row for each cell; where there are several families the games won
// of each, with the same rows; and where there are seeds the rows over all of them.
func (p Panel) Tables() []Table {
	all := Table{Heads: append(p.heads(), "won", "rate", "95 %", "steps", "exact", "template", "failures")}
	for _, c := range p.Cells {
		all.Rows = append(all.Rows, append(p.of(c), fmt.Sprintf("%d/%d", c.All.Won, c.All.Games), percent(c.All.Rate),
			percent(c.All.Low)+" to "+percent(c.All.High), steps(c.All),
			matched(c.All, c.All.Exact), matched(c.All, c.All.Template), failures(c.All)))
	}
	tables := []Table{all}
	families := p.Cells[0].families()
	if len(families) > 1 {
		each := Table{Heads: append(p.heads(), families...)}
		for _, c := range p.Cells {
			fields := p.of(c)
			for _, f := range families {
				s := c.Families[f]
				fields = append(fields, fmt.Sprintf("%d/%d", s.Won, s.Games))
			}
			each.Rows = append(each.Rows, fields)
		}
		tables = append(tables, each)
	}
	if len(p.Spread) > 0 {
		tables = append(tables, p.spread(families))
	}
	return tables
}

// Notes are what the tables' words mean and what they were played under, a paragraph each.
func (p Panel) Notes() []string {
	var conditions strings.Builder
	for i, c := range p.Cells[0].Conditions.list() {
		if c.value == "" && c.name == "dtype" {
			continue
		}
		if i > 0 {
			conditions.WriteString("; ")
		}
		fmt.Fprintf(&conditions, "%s %s", c.name, c.value)
	}
	digits, commands := 0, 0
	for _, c := range p.Cells {
		digits += c.All.HintDigits
		commands += c.All.HintCommands
	}
	return []string{
		"steps: mean of won games. exact, template: choices equal to the oracle's, word for word and by types.\n" +
			"Every failure counts in the rate; those by a limit, the clock or the model's positions are named.",
		fmt.Sprintf("Conditions: %s.\nHints that held a digit: %d; a command then chosen: %d.", &conditions, digits, commands),
	}
}

// heads are the columns that say which row it is; of are a cell's own.
func (p Panel) heads() []string {
	if len(p.Spread) > 0 {
		return []string{"model", "seed", "H"}
	}
	return []string{"model", "H"}
}

func (p Panel) of(c Cell) []string {
	if len(p.Spread) == 0 {
		return []string{c.Model, yesNo(c.WithHint)}
	}
	seed := "–"
	if c.Seed != 0 {
		seed = strconv.FormatUint(c.Seed, 10)
	}
	return []string{c.Model, seed, yesNo(c.WithHint)}
}

// spread is the table over seeds: all games, then each family.
func (p Panel) spread(families []string) Table {
	if len(families) < 2 {
		families = nil
	}
	t := Table{
		Caption: "Over the seeds, mean ± standard deviation of the sample of the shares of won games",
		Heads:   append([]string{"model", "H", "seeds", "rate", "least to most"}, families...),
	}
	for _, s := range p.Spread {
		fields := []string{
			s.Model, yesNo(s.WithHint), strconv.Itoa(len(s.Seeds)), varied(s.All, s.Seeds),
			percent(s.All.Least) + " to " + percent(s.All.Most),
		}
		for _, f := range families {
			fields = append(fields, varied(s.Families[f], s.Seeds))
		}
		t.Rows = append(t.Rows, fields)
	}
	return t
}

func varied(v Varied, seeds []uint64) string {
	if len(seeds) < 2 {
		return percent(v.Mean)
	}
	return fmt.Sprintf("%.1f ± %s", 100*v.Mean, percent(v.Deviation))
}

func row(b *strings.Builder, fields ...string) {
	b.WriteString("| " + strings.Join(fields, " | ") + " |\n")
}

func yesNo(yes bool) string {
	if yes {
		return "with"
	}
	return "without"
}

func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

func steps(s Score) string {
	if s.Won == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", s.MeanSteps)
}

func matched(s Score, x float64) string {
	if s.Decisions == 0 {
		return "–"
	}
	return percent(x)
}

func failures(s Score) string {
	var parts []string
	for _, cause := range slices.Sorted(maps.Keys(s.Failures)) {
		parts = append(parts, fmt.Sprintf("%s %d", cause, s.Failures[cause]))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}
