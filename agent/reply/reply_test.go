package reply_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent/reply"
)

func TestAction(t *testing.T) {
	const thought = "<think>The mug is here.</think>"
	for name, tt := range map[string]struct {
		text    string
		command string
		fault   reply.Fault
	}{
		"in form":            {thought + "<action>take mug 1 from desk 1</action>", "take mug 1 from desk 1", ""},
		"capitals":           {thought + "<Action> Take Mug 1\nfrom DESK 1 </ACTION>", "take mug 1\nfrom desk 1", ""},
		"first of two":       {thought + "<action>look</action><action>inventory</action>", "look", ""},
		"empty":              {thought + "<action></action>", "", ""},
		"opened twice":       {thought + "<action>go <action>look</action>", "go <action>look", ""},
		"no tags":            {thought + "I take the Mug 1 from Desk 1 now.", " take the mug 1 from desk 1 now.", reply.NoAction},
		"short, no tags":     {"Look", "look", reply.NoAction},
		"nothing":            {"", "", reply.NoAction},
		"never shut":         {thought + "<action>go to desk 1, go to shelf 2, look", " go to desk 1, go to shelf 2, look", reply.NoAction},
		"reversed":           {thought + "</action>go to desk 1<action>look at it well", "to desk 1<action>look at it well", reply.Reversed},
		"reversed, in form":  {thought + "</action><action>go to desk number 1</action>", "ion><action>go to desk number 1</action>", reply.Reversed},
		"no thought":         {"<action>look</action>", "look", reply.NoThink},
		"thought not shut":   {"<think>The mug<action>look</action>", "look", reply.NoThink},
		"capital thought":    {"<THINK>a</THINK><action>look</action>", "look", reply.NoThink},
		"Chinese":            {"<think>杯</think><action>look</action>", "look", reply.Script},
		"first of Chinese":   {"<think>一</think><action>look</action>", "look", reply.Script},
		"last of Chinese":    {"<think>\u9fff</think><action>look</action>", "look", reply.Script},
		"before Chinese":     {"<think>\u4dff</think><action>look</action>", "look", ""},
		"behind Chinese":     {"<think>\ua000</think><action>look</action>", "look", ""},
		"Japanese kana":      {"<think>これ</think><action>look</action>", "look", ""},
		"Chinese, no action": {"<think>杯</think>杯", "<think>杯</think>杯", reply.NoAction},
	} {
		t.Run(name, func(t *testing.T) {
			want := tt.command
			if tt.fault == reply.NoAction || tt.fault == reply.Reversed {
				want = last(want, 30)
			}
			got := reply.Projection{Tail: 30}.Action(tt.text)
			if got.Command != want || got.Fault != tt.fault || got.Valid() != (tt.fault == "") {
				t.Errorf("got %q, %q, want %q, %q", got.Command, got.Fault, want, tt.fault)
			}
		})
	}
	if got := (reply.Projection{Tail: 20, Bare: true}).Action("<action>search[mug]</action>"); !got.Valid() || got.Command != "search[mug]" {
		t.Errorf("without thoughts: %+v", got)
	}
	if got := (reply.Projection{Tail: 4}).Action("ÄÖÜß!"); got.Command != "öüß!" {
		t.Errorf("the tail counts characters: got %q", got.Command)
	}
}

func last(text string, n int) string {
	runes := []rune(text)
	return string(runes[max(0, len(runes)-n):])
}

func TestQuery(t *testing.T) {
	for text, want := range map[string]string{
		"heat an egg</query>":                         "heat an egg",
		"<query>heat an egg</query>":                  "heat an egg",
		"I ask: <query> heat an egg </query> thanks.": "heat an egg",
		"heat an egg":                                 "heat an egg",
		" <query>heat":                                "heat",
		"":                                            "",
		"a</query>b</query>":                          "a",
	} {
		if got := reply.Query(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestRank(t *testing.T) {
	for name, tt := range map[string]struct {
		text   string
		n      int
		order  []int
		parsed bool
	}{
		"all":             {"<rank>3,1,2</rank>", 3, []int{2, 0, 1}, true},
		"blanks":          {"I think <rank> 2 , 1 </rank>.", 2, []int{1, 0}, true},
		"unnamed follow":  {"<rank>3</rank>", 4, []int{2, 0, 1, 3}, true},
		"twice":           {"<rank>2,2,1</rank>", 3, []int{1, 0, 2}, true},
		"beyond":          {"<rank>0,4,9,2</rank>", 3, []int{1, 0, 2}, true},
		"only beyond":     {"<rank>0,4</rank>", 3, []int{0, 1, 2}, false},
		"huge":            {"<rank>99999999999999999999,2</rank>", 2, []int{1, 0}, true},
		"words":           {"<rank>[Experience 2], [Experience 1]</rank>", 2, []int{1, 0}, true},
		"none":            {"<rank>none</rank>", 3, []int{0, 1, 2}, false},
		"no tags":         {"3,1,2", 3, []int{0, 1, 2}, false},
		"never shut":      {"<rank>3,1,2", 3, []int{0, 1, 2}, false},
		"first of two":    {"<rank>2,1</rank><rank>1,2</rank>", 2, []int{1, 0}, true},
		"nine and ten":    {"<rank>10,9,1</rank>", 10, []int{9, 8, 0, 1, 2, 3, 4, 5, 6, 7}, true},
		"one":             {"<rank>1</rank>", 1, []int{0}, false},
		"nothing to rank": {"<rank>1</rank>", 0, []int{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := reply.Rank(tt.text, tt.n)
			if !slices.Equal(got.Order, tt.order) || got.Parsed != tt.parsed {
				t.Errorf("got %+v, want %v, %v", got, tt.order, tt.parsed)
			}
		})
	}
}

const told = `{"subtasks":[{"name":"pick up","description":"took the\n mug","status":"completed"},{"name":"place","description":"","status":"incomplete"}],
"task_success":true,"action_lesson":"Open the fridge first.","navigation_lesson":"Look on desks.","description_head":"To cool a thing."}`

func TestDistilled(t *testing.T) {
	for name, text := range map[string]string{"bare": told, "between words": "Here: " + told + " Good.", "fenced": "```json\n" + told + "\n``` and {"} {
		got, err := reply.Distilled(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got.Head != "To cool a thing." || !got.Success || got.Completion() != 0.5 || !got.Subtasks[0].Completed || got.Subtasks[0].Description != "took the mug" ||
			got.Strategy() != "Action: Open the fridge first. | Navigation: Look on desks." {
			t.Errorf("%s: got %+v, %q", name, got, got.Strategy())
		}
	}
	for name, tt := range map[string]struct{ from, to, want string }{
		"no navigation": {`"Look on desks."`, `null`, "Action: Open the fridge first."},
		"too short":     {`"Look on desks."`, `" Look. "`, "Action: Open the fridge first."},
		"six letters":   {`"Look on desks."`, `"Look.."`, "Action: Open the fridge first. | Navigation: Look.."},
		"missing":       {`"navigation_lesson":"Look on desks.",`, ``, "Action: Open the fridge first."},
		"no action":     {`"Open the fridge first."`, `null`, "Navigation: Look on desks."},
		"other fields":  {`"task_success"`, `"more":[1],"task_success"`, "Action: Open the fridge first. | Navigation: Look on desks."},
	} {
		if got, err := reply.Distilled(strings.Replace(told, tt.from, tt.to, 1)); err != nil || got.Strategy() != tt.want {
			t.Errorf("%s: got %q, %v, want %q", name, got.Strategy(), err, tt.want)
		}
	}
}

func TestDistilledRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"no object":       {"I learnt nothing.", "expected a JSON object"},
		"braces reversed": {"} {", "expected a JSON object"},
		"cut":             {told[:len(told)-1], "lesson: unexpected end of JSON"},
		"status":          {strings.Replace(told, "incomplete", "open", 1), `subtasks[1].status "open": expected completed or incomplete`},
		"success a word":  {strings.Replace(told, "true", `"yes"`, 1), "task_success"},
		"no success":      {strings.Replace(told, "task_success", "success", 1), "expected task_success"},
		"a list":          {"```json\n[1]\n```", "lesson: json"},
	} {
		if got, err := reply.Distilled(tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %+v, %v, want an error with %q", name, got, err, tt.want)
		}
	}
}
