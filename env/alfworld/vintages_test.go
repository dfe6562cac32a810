package alfworld_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/internal/outside"
)

// TestExpertsOfBothVintages asks for plans of the same games with the domain and the language of either vintage: they
// are the same but for the words, which come from the file.
func TestExpertsOfBothVintages(t *testing.T) {
	folder := filepath.Join(outside.Shared(t, "alfworld-games"), "legacy")
	var old [2]string
	for i, name := range []string{"alfred.pddl", "alfred.twl2"} {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		old[i] = string(data)
	}
	var puts atomic.Int64
	someGames(t, func(in alfworld.Imported) {
		if !sampled(in.ID, 60) {
			return // a third of them will do
		}
		var file map[string]any
		if err := json.Unmarshal(in.Data, &file); err != nil {
			t.Error(err)
			return
		}
		file["pddl_domain"], file["grammar"] = old[0], old[1]
		data, err := json.Marshal(file)
		if err != nil {
			t.Error(err)
			return
		}
		for _, kind := range env.PlanKinds[1:] { // these files have no walkthrough
			_, now := planOf(t, in.ID, in.Data, kind)
			_, then := planOf(t, in.ID, data, kind)
			for i, c := range then {
				if thing, ok := strings.CutPrefix(c, "put "); ok {
					then[i] = "move " + strings.Replace(thing, " in/on ", " to ", 1)
					puts.Add(1)
				}
			}
			if !slices.Equal(now, then) {
				t.Errorf("%s: %s: got %q, and of the old vintage %q", in.ID, kind, now, then)
			}
		}
	})
	if puts.Load() < 100 {
		t.Errorf("%d commands differ in their words, want some hundreds", puts.Load())
	}
}
