package agent

import (
	"fmt"
	"maps"
	"slices"
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
	fmt.Fprintf(b, "## %s: %d games, %s\n\n", p.Name, p.Cells[0].All.Games, p.Label)
	table(b, []string{"model", "H", "won", "rate", "95 %", "steps", "exact", "template", "failures"})
	for _, c := range p.Cells {
		row(b, c.Model, yesNo(c.WithHint), fmt.Sprintf("%d/%d", c.All.Won, c.All.Games), percent(c.All.Rate),
			percent(c.All.Low)+" to "+percent(c.All.High), steps(c.All),
			matched(c.All, c.All.Exact), matched(c.All, c.All.Template), failures(c.All))
	}
	families := p.Cells[0].families()
	if len(families) > 1 {
		b.WriteByte('\n')
		table(b, append([]string{"model", "H"}, families...))
		for _, c := range p.Cells {
			fields := []string{c.Model, yesNo(c.WithHint)}
			for _, f := range families {
				s := c.Families[f]
				fields = append(fields, fmt.Sprintf("%d/%d", s.Won, s.Games))
			}
			row(b, fields...)
		}
	}
	b.WriteString("\nsteps: mean of won games. exact, template: choices equal to the oracle's, word for word and by types.\n")
	b.WriteString("Every failure counts in the rate; those by a limit, the clock or the model's positions are named.\n\nConditions: ")
	for i, c := range p.Cells[0].Conditions.list() {
		if c.value == "" && c.name == "dtype" {
			continue
		}
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(b, "%s %s", c.name, c.value)
	}
	digits, commands := 0, 0
	for _, c := range p.Cells {
		digits += c.All.HintDigits
		commands += c.All.HintCommands
	}
	fmt.Fprintf(b, ".\nHints that held a digit: %d; a command then chosen: %d.\n", digits, commands)
}

func table(b *strings.Builder, heads []string) {
	row(b, heads...)
	b.WriteString("|" + strings.Repeat("---|", len(heads)) + "\n")
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
