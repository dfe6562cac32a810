package alfworld

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hone-rl/hone/env"
)

func TestDeduce(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/alfworld-golden/json_2.1.1/*/*/*/game.tw-pddl")
	ours, theirs := 0, 0
	var slow time.Duration
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		g, err := Parse(f, data)
		if err != nil {
			t.Fatal(err)
		}
		e, err := g.start(t.Context(), env.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		plan, err := e.deduce(t.Context())
		took := time.Since(begun)
		slow = max(slow, took)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		if err := e.replay(t.Context(), plan); err != nil {
			t.Errorf("%s: %v %q", f, err, plan)
		}
		if len(plan) > len(g.walkthrough) {
			t.Logf("%s: %d > %d %s %q", g.family, len(plan), len(g.walkthrough), took, plan)
		}
		ours += len(plan)
		theirs += len(g.walkthrough)
	}
	t.Log(ours, theirs, slow)
}
