package skills_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/skills"
)

// Changes that are not what the rules give of this library are refused, whatever else is right.
func TestApplyRefuses(t *testing.T) {
	// The changes of busy, in their order: 0 A+ 1 B+ 2 born D | 3 B 4 A (or 4, 3: by id) | 5 C | 6 A 7 C 8 T into A | 9 born E | 10 retired.
	first, second := 0, 1
	if idOf("B") < idOf("A") {
		first, second = 1, 0
	}
	for _, c := range []struct {
		name string
		edit func(*skills.Changes)
		want string
	}{
		{"step", func(c *skills.Changes) { c.Step++ }, "step: 2, expected 1"},
		{"before", func(c *skills.Changes) { c.Before = artifacts.Of(nil) }, "before: sha256:e3b0"},
		{"after", func(c *skills.Changes) { c.After = artifacts.Of(nil) }, "after: sha256:e3b0"},
		{"no after", func(c *skills.Changes) { c.After = "" }, "after: , expected sha256:"},
		{"unknown id", func(c *skills.Changes) { updated(c, 0).ID = "skill-0000000000000000" }, `change 1: "skill-0000000000000000": no such skill`},
		{"no id", func(c *skills.Changes) { updated(c, 0).ID = "A" }, `change 1: id "A": expected skill-`},
		{"id twice", func(c *skills.Changes) { c.List = append([]skills.Change{c.List[0]}, c.List...) }, "change 2: " + string(min(idOf("A"), idOf("B"))) + " is updated twice"},
		{"order of ids", func(c *skills.Changes) { c.List[0], c.List[1] = c.List[1], c.List[0] }, "expected the order of ids"},
		{"order of places", func(c *skills.Changes) { c.List[0], c.List[5] = c.List[5], c.List[0] }, "change 2: task 0, rollout 0 behind task 1, rollout 0"},
		{"place", func(c *skills.Changes) { updated(c, 0).Rollout = -1 }, "change 1: rollout: -1"},
		{"before of a skill", func(c *skills.Changes) { updated(c, first).Before = .4 }, "before 0.4, expected its utility, 0.5"},
		{"after of a skill", func(c *skills.Changes) { updated(c, first).After += 1e-15 }, "expected 0.6499999999999999 by the rule"},
		{"target", func(c *skills.Changes) { updated(c, first).Target = .5 }, "expected 0.5 by the rule"},
		{"target above 1", func(c *skills.Changes) { updated(c, first).Target = 2 }, "target: 2, expected 0 to 1"},
		{"count", func(c *skills.Changes) { updated(c, first).Count++ }, "count 4, expected 3"},
		{"two selected", func(c *skills.Changes) { updated(c, second).Selected = true; updated(c, first).Selected = true }, "and another by the same episode"},
		{"selection left out", func(c *skills.Changes) { updated(c, first).Selected = false }, "after: "},
		{"an update left out", func(c *skills.Changes) { c.List = c.List[1:] }, "expected its utility"},
		{"an update behind a birth", func(c *skills.Changes) { c.List[1], c.List[2] = c.List[2], c.List[1] }, "behind a birth of the same episode"},
		{"born with another utility", func(c *skills.Changes) { born(c, 2).Skill.Utility = .6 }, "utility 0.6, count 1, selected 0, born 1: expected 0.5, 1, 0, 1"},
		{"born in another step", func(c *skills.Changes) { born(c, 2).Skill.Born = 2 }, "born 2: expected 0.5, 1, 0, 1 at birth"},
		{"born with another text", func(c *skills.Changes) { born(c, 2).Skill.Strategy = "do B" }, "which its episode, source, head and strategy give"},
		{"born without a vector", func(c *skills.Changes) { born(c, 2).Vector = nil }, "vector: 0 numbers, expected 2"},
		{"born of a failure", func(c *skills.Changes) { born(c, 2).Skill.Outcome = skills.Failure }, `outcome failure, predicted "": not admitted by the rule won`},
		{"predicted strangely", func(c *skills.Changes) { born(c, 2).Predicted = "perhaps" }, `predicted: "perhaps"`},
		{"born twice", func(c *skills.Changes) { c.List = append(c.List[:3:3], c.List[2:]...) }, "is born twice"},
		{"born instead of merged", func(c *skills.Changes) {
			m := c.List[8].(*skills.Merged)
			c.List[8] = &skills.Born{Place: m.Place, Skill: m.Skill, Vector: m.Vector}
		}, "enters, expected it to merge into " + string(idOf("A"))},
		{"merged instead of born", func(c *skills.Changes) {
			b := born(c, 2)
			c.List[2] = &skills.Merged{Place: b.Place, Skill: b.Skill, Into: idOf("A"), Vector: b.Vector}
		}, "expected it to enter: no skill is like it"},
		{"merged into another", func(c *skills.Changes) { merged(c, 8).Into = idOf("B") }, "expected " + string(idOf("A"))},
		{"similarity", func(c *skills.Changes) { merged(c, 8).Similarity = .9 }, "(similarity 0.9), expected"},
		{"after a merge", func(c *skills.Changes) { merged(c, 8).After = .5 }, "after 0.5, expected"},
		{"nobody retires", func(c *skills.Changes) { c.List = c.List[:10] }, "5 skills, expected the capacity, 4: "},
		{"somebody else retires", func(c *skills.Changes) { c.List[10].(*skills.Retired).ID = idOf("A") }, "change 11: retired {ID:" + string(idOf("A"))},
		{"for another reason", func(c *skills.Changes) { c.List[10].(*skills.Retired).Rule = skills.RetireOldest }, "Rule:oldest"},
		{"two retire", func(c *skills.Changes) { c.List = append(c.List, c.List[10]) }, "change 12: a skill retires, expected none"},
		{"an update behind", func(c *skills.Changes) { c.List[9], c.List[10] = c.List[10], c.List[9] }, "change 10: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, episodes := busy(t)
			changes, err := l.Next(episodes)
			if err != nil || len(changes.List) != 11 {
				t.Fatalf("%d changes, %v, want 11", len(changes.List), err)
			}
			c.edit(&changes)
			next, err := l.Apply(changes)
			if next != nil || !errors.Is(err, skills.ErrMisfit) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

func updated(c *skills.Changes, i int) *skills.Updated { return c.List[i].(*skills.Updated) }
func born(c *skills.Changes, i int) *skills.Born       { return c.List[i].(*skills.Born) }
func merged(c *skills.Changes, i int) *skills.Merged   { return c.List[i].(*skills.Merged) }

// Lists are for one library alone, and in one order.
func TestRebuildRefuses(t *testing.T) {
	l, episodes := busy(t)
	second, one := take(t, l, episodes...)
	third, two := take(t, second)
	if got, err := skills.Rebuild(l, one, two); err != nil || digest(t, got) != digest(t, third) {
		t.Errorf("rebuilt: %v", err)
	}
	for name, lists := range map[string][]skills.Changes{"other order": {two, one}, "one left out": {two}, "twice": {one, one}} {
		if _, err := skills.Rebuild(l, lists...); !errors.Is(err, skills.ErrMisfit) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func digest(t testing.TB, l *skills.Library) artifacts.Digest {
	t.Helper()
	d, err := l.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestNewRefuses(t *testing.T) {
	a := entry("A", .8, .5, 1)
	edit := func(f func(*skills.Entry)) skills.Entry {
		e := a
		f(&e)
		return e
	}
	for _, c := range []struct {
		name      string
		rules     skills.Rules
		dimension int
		bank      []skills.Entry
		want      string
	}{
		{"rate", skills.Rules{Rate: 1.5}, 2, nil, "rate: 1.5, expected above 0, at most 1"},
		{"admit", skills.Rules{Admit: "all"}, 2, nil, `admit: "all", expected one of [won predicted any none]`},
		{"merge", skills.Rules{Merge: "no"}, 2, nil, `merge: "no", expected one of`},
		{"merge above", skills.Rules{MergeAbove: -1}, 2, nil, "merge_above: -1"},
		{"capacity", skills.Rules{Capacity: -1}, 2, nil, "capacity: -1, expected 1 to 100000"},
		{"retire", skills.Rules{Retire: "random"}, 2, nil, `retire: "random", expected one of`},
		{"all that is wrong", skills.Rules{Rate: -1, Retire: "random"}, 2, nil, "rate: -1, expected above 0, at most 1\nretire"},
		{"dimension", skills.Rules{}, 0, nil, "dimension: 0, expected 1 to 16384"},
		{"vector", skills.Rules{}, 3, []skills.Entry{a}, "vector: 2 numbers, expected 3"},
		{"twice", skills.Rules{}, 2, []skills.Entry{a, a}, "skill 2: id: " + string(idOf("A")) + " stands there twice"},
		{"above capacity", skills.Rules{Capacity: 1}, 2, []skills.Entry{a, entry("B", .1, .5, 1)}, "2 skills: expected at most the capacity, 1"},
		{"born later", skills.Rules{}, 2, []skills.Entry{edit(func(e *skills.Entry) { e.Skill.Born = 1 })}, "born 1, expected 0"},
		{"id", skills.Rules{}, 2, []skills.Entry{edit(func(e *skills.Entry) { e.Skill.ID = "x" })}, `skill 1: id: "x", expected ` + string(idOf("A"))},
		{"utility", skills.Rules{}, 2, []skills.Entry{edit(func(e *skills.Entry) { e.Skill.Utility = 1.01 })}, "utility: 1.01, expected 0 to 1"},
		{"count", skills.Rules{}, 2, []skills.Entry{edit(func(e *skills.Entry) { e.Skill.Count = 0 })}, "count: 0, expected 1"},
		{"selected", skills.Rules{}, 2, []skills.Entry{edit(func(e *skills.Entry) { e.Skill.Selected = 1 })}, "selected: 1 with count 1"},
		{"UTF-8", skills.Rules{}, 2, []skills.Entry{edit(func(e *skills.Entry) { e.Skill.Task = "caf\xe9" })}, "task: not UTF-8"},
		{"long", skills.Rules{}, 2, []skills.Entry{edit(func(e *skills.Entry) { e.Skill.Task = strings.Repeat("x", 65537) })}, "task: 65537 bytes, expected at most 65536"},
		{"source", skills.Rules{}, 2, []skills.Entry{edit(func(e *skills.Entry) { e.Skill.Source = "x" })}, `source: digest "x"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := skills.New(c.rules, c.dimension, c.bank...); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

// Ids are those of python3: see docs/skills.md.
func TestNewID(t *testing.T) {
	if got := skills.NewID("train/g/0/3", artifacts.Digest("sha256:"+strings.Repeat("ab", 32)), "when a mug is hot", "cool it in the fridge"); got != "skill-bf8e913fd62348fd" {
		t.Errorf("got %s", got)
	}
	if got := skills.NewID("e", artifacts.Digest("sha256:"+strings.Repeat("0", 64)), "", "é"); got != "skill-d06c2f35721308be" {
		t.Errorf("got %s", got)
	}
	if skills.NewID("ab", source, "c", "d") == skills.NewID("a", source, "bc", "d") {
		t.Error("texts run into each other")
	}
}

func TestFind(t *testing.T) {
	l := library(t, skills.Rules{}, entry("A", .8, .5, 1), entry("B", .8, .5, 1))
	a := string(idOf("A"))
	for _, begin := range []string{a, a[:10], strings.TrimPrefix(a, "skill-"), a[6:10]} {
		if s, err := l.Find(begin); err != nil || string(s.ID) != a {
			t.Errorf("%s: %s, %v", begin, s.ID, err)
		}
	}
	if _, err := l.Find("skill-zz"); !errors.Is(err, skills.ErrUnknown) {
		t.Errorf("error %v", err)
	}
	if _, err := l.Find(""); err == nil || !strings.Contains(err.Error(), "2 begin so") {
		t.Errorf("error %v", err)
	}
}
