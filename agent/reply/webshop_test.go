package reply_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/hone-rl/hone/agent/reply"
	"github.com/hone-rl/hone/internal/outside"
)

// TestWebShop compares with what verl-agent's projection for WebShop made of replies.
func TestWebShop(t *testing.T) {
	data, err := os.ReadFile(outside.Shared(t, "webshop-golden", "projection.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Text   string `json:"text"`
		Action string `json:"action"`
		Valid  int    `json:"valid"`
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) != 11 {
		t.Errorf("%d cases, want 11", len(cases))
	}
	for _, c := range cases {
		got := reply.Projection{Tail: 20, Literal: true}.Action(c.Text)
		if got.Command != c.Action || got.Valid() != (c.Valid == 1) {
			t.Errorf("%q: got %q, %q, want %q, valid %d", c.Text, got.Command, got.Fault, c.Action, c.Valid)
		}
	}
}

// TestLiteral: what a literal projection makes of reversed tags, and that it says nothing of itself where it is not.
func TestLiteral(t *testing.T) {
	for text, want := range map[string]reply.Action{
		"<think>a</think></action>go<action>look": {},
		"</action><action>":                       {Fault: reply.NoThink},
		"<think>杯</think></action><action>look":   {Fault: reply.Script},
		"<think>a</think><action>look":            {Command: "<action>look", Fault: reply.NoAction},
	} {
		if got := (reply.Projection{Tail: 12, Literal: true}).Action(text); got != want {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
	}
	if got, err := json.Marshal(reply.Projection{Tail: 30}); err != nil || string(got) != `{"Tail":30,"Bare":false}` {
		t.Errorf("got %s, %v, want what was stored before", got, err)
	}
}
