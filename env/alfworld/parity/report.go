package parity

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/hone-rl/hone/env/alfworld"
)

// Report is what a comparison came to. It holds no times.
type Report struct {
	Games, Rows int
	Won         int // games that were won on the way
	Refused     int // commands
	Families    map[string]Count
	Verbs       map[string]int // commands taken, by first word
	Found       []Found        // in the order of the games
}

// Count is games and rows.
type Count struct{ Games, Rows int }

func newReport() *Report {
	return &Report{Families: map[string]Count{}, Verbs: map[string]int{}}
}

func (r *Report) add(g Drawn, o outcome) {
	r.Games++
	r.Rows += len(o.rows)
	c := r.Families[g.Family]
	r.Families[g.Family] = Count{c.Games + 1, c.Rows + len(o.rows)}
	won := false
	for i, row := range o.rows {
		won = won || row.Won
		switch {
		case i == 0:
		case row.Moves == o.rows[i-1].Moves:
			r.Refused++
		default:
			r.Verbs[Verb(strings.TrimSpace(o.commands[i-1]))]++
		}
	}
	if won {
		r.Won++
	}
	if o.found != nil {
		r.Found = append(r.Found, *o.found)
	}
}

// Write prints the tables and every difference as a script.
func (r *Report) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-32s %6s %7s\n", "family", "games", "rows")
	for _, f := range append(slices.Clone(alfworld.Families), alfworld.FamilyOther) {
		if c, ok := r.Families[f]; ok {
			fmt.Fprintf(&b, "%-32s %6d %7d\n", f, c.Games, c.Rows)
		}
	}
	fmt.Fprintf(&b, "%-32s %6d %7d\n", "in all", r.Games, r.Rows)
	fmt.Fprintf(&b, "won on the way: %d games\n", r.Won)
	fmt.Fprintf(&b, "taken:")
	for _, v := range slices.SortedFunc(maps.Keys(r.Verbs), func(a, c string) int {
		if r.Verbs[a] != r.Verbs[c] {
			return r.Verbs[c] - r.Verbs[a]
		}
		return strings.Compare(a, c)
	}) {
		fmt.Fprintf(&b, " %s %d,", v, r.Verbs[v])
	}
	fmt.Fprintf(&b, " refused %d\n", r.Refused)
	for _, f := range r.Found {
		f.write(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (f Found) write(b *strings.Builder) {
	fmt.Fprintf(b, "\ndifference in game %s\n", f.Game)
	for _, c := range f.Commands {
		fmt.Fprintf(b, "  > %q\n", c)
	}
	fmt.Fprintf(b, "  step %d, %s\n  ALFWorld's: %s\n  ours:       %s\n", f.Step, f.Field, f.Want, f.Got)
	if f.Folder != "" {
		fmt.Fprintf(b, "  kept in %s: copied to env/alfworld/testdata/parity it is a test\n", f.Folder)
	}
}
