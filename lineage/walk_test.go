package lineage_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/workflows"
)

// TestWalk: a plan comes to the key of every stage that a run has made, and to the same digests in the same order;
// where nothing is made yet, it knows the first stage alone.
func TestWalk(t *testing.T) {
	store, run := finished.get(t)
	spec, err := workflows.ParseSpec("small.yaml", []byte(smallSpec))
	if err != nil {
		t.Fatal(err)
	}
	var walked, cells []string
	err = spec.Walk("", func(p workflows.Planned) (artifacts.Digest, error) {
		key, err := p.Stage.Key(artifacts.Producer{Name: "hone", Version: "test"})
		if err != nil {
			return "", err
		}
		d, err := store.Resolve(t.Context(), activities.StageName(key))
		if err != nil || !p.Known {
			t.Errorf("%s: %v, known %t, want the run's", p.Name, err, p.Known)
		}
		if named, err := store.Resolve(t.Context(), activities.RunName(runID, p.Name)); err != nil || named != d {
			t.Errorf("%s is %s, %v, want the run's %s", p.Name, d, err, named)
		}
		if p.Panel != "" && p.Model.Role != "" {
			cells = append(cells, p.Name)
		} else {
			walked = append(walked, p.Name+" "+string(d))
		}
		return d, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, s := range run.Stages {
		want = append(want, s.Name+" "+string(s.Digest))
	}
	if !slices.Equal(walked, want) {
		t.Errorf("walked %v, want %v", walked, want)
	}
	if len(cells) != 6 || cells[0] != "evaluation/unseen/untrained-hint" || cells[5] != "evaluation/unseen/student" {
		t.Errorf("cells %v, want six", cells)
	}
	var known []string
	n := 0
	if err := spec.Walk("student", func(p workflows.Planned) (artifacts.Digest, error) {
		n++
		if p.Known {
			known = append(known, p.Name)
		}
		return "", nil
	}); err != nil || n != 6 || !slices.Equal(known, []string{"games"}) {
		t.Errorf("with nothing made: %d stages, known %v, %v", n, known, err)
	}
	stop := errors.New("no store")
	if err := spec.Walk("", func(workflows.Planned) (artifacts.Digest, error) { return "", stop }); !errors.Is(err, stop) {
		t.Errorf("got %v, want %v", err, stop)
	}
}
