package runner_test

import (
	"strings"
	"testing"

	"github.com/hone-rl/hone/gpu/models/minilm"
	"github.com/hone-rl/hone/internal/outside"
	"github.com/hone-rl/hone/tokenizer"
)

// TestEmbedder: texts like one another have vectors like one another, and a closed one says so.
func TestEmbedder(t *testing.T) {
	dir := outside.MiniLM(t)
	words, err := tokenizer.LoadWordPiece(dir)
	if err != nil {
		t.Fatal(err)
	}
	m, err := newRunner(t).Embedder(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	reference, err := minilm.ReadReference(outside.Shared(t, "model-fixtures", "minilm", "reference.json"))
	if err != nil {
		t.Fatal(err)
	}
	least, err := reference.Compare(t.Context(), func(text string) []int32 { return words.EncodeCut(text, minilm.MaxTokens) }, m.Embed)
	if err != nil || least < minilm.MinCosine {
		t.Errorf("least cosine with the reference %g, error %v", least, err)
	}
	texts := [][]int32{}
	for _, text := range []string{"Heat the mug in the microwave.", "Warm up a cup using the microwave.", "The stock market fell on Monday."} {
		texts = append(texts, words.Encode(text))
	}
	v, err := m.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if near, far := product(v[0], v[1]), product(v[0], v[2]); near < 0.7 || far > 0.3 {
		t.Errorf("alike: %g, unlike: %g", near, far)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Embed(t.Context(), texts); err == nil || !strings.Contains(err.Error(), "embedder: it has been closed") {
		t.Errorf("after Close: %v", err)
	}
	if _, err := newRunner(t).Embedder(t.Context(), t.TempDir()); err == nil {
		t.Error("an empty folder: no error")
	}
}

func product(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
