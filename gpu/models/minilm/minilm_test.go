package minilm_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hone-rl/hone/gpu/models/minilm"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
	"github.com/hone-rl/hone/internal/outside"
	"github.com/hone-rl/hone/tokenizer"
)

func load(t *testing.T, e *torch.Engine, dir string) *minilm.Model {
	t.Helper()
	var m *minilm.Model
	if err := e.Do(t.Context(), func() (err error) {
		m, err = minilm.Load(e, dir)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Do(context.Background(), func() error { m.Free(); return nil }); err != nil { // the test's context has ended
			t.Error(err)
		}
		if n := e.Handles(); n != 0 {
			t.Errorf("%d tensors are held after Free", n)
		}
	})
	return m
}

func embed(t *testing.T, e *torch.Engine, m *minilm.Model, texts [][]int32) (vectors [][]float32) {
	t.Helper()
	if err := e.Do(t.Context(), func() (err error) {
		vectors, err = m.Embed(t.Context(), texts)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return vectors
}

// TestReference compares with sentence-transformers: 0.99999997 was seen.
func TestReference(t *testing.T) {
	dir := outside.MiniLM(t)
	reference, err := minilm.ReadReference(outside.Shared(t, "model-fixtures", "minilm", "reference.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(reference) != 24 {
		t.Fatalf("%d texts, want 24", len(reference))
	}
	words, err := tokenizer.LoadWordPiece(dir)
	if err != nil {
		t.Fatal(err)
	}
	e := torchtest.Engine(t)
	m := load(t, e, dir)
	var least float64
	if err := e.Do(t.Context(), func() (err error) {
		encode := func(text string) []int32 { return words.EncodeCut(text, minilm.MaxTokens) }
		least, err = reference.Compare(t.Context(), encode, m.Embed)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if least < 0.999999 {
		t.Errorf("least cosine %.9f, want 0.999999", least)
	}
}

// TestBatchEqualsRows: a text's vector is the same bit for bit alone, among others, in another place and on two threads.
func TestBatchEqualsRows(t *testing.T) {
	dir := outside.MiniLM(t)
	rng := rand.New(rand.NewPCG(1, 1))
	var texts [][]int32
	for _, n := range []int{2, 3, 15, 16, 17, 64, 100, 255, 256, 2, 33, 1} {
		text := make([]int32, n)
		for i := range text {
			text[i] = rng.Int32N(30522)
		}
		texts = append(texts, text)
	}
	e := torchtest.Engine(t)
	m := load(t, e, dir)
	together := embed(t, e, m, texts)
	reversed := slices.Clone(texts)
	slices.Reverse(reversed)
	backward := embed(t, e, m, reversed)
	slices.Reverse(backward)
	two := torchtest.Threads(t, 2)
	threaded := embed(t, two, load(t, two, dir), texts)
	for i, text := range texts {
		alone := embed(t, e, m, [][]int32{text})[0]
		if len(alone) != 384 {
			t.Fatalf("%d numbers, want 384", len(alone))
		}
		for name, got := range map[string][]float32{"together": together[i], "backward": backward[i], "two threads": threaded[i]} {
			if !slices.Equal(got, alone) {
				t.Errorf("text of %d tokens: %s it has another vector than alone", len(text), name)
			}
		}
		length := 0.0
		for _, x := range alone {
			length += float64(x) * float64(x)
		}
		if length < 0.99999 || length > 1.00001 {
			t.Errorf("text of %d tokens: length squared %g, want 1", len(text), length)
		}
	}
	if n := len(embed(t, e, m, nil)); n != 0 {
		t.Errorf("%d vectors of no texts", n)
	}
}

// TestPasses: more rows than one pass takes.
func TestPasses(t *testing.T) {
	dir, e := tiny(t), torchtest.Engine(t)
	m := load(t, e, dir)
	texts := make([][]int32, 600)
	for i := range texts {
		texts[i] = slices.Repeat([]int32{int32(i % 30)}, 1+i%16)
	}
	together := embed(t, e, m, texts)
	for _, i := range []int{0, 1, 511, 599} {
		if !slices.Equal(together[i], embed(t, e, m, texts[i:i+1])[0]) {
			t.Errorf("text %d has another vector alone", i)
		}
	}
}

// TestMeta: every tensor is made on the engine's device.
func TestMeta(t *testing.T) {
	dir, e := tiny(t), torchtest.On(t, torch.Config{Device: "meta", Threads: 1})
	m := load(t, e, dir)
	torchtest.Do(t, e, func() {
		b := minilm.NewBatch([][]int32{{1, 2, 3}, {4}}, 16)
		if got := m.Forward(b).Shape(); !slices.Equal(got, []int64{16, 32}) {
			t.Errorf("shape %v, want [16 32]", got)
		}
		if got := m.Forward(b).MeanUnit([]int64{0, 3, 4}).Shape(); !slices.Equal(got, []int64{2, 32}) {
			t.Errorf("shape %v, want [2 32]", got)
		}
	})
}
