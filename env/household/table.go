package household

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Row is one line of the table of two difficulties.
type Row struct {
	What       string
	Real, Ours Quartiles
}

// Rows pairs what can be compared by quartiles, in the order of the table.
func Rows(theirs, ours Difficulty) []Row {
	return []Row{
		{"receptacles named in the opening text", theirs.Receptacles, ours.Receptacles},
		{"things that can be picked up", theirs.Things, ours.Things},
		{"admissible commands at the start", theirs.Start, ours.Start},
		{"admissible commands along straight plans", theirs.Along, ours.Along},
		{"commands of the straight plan", theirs.Straight, ours.Straight},
		{"commands of the searching plan", theirs.Search, ours.Search},
		{"receptacles of the source's kind", theirs.Sources, ours.Sources},
		{"receptacles that open, %", theirs.Openable, ours.Openable},
	}
}

// Table puts the difficulty of ALFWorld's games and of ours side by side: median and, in brackets, the quartiles.
func Table(theirs, ours Difficulty) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	cell := func(q Quartiles) string { return fmt.Sprintf("%.0f (%.0f–%.0f)", q.Median, q.Lower, q.Upper) }
	lines := [][3]string{{"median (quartiles)", "ALFWorld", "household"}, {"games", fmt.Sprint(theirs.Games), fmt.Sprint(ours.Games)}}
	for _, row := range Rows(theirs, ours) {
		lines = append(lines, [3]string{row.What, cell(row.Real), cell(row.Ours)})
	}
	lines = append(lines, [3]string{"games with a shared place, %", fmt.Sprintf("%.0f", theirs.Shared), fmt.Sprintf("%.0f", ours.Shared)})
	for _, line := range lines {
		fmt.Fprintf(w, "%s\t%s\t%s\n", line[0], line[1], line[2])
	}
	_ = w.Flush() // a strings.Builder takes everything
	return out.String()
}
