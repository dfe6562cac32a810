package learn_test

import (
	"encoding/json"
	"testing"

	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/agent/learn"
	"github.com/hone-rl/hone/agent/rollout"
)

// FuzzCredited: whatever an episode says whose texts can be told, it is counted and credited or refused.
func FuzzCredited(f *testing.F) {
	f.Add([]byte(`{"rollout":0,"seed":1,"game":"g","family":"f","free":true,"steps":[{"observation":"o","admissible":null,"command":"c"}],"last":null,` +
		`"outcome":{"won":true,"steps":1,"reason":"won"},"found":[{"id":"a","utility":0.5,"relevance":1}],"order":[0],"ranked":true,"shown":["a"],` +
		`"said":[{"phase":"rank","prompt":[1],"tokens":[2],"logprobs":[0],"stopped":true},{"phase":"act","same":2,"prompt":[3],"tokens":[4],"logprobs":[0],"stopped":true},` +
		`{"phase":"distil","prompt":[5],"tokens":[6],"logprobs":[0],"stopped":true}],"lesson":{"Subtasks":[],"Success":true,"Actions":"a","Navigation":"","Head":"h"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var e rollout.Episode
		if json.Unmarshal(raw, &e) != nil || e.Check() != nil {
			return
		}
		tally := learn.NewTally("")
		if tally.Add(e) == nil {
			tally.Figures()
		}
		for _, name := range []string{"skill1-paper", "gigpo", "retroagent"} {
			c, err := credit.Named(name)
			if err != nil {
				t.Fatal(err)
			}
			report, steps, err := learn.Credited(learn.Config{Credit: c}, []learn.Group{{Task: e.Game, Size: 2, Episodes: []rollout.Episode{e, e}}})
			if err == nil && (steps > 1 || report.Samples > 2*len(e.Said)) {
				t.Errorf("%d steps of %d samples", steps, report.Samples)
			}
		}
	})
}
