package workflows_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
)

// The record of a training says of each step what its time went into, part by part; nothing else does, for it is another
// time whenever it is done.
func TestStepTimes(t *testing.T) {
	spec := experiment(t, "skill1-tiny")
	small(spec)
	store := run(t, spec)
	names, err := store.Names(t.Context(), "records/")
	if err != nil {
		t.Fatal(err)
	}
	parts := map[int][]string{}
	for _, name := range names {
		if !strings.HasSuffix(name, "/grpo") {
			continue
		}
		d, err := store.Resolve(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := activities.ReadRecord(t.Context(), store, d)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.Times {
			for part := range s.Phases {
				parts[s.Step] = append(parts[s.Step], part)
			}
			slices.Sort(parts[s.Step])
		}
	}
	step := []string{"distil", "game", "load", "play", "publish", "query", "reference", "retrieve", "score", "skills", "update"}
	for at, want := range [][]string{{"validation"}, step, slices.Sorted(slices.Values(append(slices.Clone(step), "validation")))} {
		if got := slices.DeleteFunc(parts[at], func(part string) bool { return part == "rank" }); !slices.Equal(got, want) { // asked where two skills are found
			t.Errorf("step %d: parts %q, want %q", at, got, want)
		}
	}
}
