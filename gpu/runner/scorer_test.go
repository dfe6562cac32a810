package runner_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/gpu"
)

// TestScorer: a model that is not trained scores as the trainer that began with it, to the last bit, while that goes on
// learning; with a temperature and with the entropy, too.
func TestScorer(t *testing.T) {
	r := newRunner(t)
	dir := newModel(t, r, 1)
	trainer := newTrainer(t, r, dir, recipe)
	defer closed(t, trainer)
	batch := examples(6, 3)
	how := gpu.Scoring{Temperature: 0.7, Entropy: true}
	want, err := trainer.LogProbs(t.Context(), batch, how)
	if err != nil {
		t.Fatal(err)
	}
	scorer, err := r.Scorer(t.Context(), gpu.PolicyConfig{Model: dir})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := scorer.LogProbs(t.Context(), batch, how)
		if err != nil {
			t.Fatal(err)
		}
		for i := range batch {
			if !slices.Equal(got.LogProbs[i], want.LogProbs[i]) || !slices.Equal(got.Entropy[i], want.Entropy[i]) {
				t.Errorf("example %d: %v, want %v", i, got.LogProbs[i], want.LogProbs[i])
			}
		}
		if _, err := trainer.Step(t.Context(), [][]gpu.Example{batch}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := scorer.LogProbs(t.Context(), batch, gpu.Scoring{Reference: true}); err == nil {
		t.Error("a scorer has a reference")
	}
	closed(t, scorer)
	if _, err := scorer.LogProbs(t.Context(), batch, how); err == nil || !strings.Contains(err.Error(), "has been closed") {
		t.Errorf("a closed scorer: %v", err)
	}
	if _, err := r.Scorer(t.Context(), gpu.PolicyConfig{Model: dir, DType: "int8"}); err == nil || !strings.Contains(err.Error(), `dtype "int8"`) {
		t.Errorf("an unknown type: %v", err)
	}
}
