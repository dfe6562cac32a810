package hints_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/hints"
)

// leaky is a dataset of real games in which a leak is planted.
type leaky []hints.Record

// game is the span of the records of the i-th game.
func (l leaky) game(i int) []hints.Record {
	from := 0
	for range i {
		from += games(l[from:])
	}
	return l[from : from+games(l[from:])]
}

// games is how many records the first game of l has.
func games(l []hints.Record) int {
	return len(l) - len(slices.DeleteFunc(slices.Clone(l), func(r hints.Record) bool { return r.Game == l[0].Game }))
}

// hint changes H in all given records.
func hint(records []hints.Record, edit func(*hints.Hint)) int {
	for i := range records {
		h := &records[i].H
		h.Source, h.Plan = slices.Clone(h.Source), slices.Clone(h.Plan)
		edit(h)
	}
	return len(records)
}

// Each leak, planted into a dataset of real games, is counted as often as planted, and no other count moves. Where
// the command must not bring a leak of its own it is "look", admissible everywhere and without a digit.
func TestAuditCountsPlantedLeaks(t *testing.T) {
	digits := func(to string) func(leaky) int {
		return func(l leaky) int { return hint(l.game(5), func(h *hints.Hint) { h.Destination = to }) }
	}
	for _, c := range []struct {
		name  string
		leak  hints.Leak
		plant func(leaky) int // how many records it spoils
	}{
		{"H has the command as a step of its plan", hints.HintEqualsCommand, func(l leaky) int {
			l.game(7)[0].Y = "look"
			hint(l.game(7), func(h *hints.Hint) { h.Plan = append(h.Plan, "Look") })
			return 1
		}},
		{"H is the command and nothing else", hints.HintEqualsCommand, func(l leaky) int {
			g := l.game(7)
			for i := range g {
				g[i].Y = "look"
			}
			return hint(g, func(h *hints.Hint) { *h = hints.Hint{Source: []string{}, Plan: []string{"look"}} })
		}},
		{"command inside H", hints.CommandInHint, func(l leaky) int {
			l.game(7)[0].Y = "look"
			hint(l.game(7), func(h *hints.Hint) { h.Device = "first, look; then go on" })
			return 1
		}},
		{"digit", hints.DigitsInHint, digits("cabinet 3")},
		{"full-width digit", hints.DigitsInHint, digits("cabinet ３")},
		{"Arabic-Indic digit", hints.DigitsInHint, digits("cabinet ٣")},
		{"circled digit", hints.DigitsInHint, digits("cabinet ③")},
		{"Roman number sign", hints.DigitsInHint, digits("cabinet Ⅲ")},
		{"ideographic number", hints.DigitsInHint, digits("cabinet 三")},
		{"number word", hints.DigitsInHint, digits("cabinet three")},
		{"PDDL id", hints.DigitsInHint, digits("cabinet_bar__minus_")},
		{"command that is not admissible", hints.CommandNotAdmissible, func(l leaky) int {
			l.game(9)[0].Y = "dance"
			return 1
		}},
		{"other hint in one record", hints.HintDiffers, func(l leaky) int {
			return hint(l.game(3)[2:3], func(h *hints.Hint) { h.Skill = "place and pick" })
		}},
		{"other order of sources in two records", hints.HintDiffers, func(l leaky) int {
			return hint(l.game(3)[1:3], func(h *hints.Hint) { h.Source = append(h.Source, h.Source[0]) })
		}},
		{"no source", hints.SourceMissing, func(l leaky) int {
			return hint(l.game(4), func(h *hints.Hint) { h.Source = []string{} })
		}},
		{"source by the name of none", hints.SourceMissing, func(l leaky) int {
			return hint(l.game(4), func(h *hints.Hint) { h.Source = []string{"none"} })
		}},
		{"other source", hints.SourceMismatched, func(l leaky) int {
			return hint(l.game(4), func(h *hints.Hint) { h.Source = []string{"moon"} })
		}},
		{"one source too many", hints.SourceMismatched, func(l leaky) int {
			return hint(l.game(4), func(h *hints.Hint) { h.Source = append(h.Source, "moon") })
		}},
		{"plan that takes it elsewhere", hints.SourceMismatched, func(l leaky) int {
			return hint(l.game(4), func(h *hints.Hint) { h.Plan = append(h.Plan, "take "+h.Target+" from moon") })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			records := leaky(realRecords(t, env.Search))
			want := map[hints.Leak]int{}
			for _, l := range hints.Leaks {
				want[l] = 0
			}
			want[c.leak] = c.plant(records)
			got, err := hints.RunAudit(all(records))
			if err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(got.Counts, want) {
				t.Errorf("counts %v, want %v; %v", got.Counts, want, got.Err())
			}
			if err := got.Err(); err == nil || !strings.Contains(err.Error(), string(c.leak)) {
				t.Errorf("error %v", err)
			}
			if e := got.Examples[c.leak]; len(e) != min(3, want[c.leak]) || !strings.HasPrefix(e[0], "line ") {
				t.Errorf("examples %q", e)
			}
		})
	}
}

// A whole gold command in the plan of H, as a careless generator would leave it there, is found as such in its own
// record and by its digits in all.
func TestAuditOfUnabstractedPlan(t *testing.T) {
	records := leaky(realRecords(t, env.Search))
	g := records.game(11)
	n := hint(g, func(h *hints.Hint) { h.Plan[0] = g[0].Y })
	got, err := hints.RunAudit(all(records))
	if err != nil {
		t.Fatal(err)
	}
	if got.Counts[hints.HintEqualsCommand] != 1 || got.Counts[hints.DigitsInHint] != n || got.Counts[hints.CommandInHint] != 0 {
		t.Errorf("counts %v, want 1 and %d", got.Counts, n)
	}
}

// Examples name the line, game and step of the first record.
func TestAuditExample(t *testing.T) {
	records := leaky(realRecords(t, env.Search))
	first := len(records) - len(records.game(63))
	records[first].Y = "dance"
	got, err := hints.RunAudit(all(records))
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("line %d, ", first+1) + records[first].Game + " step 1: \"dance\""
	if e := got.Examples[hints.CommandNotAdmissible]; len(e) != 1 || e[0] != want {
		t.Errorf("examples %q, want %q", e, want)
	}
}
