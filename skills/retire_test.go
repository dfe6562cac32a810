package skills_test

import (
	"testing"

	"github.com/hone-rl/hone/skills"
)

func TestRetirement(t *testing.T) {
	used := func(name string, utility float64, count, selected int) skills.Entry {
		e := entry(name, .5, utility, count)
		e.Skill.Selected = selected
		return e
	}
	bank := func(entries ...skills.Entry) []skills.Entry { return entries }
	for _, c := range []struct {
		name     string
		rule     skills.Retirement
		capacity int
		bank     []skills.Entry
		births   string
		want     string
	}{
		{"room left", "", 4, bank(used("A", .1, 1, 0), used("B", .1, 1, 0)), "N", "ABN"},
		{"full to the last place", "", 3, bank(used("A", .1, 1, 0), used("B", .1, 1, 0)), "N", "ABN"},
		{"a newborn beats what is worth less than 0.5", "", 2, bank(used("A", .2, 3, 0), used("B", .9, 9, 0)), "N", "BN"}, // .4
		{"and goes at once among what is worth more", "", 2, bank(used("A", .3, 3, 0), used("B", .9, 9, 0)), "N", "AB"},   // .6
		{"of equals the older goes", "", 2, bank(used("A", .25, 3, 0), used("B", .25, 3, 0)), "N", "BN"},                  // .5 all
		{"a useful one that is often used outlives", "", 1, bank(used("A", .51, 1, 0)), "N", "A"},
		{"two at once, the worst first", "", 2, bank(used("A", .3, 1, 0), used("B", .2, 1, 0)), "MN", "MN"},
		{"newborns among themselves", "", 1, nil, "MN", "N"},
		{"no birth, nobody goes", "", 2, bank(used("A", 0, 1, 0), used("B", 0, 1, 0)), "", "AB"},
		{"selected_log: never selected", "selected_log", 2, bank(used("A", .1, 9, 2), used("B", .9, 9, 0)), "N", "AN"},
		{"selected_log: once is worth 0", "selected_log", 2, bank(used("A", .1, 9, 2), used("B", .9, 9, 1)), "N", "AN"},
		{"selected_log: U·log n", "selected_log", 2, bank(used("A", .6, 9, 8), used("B", .75, 9, 5)), "N", "AN"}, // 1.248, 1.207
		{"selected_log: newborns alone", "selected_log", 1, bank(used("A", .9, 9, 8)), "MN", "N"},
		{"lowest_utility", "lowest_utility", 2, bank(used("A", .6, 1, 0), used("B", .49, 99, 0)), "N", "AN"},
		{"lowest_utility: the newborn", "lowest_utility", 2, bank(used("A", .6, 1, 0), used("B", .51, 1, 0)), "N", "AB"},
		{"oldest", "oldest", 2, bank(used("A", .9, 99, 9), used("B", .1, 1, 0)), "N", "BN"},
		{"least_used", "least_used", 2, bank(used("A", .1, 9, 0), used("B", .9, 2, 0)), "N", "AN"},
		{"least_used: of equals the older", "least_used", 2, bank(used("A", .9, 2, 0), used("B", .1, 2, 0)), "N", "BN"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var e skills.Episode
			for _, name := range c.births {
				e.Births = append(e.Births, birth(string(name), .5))
			}
			before := library(t, skills.Rules{Capacity: c.capacity, Retire: c.rule}, c.bank...)
			l, changes := take(t, before, e)
			if names(l) != c.want {
				t.Errorf("got %q, want %q", names(l), c.want)
			}
			if f := changes.Figures(); f.Retired != before.Len()+len(c.births)-len(c.want) {
				t.Errorf("figures %+v", f)
			}
		})
	}
}

// Retirement waits for the end of the step: a skill above the capacity is still updated by the step's later episodes,
// and may be saved by them.
func TestRetirementWaits(t *testing.T) {
	l := library(t, skills.Rules{Capacity: 1, Rate: 1}, entry("A", .8, .1, 1))
	next, _ := take(
		t, l,
		skills.Episode{Place: skills.Place{Task: 0}, Births: []skills.Birth{birth("N", .5)}},
		skills.Episode{Place: skills.Place{Task: 1}, Retrieved: []skills.ID{idOf("A")}, Target: 1},
	)
	if names(next) != "A" {
		t.Errorf("got %q, want A, now worth 1·log2 3", names(next))
	}
}
