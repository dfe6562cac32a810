package hints_test

import (
	"testing"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/hints"
)

func TestHintText(t *testing.T) {
	for _, c := range []struct {
		name string
		hint hints.Hint
		want string
	}{
		{"one source", hints.Hint{
			Skill: "pick and place", Target: "laptop", Count: "one", Source: []string{"coffeetable"}, Destination: "armchair",
			Plan: []string{"go to coffeetable", "take laptop from coffeetable", "go to armchair", "move laptop to armchair"},
		}, `skill: pick and place
target: one laptop
source: coffeetable
device: none
destination: armchair
plan: go to coffeetable, take laptop from coffeetable, go to armchair, move laptop to armchair
`},
		{"two sources", hints.Hint{
			Skill: "pick two and place", Target: "candle", Count: "two", Source: []string{"shelf", "drawer"}, Destination: "cabinet",
			Plan: []string{"go to shelf"},
		}, `skill: pick two and place
target: two candle
source: shelf, drawer
device: none
destination: cabinet
plan: go to shelf
`},
		{"nothing", hints.Hint{}, "skill: none\ntarget: none\nsource: none\ndevice: none\ndestination: none\nplan: none\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.hint.Text(); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// Teacher and student read the same but for the six lines of the hint.
func TestTeacherDiffersByTheHintOnly(t *testing.T) {
	x := agent.X{
		Goal: "put a mug on desk", Observation: "You see a mug 1.", Admissible: []string{"help", "look"},
		History: []agent.Turn{{Observation: "a", Command: "go to desk 1"}},
	}
	h := hints.Hint{Skill: "pick and place", Target: "mug", Count: "one", Source: []string{"drawer"}, Destination: "desk"}
	for _, f := range []agent.Format{agent.Lite, agent.Full} {
		head := "goal: put a mug on desk\n"
		if got, want := hints.Teacher(f, x, h), head+h.Text()+f.Prompt(x, "")[len(head):]; got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", f, got, want)
		}
	}
}

func TestSkill(t *testing.T) {
	for family, want := range map[string]string{
		"pick_and_place_simple":          "pick and place",
		"look_at_obj_in_light":           "examine under light",
		"pick_clean_then_place_in_recep": "clean and place",
		"pick_heat_then_place_in_recep":  "heat and place",
		"pick_cool_then_place_in_recep":  "cool and place",
		"pick_two_obj_and_place":         "pick two and place",
		"wash_up":                        "wash up",
	} {
		if got := hints.Skill(family); got != want {
			t.Errorf("Skill(%q) = %q, want %q", family, got, want)
		}
	}
}
