package plan_test

import (
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/plan"
	"github.com/hone-rl/hone/skills"
)

// TestBank: a bank is looked for before anything is started. One that is missing is no more than a warning of a plan; where
// nothing else fills the library, so is none.
func TestBank(t *testing.T) {
	store := mem.New()
	by := artifacts.Producer{Name: "hone", Version: "test"}
	told := skills.Told{Task: "any task", Head: "h", Strategy: "s", Outcome: skills.Success}
	stored, err := activities.StoreBank(t.Context(), store, by, skills.Bank{told, told})
	if err != nil {
		t.Fatal(err)
	}
	games, err := artifacts.PutManifest(t.Context(), store, artifacts.Manifest{Kind: artifacts.KindGames, Producer: by})
	if err != nil {
		t.Fatal(err)
	}
	none := artifacts.Of(nil)
	skillrl := courseSpec + strings.Replace(rewards, "skill1-released", "skillrl", 1)
	missing := "grpo.bank " + string(none) + ": the store has no such bank: hone skill import stores one"
	const empty = "grpo.bank: there is none, and grpo.library.admit none takes no skill in"
	for name, c := range map[string]struct {
		more          string
		fault         string // of the start
		dry, warnings string // of the plan alone; "": none
	}{
		"a bank":          {more: "  bank: " + string(stored)},
		"none":            {warnings: empty},
		"not there":       {more: "  bank: " + string(none), fault: "small.yaml:27: " + missing, warnings: missing},
		"something else":  {more: "  bank: " + string(games.Digest), fault: "grpo.bank " + string(games.Digest) + ": it is of kind games", dry: "it is of kind games"},
		"above the limit": {more: "  bank: " + string(stored) + "\n  library: {capacity: 1}", fault: "2 skills, expected at most the library's capacity, 1", dry: "2 skills"},
	} {
		for _, start := range []bool{true, false} {
			spec := parse(t, "small.yaml", skillrl+c.more)
			ask := ask(spec)
			ask.Store, ask.Start = store, start
			p, err := plan.Make(t.Context(), ask)
			want := c.dry
			if start {
				want = c.fault
			}
			if (err == nil) != (want == "") || err != nil && !strings.Contains(spec.Located(err).Error(), want) {
				t.Errorf("%s, to start %t: %v, want %q", name, start, err, want)
			}
			if err != nil {
				continue
			}
			if said := strings.Join(p.Warnings, "\n"); (said == "") != (c.warnings == "") || !strings.Contains(said, c.warnings) {
				t.Errorf("%s, to start %t: warnings %q, want %q", name, start, said, c.warnings)
			}
		}
	}
}
