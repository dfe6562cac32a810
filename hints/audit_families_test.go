package hints_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/hints"
)

// ofEachFamily are the records of a golden game of each family, in the words of both vintages.
func ofEachFamily(t *testing.T, cfg hints.GenerateConfig) map[string][]hints.Record {
	t.Helper()
	files := goldenFiles(t)
	byFamily := map[string][]hints.Record{}
	for _, game := range golden(t) {
		if byFamily[game.Family()+" new"] != nil {
			continue
		}
		for age, g := range map[string]env.Game{" new": game, " old": older(t, game.ID(), files[game.ID()])} {
			ordinary := generated(t, g, cfg)
			back, failed := hints.Recover(t.Context(), g, ordinary, cfg)
			if len(failed) > 0 {
				t.Fatal(failed)
			}
			byFamily[game.Family()+age] = slices.Concat(ordinary, back)
		}
	}
	if len(byFamily) != 12 {
		t.Fatalf("games of %v, want six families in both vintages", slices.Sorted(maps.Keys(byFamily)))
	}
	return byFamily
}

func counts(t *testing.T, records []hints.Record) map[hints.Leak]int {
	t.Helper()
	a, err := hints.RunAudit(all(records))
	if err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(a.Counts, func(_ hints.Leak, n int) bool { return n == 0 })
	return a.Counts
}

// In every family and both vintages, an instance in any part of H, and a command in its plan, is found in all records
// of the game, those of detours too.
func TestAuditOfEveryFamily(t *testing.T) {
	cfg := recovering(hints.Recovery{PerGame: 2, Seed: 1})
	for name, records := range ofEachFamily(t, cfg) {
		t.Run(name, func(t *testing.T) {
			if got := counts(t, records); len(got) > 0 {
				t.Fatalf("leaks %v, want none", got)
			}
			n := len(records)
			plant := func(edit func(*hints.Hint)) []hints.Record {
				spoilt := slices.Clone(records)
				hint(spoilt, edit)
				return spoilt
			}
			h := records[0].H
			for _, c := range []struct {
				name string
				is   bool
				edit func(*hints.Hint)
			}{
				{"target", true, func(h *hints.Hint) { h.Target += " 1" }},
				{"device", h.Device != "", func(h *hints.Hint) { h.Device += " 1" }},
				{"destination", h.Destination != "", func(h *hints.Hint) { h.Destination += " 2" }},
			} {
				if got := counts(t, plant(c.edit)); c.is && got[hints.DigitsInHint] != n {
					t.Errorf("an instance in the %s: counts %v, want %d digits", c.name, got, n)
				}
			}
			for i := range h.Source {
				got := counts(t, plant(func(h *hints.Hint) { h.Source[i] += " 1" }))
				if len(got) != 2 || got[hints.DigitsInHint] != n || got[hints.SourceMismatched] != n {
					t.Errorf("an instance in source %d: counts %v, want %d digits and mismatches", i, got, n)
				}
			}
			for i, step := range h.Plan {
				gold := slices.IndexFunc(records, func(r hints.Record) bool { return r.Detour == 0 && agent.Template(r.Y) == step })
				y := records[gold].Y
				same := 0
				for _, r := range records {
					if r.Y == y {
						same++
					}
				}
				got := counts(t, plant(func(h *hints.Hint) { h.Plan[i] = y }))
				if got[hints.DigitsInHint] != n || got[hints.HintEqualsCommand] != same {
					t.Errorf("%q in the plan: counts %v, want %d digits and %d commands", y, got, n, same)
				}
				got = counts(t, plant(func(h *hints.Hint) { h.Plan[i] = "then " + y + " quickly" }))
				if got[hints.DigitsInHint] != n || got[hints.CommandInHint] != same {
					t.Errorf("%q inside the plan: counts %v, want %d digits and %d commands", y, got, n, same)
				}
			}
		})
	}
}

// The records of detours are held to H, too; where they take the target from is not H's to say.
func TestAuditOfDetours(t *testing.T) {
	cfg := recovering(hints.Recovery{PerGame: 2, Seed: 1})
	for name, records := range ofEachFamily(t, cfg) {
		first := slices.IndexFunc(records, func(r hints.Record) bool { return r.Detour == 1 })
		for _, c := range []struct {
			name string
			edit func([]hints.Record) []hints.Record
			want map[hints.Leak]int
		}{
			{"another hint on one way back", func(all []hints.Record) []hints.Record {
				hint(all[first:first+1], func(h *hints.Hint) { h.Skill = "place and pick" })
				return all
			}, map[hints.Leak]int{hints.HintDiffers: 1}},
			{"a command that is not on offer", func(all []hints.Record) []hints.Record {
				all[first].Y = "dance"
				return all
			}, map[hints.Leak]int{hints.CommandNotAdmissible: 1}},
			{"a target that the detour has carried elsewhere", func(all []hints.Record) []hints.Record {
				all[first].Y = "take " + all[first].H.Target + " 1 from moon 1"
				all[first].X.Admissible = []string{all[first].Y}
				return all
			}, map[hints.Leak]int{}},
			{"the same on the plan itself", func(all []hints.Record) []hints.Record {
				all[0].Y = "take " + all[0].H.Target + " 1 from moon 1"
				all[0].X.Admissible = []string{all[0].Y}
				return all
			}, map[hints.Leak]int{hints.SourceMismatched: len(records)}},
			{"no plan to detour from", func(all []hints.Record) []hints.Record {
				return all[first:]
			}, map[hints.Leak]int{hints.SourceMismatched: len(records) - first}},
		} {
			if got := counts(t, c.edit(slices.Clone(records))); !maps.Equal(got, c.want) {
				t.Errorf("%s: %s: counts %v, want %v", name, c.name, got, c.want)
			}
		}
		lines, err := hints.Lines(records)
		if err != nil || !strings.Contains(string(lines), `"detour":1,"astray":["`) {
			t.Errorf("%s: %v, want lines with detours", name, err)
		}
	}
}
