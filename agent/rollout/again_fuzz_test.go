package rollout_test

import (
	"encoding/json"
	"testing"

	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/agent/rollout"
)

// FuzzAgain: whatever an episode says, it is played again or told to differ, and its texts can be told if Check says so.
func FuzzAgain(f *testing.F) {
	l := shelved(f)
	for _, set := range []ask.Set{ask.Brief, ask.Turns} {
		cfg := config(&script{answer: mover})
		cfg.Prompts = set
		raw, err := json.Marshal(recorded(f, cfg, l))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add([]byte(`{"said":[{"same":-1,"prompt":null,"tokens":[256]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var e rollout.Episode
		if json.Unmarshal(raw, &e) != nil {
			return
		}
		if e.Check() == nil {
			if n := len(e.Prompts()); n != len(e.Said) {
				t.Errorf("%d prompts of %d answers", n, len(e.Said))
			}
			e.Samples()
		}
		for _, set := range []ask.Set{ask.Brief, ask.Turns} {
			cfg := config(nil)
			cfg.Prompts = set
			if err := again(t, cfg, l, e); err == nil && (e.Check() != nil || len(e.Said) == 0) {
				t.Errorf("%s is taken", raw)
			}
		}
	})
}
