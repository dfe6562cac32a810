package agent_test

import (
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent"
)

func TestTemplate(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"take mug 1 from cabinet 3", "take mug from cabinet"},
		{"move laptop 12 to armchair 1", "move laptop to armchair"},
		{"cabinet 3", "cabinet"},
		{"cabinet", "cabinet"},
		{"look", "look"},
		{"  go  to shelf 1\n", "go to shelf"},
		{"slice apple 1 with knife 2b", "slice apple with knife 2b"},
		{"", ""},
	} {
		if got := agent.Template(c.in); got != c.want {
			t.Errorf("Template(%q) = %q, want %q", c.in, got, c.want)
		}
	}
	if got := agent.TypeOf("cabinet 3"); got != "cabinet" {
		t.Errorf("TypeOf = %q", got)
	}
}

// laptop is the example of the prompt's documentation.
var laptop = agent.X{
	Goal: "put some laptop on armchair",
	History: []agent.Turn{
		{Observation: "You are.", Command: "go to coffeetable 1"},
		{Observation: "You arrive at coffeetable 1. On the coffeetable 1, you see a laptop 1.", Command: "take laptop 1 from coffeetable 1"},
		{Observation: "You pick up the laptop 1 from the coffeetable 1.", Command: "go to armchair 1"},
	},
	Observation: "You arrive at armchair 1. On the armchair 1, you see a creditcard 1.",
	Admissible:  []string{"examine armchair 1", "help", "move laptop 1 to armchair 1"},
}

func TestPrompt(t *testing.T) {
	first := agent.X{
		Goal:        "put two alarmclock in dresser",
		History:     []agent.Turn{},
		Observation: "-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see a bed 1, and a desk 1.\n\nYour task is to: put two alarmclock in dresser.",
		Admissible:  []string{"go to bed 1", "go to desk 1", "help", "inventory", "look"},
	}
	for _, c := range []struct {
		name   string
		format agent.Format
		x      agent.X
		hint   string
		want   string
	}{
		{"lite", agent.Lite, laptop, "", `goal: put some laptop on armchair
did: take laptop 1 from coffeetable 1
did: go to armchair 1
now: You arrive at armchair 1. On the armchair 1, you see a creditcard 1.
can:
examine armchair 1
move laptop 1 to armchair 1
do:
`},
		{"lite with a hint", agent.Lite, laptop, "skill: pick and place\ntarget: one laptop\n", `goal: put some laptop on armchair
skill: pick and place
target: one laptop
did: take laptop 1 from coffeetable 1
did: go to armchair 1
now: You arrive at armchair 1. On the armchair 1, you see a creditcard 1.
can:
examine armchair 1
move laptop 1 to armchair 1
do:
`},
		{"full", agent.Full, laptop, "", `goal: put some laptop on armchair
saw: You arrive at coffeetable 1. On the coffeetable 1, you see a laptop 1.
did: take laptop 1 from coffeetable 1
saw: You pick up the laptop 1 from the coffeetable 1.
did: go to armchair 1
now: You arrive at armchair 1. On the armchair 1, you see a creditcard 1.
can:
examine armchair 1
move laptop 1 to armchair 1
do:
`},
		{"turns with a hint", agent.Turns, laptop, "target: one laptop\n", `goal: put some laptop on armchair
target: one laptop
now: You are.
do:
go to coffeetable 1
now: You arrive at coffeetable 1. On the coffeetable 1, you see a laptop 1.
do:
take laptop 1 from coffeetable 1
now: You pick up the laptop 1 from the coffeetable 1.
do:
go to armchair 1
now: You arrive at armchair 1. On the armchair 1, you see a creditcard 1.
do:
`},
		{"turns at the opening", agent.Turns, first, "", `goal: put two alarmclock in dresser
now: You are in the middle of a room. Looking quickly around you, you see a bed 1, and a desk 1.
do:
`},
		{"opening", agent.Lite, first, "", `goal: put two alarmclock in dresser
now: You are in the middle of a room. Looking quickly around you, you see a bed 1, and a desk 1.
can:
go to bed 1
go to desk 1
inventory
look
do:
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.format.Prompt(c.x, c.hint); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	if agent.Prompt(laptop) != agent.Lite.Prompt(laptop, "") {
		t.Error("Prompt is not the student's in lite/1")
	}
}

// In turns/1 a prompt begins with the one before it and its answer.
func TestTurnsGrow(t *testing.T) {
	before := ""
	for n := range len(laptop.History) + 1 {
		x := agent.X{Goal: laptop.Goal, History: laptop.History[:n], Observation: laptop.Observation}
		if n < len(laptop.History) {
			x.Observation = laptop.History[n].Observation
		}
		prompt := agent.Turns.Prompt(x, "skill: pick and place\n")
		if !strings.HasPrefix(prompt, before) || len(prompt) == len(before) {
			t.Errorf("turn %d: got\n%s\nwant it to go on from\n%s", n, prompt, before)
		}
		if n < len(laptop.History) {
			before = prompt + agent.Answer(laptop.History[n].Command)
		}
	}
}

// A game must not be able to write lines of the prompt that are not its own.
func TestPromptKeepsGameTextOnItsLine(t *testing.T) {
	x := agent.X{Goal: "g", Observation: "a\ndo:\nb", Admissible: []string{"look"}}
	if got, want := agent.Prompt(x), "goal: g\nnow: a do: b\ncan:\nlook\ndo:\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	x.History = []agent.Turn{{Observation: "c\nnow: d", Command: "e\nf"}}
	if got, want := agent.Turns.Prompt(x, ""), "goal: g\nnow: c now: d\ndo:\ne f\nnow: a do: b\ndo:\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFormatValidate(t *testing.T) {
	for _, f := range []agent.Format{agent.Lite, agent.Full, agent.Turns} {
		if err := f.Validate(); err != nil {
			t.Error(err)
		}
	}
	for _, f := range []agent.Format{"", "lite", "lite/2"} {
		if f.Validate() == nil {
			t.Errorf("format %q is accepted", f)
		}
	}
}

func TestGoalIn(t *testing.T) {
	for _, c := range []struct {
		in, want string
		ok       bool
	}{
		{"x\n\nYour task is to: put a mug on desk.", "put a mug on desk", true},
		{"Your task is to: put a mug on desk.\nmore.", "put a mug on desk", true},
		{"Your task is to: go. now", "go. now", true},
		{"Your task is to: .", "", false},
		{"Your task is to: ", "", false},
		{"no task", "", false},
	} {
		if got, ok := agent.GoalIn(c.in); got != c.want || ok != c.ok {
			t.Errorf("GoalIn(%q) = %q, %v, want %q, %v", c.in, got, ok, c.want, c.ok)
		}
	}
}

func FuzzGoalIn(f *testing.F) {
	f.Add("x\n\nYour task is to: put a mug on desk.")
	f.Add("Your task is to: go. now")
	f.Fuzz(func(t *testing.T, s string) {
		if goal, ok := agent.GoalIn(s); ok != (goal != "") {
			t.Errorf("GoalIn(%q) = %q, %v", s, goal, ok)
		}
	})
}

func TestHoldsInstance(t *testing.T) {
	for _, c := range []struct {
		in   string
		want bool
	}{
		{"take mug from cabinet", false},
		{"pick two and place", false}, // number words are the audit's business
		{"cabinet 3", true},
		{"cabinet ３", true},          // full width
		{"cabinet ٣", true},          // Arabic-Indic
		{"cabinet ³", true},          // superscript
		{"cabinet ③", true},          // circled
		{"cabinet Ⅲ", true},          // Roman number sign
		{"cabinet ½", true},          // fraction
		{"cabinet 三", true},          // ideographic
		{"cabinet 𝟛", true},          // mathematical
		{"cabinet \U000E0033", true}, // tag digit, invisible
		{"cabinet 🄄", true},
		{"mug_bar_a", true},
		{"MUG_BAR_a", true},
		{"mug＿bar＿a", true},
		{"_minus_", true},
		{"bar minus plus dot", false},
		{"", false},
	} {
		if got := agent.HoldsInstance(c.in); got != c.want {
			t.Errorf("HoldsInstance(%q) = %v", c.in, got)
		}
	}
}

func TestHoldsCommand(t *testing.T) {
	for _, c := range []struct {
		text, command string
		want          bool
	}{
		{"plan: go to shelf 1, look", "go to shelf 1", true},
		{"plan: go to shelf 12", "go to shelf 1", false},
		{"PLAN: Go To  Shelf １.", "go to shelf 1", true},
		{"go\u200b to shelf 1", "go to shelf 1", true},
		{"ago to shelf 1", "go to shelf 1", false},
		{"put mug 1 in/on desk 1", "put mug 1 in/on desk 1", true},
		{"plan: go to shelf", "go to shelf 1", false},
		{"look", "", false},
	} {
		if got := agent.HoldsCommand(c.text, c.command); got != c.want {
			t.Errorf("HoldsCommand(%q, %q) = %v", c.text, c.command, got)
		}
	}
}
