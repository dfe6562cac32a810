package ask_test

import (
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/env"
)

var shopping = ask.Scene{World: ask.Shop, Taken: 1, X: agent.X{
	Goal:        "Find me red lamps with size: 2 x 3 ft",
	History:     []agent.Turn{{Observation: "WebShop [SEP] Instruction: [SEP] Find me red lamps with size: 2 x 3 ft [SEP] Search", Command: "search[red lamps]"}},
	Observation: "Instruction: [SEP] Find me red lamps with size: 2 x 3 ft [SEP] Back to Search [SEP] H00032QLVO [SEP] Bexley Lamp [SEP] $47.1",
	Admissible:  []string{"click[back to search]", "click[h00032qlvo]"},
	Forms:       []env.Form{{Prefix: "search[", Suffix: "]", Parameter: "keywords"}},
}}

// What small models read in a shop, to the letter: in lower case, as commands are read, and without the instruction that
// each page repeats.
func TestBriefShop(t *testing.T) {
	const goal, front, page = "goal: find me red lamps with size: 2 x 3 ft\n", "now: search\n", "now: back to search | h00032qlvo | bexley lamp | $47.1\n"
	for _, tt := range []struct{ got, want string }{
		{ask.Brief.Act(shopping), "act\n" + goal + front + "do: search[red lamps]\n" + page},
		{ask.Turns.Act(shopping), "act\n" + goal + page},
		{ask.Turns.Turn(ask.Shop, shopping.X.Observation), page},
		{ask.Turns.End(ask.Shop, true, "Thank you [SEP] Your code"), "now: thank you | your code\ngame: won\nlearn\n"},
		{ask.Brief.Query(shopping), "query\n" + goal + page + "<query>"},
	} {
		if tt.got != tt.want {
			t.Errorf("got\n%s\nwant\n%s", tt.got, tt.want)
		}
	}
}

// What models that follow instructions read in a shop: pages as they are, and the form among the possible commands.
func TestFullShop(t *testing.T) {
	rest := ask.Full.Act(shopping)
	for _, part := range []string{
		"website", "in the place of <keywords>, between <action>", "Task: Find me red lamps", "You see: Search\nYou did: search[red lamps]\n",
		"You see: Back to Search [SEP] H00032QLVO [SEP]", "Possible commands:\n- search[<keywords>]\n- click[back to search]\n- click[h00032qlvo]\n",
	} {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			t.Fatalf("no %q behind the parts before, in\n%s", part, ask.Full.Act(shopping))
		}
		rest = after
	}
	e := ask.Episode{World: ask.Shop, Task: "a", Last: "b"}
	if got := ask.Full.Distil(e); !strings.Contains(got, "one of search, open product, choose options, buy;") || strings.Contains(got, "navigate,") {
		t.Errorf("got %s", got)
	}
}
