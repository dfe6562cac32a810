package skills_test

import (
	"testing"

	"github.com/hone-rl/hone/skills"
)

func typed(name, of string, outcome skills.Outcome) skills.Entry {
	e := entry(name, .1, .5, 1) // below every floor: likeness does not count here
	e.Skill.Type, e.Skill.Outcome = of, outcome
	return e
}

func TestByType(t *testing.T) {
	var bank []skills.Entry
	for _, name := range []string{"A", "B", "C", "D", "E", "F", "G"} {
		bank = append(bank, typed(name, "", skills.Success))
	}
	bank = append(bank, typed("h", "heat", skills.Success), typed("c", "cool", skills.Unknown), typed("i", "heat", skills.Failure))
	for _, name := range []string{"1", "2", "3", "4", "5", "6"} {
		bank = append(bank, typed(name, "", skills.Failure))
	}
	l := library(t, skills.Rules{}, bank...)
	since := birth("N", .1)
	l, _ = take(t, l, skills.Episode{Births: []skills.Birth{since}})
	for _, c := range []struct {
		name, of string
		outcome  skills.Filter
		want     string
	}{
		{"six general of the bank, all since, the type, five mistakes", "heat", skills.FilterBoth, "ABCDEFNhi12345"},
		{"another type", "cool", skills.FilterBoth, "ABCDEFNc12345"},
		{"a type without skills", "clean", skills.FilterBoth, "ABCDEFN12345"},
		{"no type", "", skills.FilterBoth, "ABCDEFN12345"},
		{"success", "heat", skills.FilterSuccess, "ABCDEFNh"},
		{"failure", "heat", skills.FilterFailure, "i12345"},
	} {
		t.Run(c.name, func(t *testing.T) {
			picks, err := l.Retrieve(skills.Query{Type: c.of}, skills.Retrieval{Mode: skills.ModeType, Outcome: c.outcome})
			if got := picked(picks); err != nil || got != c.want {
				t.Errorf("picked %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestTaskType(t *testing.T) {
	for task, want := range map[string]string{
		"look at bowl under the desklamp": "look_at_obj_in_light",
		"Look at the CD Under the lamp":   "look_at_obj_in_light",
		"look at the bowl":                "pick_and_place",
		"put a clean mug in desk":         "clean",
		"heat some egg and put it":        "heat",
		"put a cool tomato in microwave":  "cool",
		"examine the pen with the lamp":   "examine",
		"find two pens and put them":      "examine",
		"put a pen in drawer":             "pick_and_place",
		"clean and heat it":               "clean",
	} {
		if got := skills.TaskType(task); got != want {
			t.Errorf("%q: %s, want %s", task, got, want)
		}
	}
}

// Words of Hone's own household games, where SkillRL's tell nothing; ALFWorld's tasks are of SkillRL's types.
func TestQueryType(t *testing.T) {
	for task, want := range map[string]string{
		"bring a mug to the shelf":                                "pick_and_place",
		"hold a mug in the light of the desklamp":                 "look_at_obj_in_light",
		"switch on the desklamp and study a mug next to it":       "look_at_obj_in_light",
		"Wash a mug and bring it to the shelf":                    "clean",
		"see that a mug ends up clean at the shelf":               "clean",
		"warm up an apple and bring it to the table":              "heat",
		"see that an apple ends up hot at the table":              "heat",
		"chill an apple and bring it to the table":                "cool",
		"see that an apple ends up cold at the table":             "cool",
		"bring a pen and then another pen to the same desk":       "pick_and_place",
		"put a hot mug in desk":                                   "pick_and_place", // as SkillRL has it
		"find two pens and put them in drawer":                    "examine",
		"see that a pen and a second pen end up at one washbasin": "pick_and_place",
	} {
		if got := skills.QueryType(task); got != want {
			t.Errorf("%q: %s, want %s", task, got, want)
		}
	}
}
