package agent_test

import (
	"testing"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/env"
)

// TestPages: what is shown of a shop's pages, and that nothing else is taken for one.
func TestPages(t *testing.T) {
	for text, want := range map[string]string{
		"WebShop [SEP] Instruction: [SEP] find me a lamp [SEP] Search":                                "Search",
		"Instruction: [SEP] find me a lamp [SEP] Back to Search [SEP] < Prev [SEP] red [SEP] Buy Now": "Back to Search [SEP] < Prev [SEP] red [SEP] Buy Now",
		"Instruction: [SEP] find me a lamp":                                                           "Instruction: [SEP] find me a lamp",
		"Thank you for shopping with us! [SEP] Your code: [SEP] None":                                 "Thank you for shopping with us! [SEP] Your code: [SEP] None",
		"You see a note: Instruction: [SEP] look [SEP] up":                                            "You see a note: Instruction: [SEP] look [SEP] up",
	} {
		if got := agent.Shown(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestForms: a form is offered before the commands, what is said in it is listed, and by types it is its name.
func TestForms(t *testing.T) {
	x := agent.X{
		Goal: "find me a lamp", Observation: "Search", Admissible: []string{"click[a]", "help"},
		Forms: []env.Form{{Prefix: "search[", Suffix: "]", Parameter: "keywords"}},
	}
	const want = "goal: find me a lamp\nnow: Search\ncan:\nsearch[<keywords>]\nclick[a]\ndo:\n"
	if got := agent.Prompt(x); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for command, want := range map[string]bool{"search[lamp]": true, "click[a]": true, "search[]": false, "click[b]": false} {
		if got := x.Allows(command); got != want {
			t.Errorf("%q: got %v, want %v", command, got, want)
		}
	}
	for command, want := range map[string]string{
		"search[2 red lamps]": "search", "click[b0 1]": "click", "take mug 1 from cabinet 3": "take mug from cabinet", "a[b": "a[b",
	} {
		if got := agent.Template(command); got != want {
			t.Errorf("%q: got %q, want %q", command, got, want)
		}
	}
}
