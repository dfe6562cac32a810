package coldstart_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/agent/coldstart"
	"github.com/hone-rl/hone/agent/reply"
)

// TestShop: thoughts and lesson of a purchase name no product and no value, and every answer is in form.
func TestShop(t *testing.T) {
	thoughts := []string{}
	commands := []string{"search[red lamp]", "click[next >]", "click[h00032qlvo]", "click[2 x 3 ft]", "click[features]", "click[buy now]"}
	e := coldstart.Episode{Game: "webshop/train/H00032QLVO/20", Family: "home", Last: "Thank you for shopping with us!"}
	for _, c := range commands {
		a := reply.Projection{Tail: 20, Literal: true}.Action(coldstart.Answer(ask.Shop, c))
		if a.Command != c || !a.Valid() {
			t.Errorf("%q: got %+v", coldstart.Answer(ask.Shop, c), a)
		}
		thoughts = append(thoughts, coldstart.Answer(ask.Shop, c)[len("<think>"):len(coldstart.Answer(ask.Shop, c))-len("</think><action></action>")-len(c)])
		e.Decisions = append(e.Decisions, coldstart.Decision{X: agent.X{Goal: "find me a red lamp", Observation: "Search"}, Command: c})
	}
	if want := []string{"search", "next page", "open the product", "choose an option", "read more", "buy"}; !slices.Equal(thoughts, want) {
		t.Errorf("got %q, want %q", thoughts, want)
	}
	cfg := coldstart.Config{Prompts: ask.Turns, World: ask.Shop, Distil: true}
	texts, err := cfg.Texts(t.Context(), e, coldstart.NewPool(ask.Shop, nil))
	if err != nil {
		t.Fatal(err)
	}
	last := texts[len(texts)-1]
	lesson, err := reply.Distilled(last)
	if err != nil {
		t.Fatalf("%s: %v", last, err)
	}
	const want = "Action: search, choose an option, read more, buy | Navigation: next page, open the product"
	if got := lesson.Strategy(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var parts struct {
		Subtasks []struct{ Name string } `json:"subtasks"`
	}
	if err := json.Unmarshal([]byte(last), &parts); err != nil || len(parts.Subtasks) != 4 || parts.Subtasks[0].Name != "search" || parts.Subtasks[2].Name != "open product" || parts.Subtasks[3].Name != "buy" {
		t.Errorf("got %s, %v", last, err)
	}
}
