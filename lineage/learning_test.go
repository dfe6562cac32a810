package lineage_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/lineagetest"
)

var stageKey = artifacts.Of([]byte("stage"))

// TestLearning: the steps of a training are the same from its outcome and, while it is under way, from its updates; the
// panels of the newest step are left out there.
func TestLearning(t *testing.T) {
	store := mem.New()
	made := lineagetest.StoreTraining(t, store, 5)
	made.Name(t, store, stageKey)
	lineagetest.Play(t, store, stageKey, "validation/with", 0, 3, 4)
	lineagetest.Play(t, store, stageKey, "validation/without", 0, 1, 4)
	lineagetest.Play(t, store, stageKey, "validation/with", 4, 4, 4)
	lineagetest.Play(t, store, stageKey, "validation/with", 5, 1, 1) // may be half played
	lineagetest.Play(t, store, stageKey, "train", 4, 2, 2)
	done, err := lineage.OpenOutcome(t.Context(), store, made.Outcome(t, store,
		activities.Validation{Step: 0, Panel: "unseen", With: true, Count: 4, Won: 3}, activities.Validation{Step: 5, Panel: "unseen", Count: 4, Won: 2}))
	if err != nil {
		t.Fatal(err)
	}
	going, err := lineage.OpenUpdates(t.Context(), store, stageKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, training := range map[string]*lineage.Training{"done": done, "going": going} {
		if training.Policy != made.Updates[4] || training.Library != made.Libraries[5] {
			t.Errorf("%s: policy %s, library %s, want the last", name, training.Policy, training.Library)
		}
		l, err := training.Learning(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Steps) != 5 {
			t.Fatalf("%s: %d steps, want 5", name, len(l.Steps))
		}
		for i, s := range l.Steps {
			k := i + 1
			kl, entropy := .001*float64(k), (30*1.5+10*1.1)/40
			if s.Step != k || s.Episodes != 8 || s.Won != k || math.Abs(*s.KL-kl) > 1e-12 || math.Abs(*s.Entropy-entropy) > 1e-12 {
				t.Errorf("%s: got %+v, KL %v, entropy %v, want %d of 8 won, %v and %v", name, s, *s.KL, *s.Entropy, k, kl, entropy)
			}
			size, utility := []int{1, 1, 2, 2, 2}[i], []float64{.5, .375, (.375 + .5) / 2, (.4375 + .5) / 2, .5}[i]
			if *s.Skills != size || math.Abs(*s.Utility-utility) > 1e-12 {
				t.Errorf("%s, step %d: %d skills of mean utility %v, want %d and %v", name, k, *s.Skills, *s.Utility, size, utility)
			}
		}
		want := []lineage.PanelPlay{
			{Step: 0, Panel: "unseen", With: true, Count: 4, Won: 3}, {Step: 5, Panel: "unseen", Count: 4, Won: 2},
		}
		if name == "going" {
			want = []lineage.PanelPlay{{Step: 0, With: true, Count: 4, Won: 3}, {Step: 0, Count: 4, Won: 1}, {Step: 4, With: true, Count: 4, Won: 4}}
		}
		if len(l.Validations) != len(want) {
			t.Fatalf("%s: got %+v, want %+v", name, l.Validations, want)
		}
		for i, w := range want {
			if l.Validations[i] != w {
				t.Errorf("%s: got %+v, want %+v", name, l.Validations[i], w)
			}
		}
	}
}

// TestTrainingRefuses: what is no training, and one with a hole, is named.
func TestTrainingRefuses(t *testing.T) {
	store := mem.New()
	if _, err := lineage.OpenUpdates(t.Context(), store, stageKey); !errors.Is(err, lineage.ErrNoUpdate) {
		t.Errorf("no update: %v", err)
	}
	made := lineagetest.StoreTraining(t, store, 3)
	made.Name(t, store, stageKey)
	if _, err := lineage.OpenOutcome(t.Context(), store, made.Updates[0]); err == nil || !strings.Contains(err.Error(), "is of kind update, expected policy") {
		t.Errorf("an update for an outcome: %v", err)
	}
	going, err := lineage.OpenUpdates(t.Context(), store, stageKey)
	if err != nil {
		t.Fatal(err)
	}
	restore := store.LoseBlob(made.Updates[0])
	if _, err := going.Learning(t.Context()); !errors.Is(err, artifacts.ErrNotFound) || !strings.Contains(err.Error(), string(made.Updates[0])) {
		t.Errorf("a lost update: %v, want %s", err, made.Updates[0])
	}
	restore()
	// What cannot be is refused: more won than played.
	for _, line := range []string{`{"step":1,"figures":{"episodes":3,"won":4}}`, `{"step":1,"figures":{"episodes":3,"won":-1}}`, `{"step":"1"}`} {
		d := lineagetest.Store(t, store, artifacts.KindPolicy, []artifacts.Input{{Role: "policy", Digest: made.Updates[2]}},
			map[string][]byte{activities.StepsFile: []byte(line + "\n"), activities.ValidationsFile: nil})
		bad, err := lineage.OpenOutcome(t.Context(), store, d)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bad.Learning(t.Context()); err == nil {
			t.Errorf("%s is taken", line)
		}
	}
	// An update that skips one.
	other := lineagetest.Store(t, store, artifacts.KindUpdate, []artifacts.Input{{Role: "policy", Digest: made.Updates[0]}, {Role: "start", Digest: made.Start}},
		map[string][]byte{activities.UpdateFile: []byte(`{"step":3,"report":null}`), activities.EpisodesFile: lineagetest.Episodes(t, 1, 2)})
	key := artifacts.Of([]byte("other"))
	if err := store.Name(t.Context(), activities.UpdateName(key, 3), other); err != nil {
		t.Fatal(err)
	}
	if going, err = lineage.OpenUpdates(t.Context(), store, key); err != nil {
		t.Fatal(err)
	}
	if _, err := going.Learning(t.Context()); err == nil || !strings.Contains(err.Error(), string(other)+" is of step 3, expected 2") {
		t.Errorf("a hole: %v", err)
	}
}
