package reply_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hone-rl/hone/agent/reply"
)

// FuzzReply: whatever a model says, each reader gives something that what follows can rely on.
func FuzzReply(f *testing.F) {
	for _, text := range []string{
		"<think>a</think><action>look</action>", "</action><action>", "<rank>2,1</rank>", "<query>x</query>", told, "```json\n{}\n```", "\xff<action>\xff</action>", "İ<action>İ</action>",
	} {
		f.Add(text, 3)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		n = min(max(n, 0), 100)
		a := reply.Projection{Tail: 30}.Action(text)
		if a.Command != strings.TrimSpace(a.Command) && a.Fault != reply.NoAction && a.Fault != reply.Reversed {
			t.Errorf("command %q has blanks around it", a.Command)
		}
		if (a.Fault == reply.NoAction || a.Fault == reply.Reversed) && utf8.RuneCountInString(a.Command) > 30 {
			t.Errorf("tail %q of more than 30 characters", a.Command)
		}
		if l := (reply.Projection{Tail: 30, Literal: true}).Action(text); l.Fault == reply.Reversed || a.Fault != reply.Reversed && l != a || a.Fault == reply.Reversed && l.Command != "" {
			t.Errorf("to the letter %+v, else %+v", l, a)
		}
		o := reply.Rank(text, n)
		sorted := slices.Sorted(slices.Values(o.Order))
		for i := range n {
			if len(sorted) != n || sorted[i] != i {
				t.Fatalf("order %v of %d", o.Order, n)
			}
		}
		if q := reply.Query(text); q != strings.TrimSpace(q) || strings.Contains(q, "</query>") {
			t.Errorf("query %q", q)
		}
		if l, err := reply.Distilled(text); err == nil && (strings.ContainsAny(l.Strategy()+l.Head, "\n\r") || l.Completion() < 0 || l.Completion() > 1) {
			t.Errorf("lesson %+v", l)
		}
	})
}
