package env_test

import (
	"testing"

	"github.com/hone-rl/hone/env"
)

// TestAllow: a command word for word, or a form with something in the place of its parameter.
func TestAllow(t *testing.T) {
	search := env.Form{Prefix: "search[", Suffix: "]", Parameter: "keywords"}
	actions := env.Actions{Commands: []string{"click[back to search]", "click[search[]"}, Forms: []env.Form{search}}
	for text, want := range map[string]bool{
		"click[back to search]": true, "click[Back to Search]": false, "click[red]": false,
		"search[red shoes]": true, "search[ ]": true, "search[]]": true, "search[a]b]": true,
		"search[]": false, "search[": false, "]": false, "": false, "search[red": false, " search[red]": false, "search[red\nshoes]": false,
		"click[search[]": true,
	} {
		if got := actions.Allow(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
	if got := (env.Actions{Commands: actions.Commands}).Allow("search[red shoes]"); got {
		t.Error("a form that is not listed was allowed")
	}
	if got, want := search.String(), "search[<keywords>]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
