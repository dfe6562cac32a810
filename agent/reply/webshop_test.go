package reply_test

import (
	"encoding/json"
	"testing"

	"github.com/hone-rl/hone/agent/reply"
	"github.com/hone-rl/hone/env/webshop/check"
	"github.com/hone-rl/hone/env/webshop/check/checktest"
)

// TestWebShop compares with what verl-agent's projection for WebShop made of replies.
func TestWebShop(t *testing.T) {
	project := func(text string) (string, bool) {
		got := reply.Projection{Tail: 20, Literal: true}.Action(text)
		return got.Command, got.Valid()
	}
	checktest.Golden(t, check.Config{Kinds: []check.Kind{check.Replies}, Project: project}, checktest.Want{check.Replies: 11})
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
