package ask_test

import (
	"testing"

	"github.com/hone-rl/hone/agent/ask"
)

// TestDeed: what commands do, in the names of each world and of the subtasks that its prompts ask for.
func TestDeed(t *testing.T) {
	for world, commands := range map[ask.World]map[string]ask.Deed{
		ask.Household: {
			"take mug 1 from cabinet 3": {Name: "take mug from cabinet", Subtask: "pick up"},
			"go to cabinet 3":           {Name: "go to cabinet", Place: "cabinet"},
			"go away":                   {Name: "go away", Subtask: "use appliance"},
			"move mug 1 to desk 2":      {Name: "move mug to desk", Subtask: "place"},
			"put mug 1 in/on desk 2":    {Name: "put mug in/on desk", Subtask: "place"},
			"heat mug 1 with stove 1":   {Name: "heat mug with stove", Subtask: "use appliance"},
			"click[buy now]":            {Name: "click", Subtask: "use appliance"},
		},
		ask.Shop: {
			"search[red 2 lamps]":   {Name: "search", Subtask: "search"},
			"click[b07hrfsnl4]":     {Name: "open the product", Place: "open the product"},
			"click[grapefruit]":     {Name: "choose an option", Subtask: "choose options"},
			"click[ten letter]":     {Name: "choose an option", Subtask: "choose options"},
			"click[b07hrfsnl44]":    {Name: "choose an option", Subtask: "choose options"},
			"click[next >]":         {Name: "next page", Place: "next page"},
			"click[< prev]":         {Name: "page before", Place: "page before"},
			"click[back to search]": {Name: "back to search", Place: "back to search"},
			"click[reviews]":        {Name: "read more", Subtask: "open product"},
			"click[buy now]":        {Name: "buy", Subtask: "buy"},
		},
	} {
		for command, want := range commands {
			if got := world.Deed(command); got != want {
				t.Errorf("%s, %q: got %+v, want %+v", world, command, got, want)
			}
		}
	}
}
