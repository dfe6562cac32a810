package decode_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/decode"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// adapters are two that say something else than the base and than each other.
func adapters(t *testing.T, e *torch.Engine, m nn.Decoder) *nn.Adapters {
	t.Helper()
	set := nn.NewAdapters(e, m)
	torchtest.Do(t, e, func() {
		for i, name := range []string{"one", "two"} {
			a, err := set.New(name, gpu.LoRA{Rank: 4, Alpha: 8, Targets: []string{"all-linear"}}, uint64(i))
			if err != nil {
				panic(err)
			}
			for k, p := range a.Parameters() {
				if k%2 == 0 {
					continue // A; B is zero so far
				}
				rng, values := nn.Generator(uint64(i), p.Name), make([]float32, p.Tensor.Elements())
				for j := range values {
					values[j] = float32(rng.NormFloat64()) * 0.2
				}
				p.Tensor.Copy(e.FromFloats(values, p.Tensor.Shape()...))
			}
		}
	})
	return set
}

// A batcher that has answered under another adapter answers as a new one does: nothing computed with other weights is
// remembered, by whatever way they changed. What did not change them is remembered.
func TestRememberedGoesWithTheWeights(t *testing.T) {
	each(t, func(t *testing.T, e *torch.Engine, m nn.Decoder) {
		set, b, now := adapters(t, e, m), batcher(t, e, m, decode.Config{PassRows: 50}), turns()[0]
		var before answered
		for _, change := range []struct {
			name string
			do   func() error
		}{
			{"two", func() error { return nil }},
			{"none", func() error { return set.Use("") }},
			{"one", func() error { return set.Use("one") }},
			{"two again", func() error { return set.Use("two") }},
			{"merged", func() error { return set.Get("two").MergeKept() }},
			{"taken out", func() error { return set.Get("two").Unmerge() }},
			{"removed", func() error { return set.Remove("two") }},
			{"merged for good", func() error { return errors.Join(set.Use("one"), set.Get("one").Merge()) }},
		} {
			if err := e.Do(t.Context(), change.do); err != nil {
				t.Fatal(err)
			}
			want := fresh(t, e, m, now)
			if got := ask(t, b, now); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: other answers than a new batcher's", change.name)
			}
			if reflect.DeepEqual(want, before) {
				t.Errorf("%s: the change changes nothing", change.name)
			}
			before = want
		}
	})
}

func TestTheSameAdapterIsRemembered(t *testing.T) {
	e := torchtest.Engine(t)
	m := load(t, e, architectures["qwen2"])
	set, b, now := adapters(t, e, m), batcher(t, e, m, decode.Config{}), turns()[0]
	ask(t, b, now)
	first := b.Stats().Tokens
	if err := e.Do(t.Context(), func() error {
		set.Get("two").Off() // as for the reference's scores between two passes
		set.Get("two").On()
		return set.Use("two")
	}); err != nil {
		t.Fatal(err)
	}
	ask(t, b, now)
	if again := b.Stats().Tokens - first; again*2 > first {
		t.Errorf("%d tokens computed again of %d", again, first)
	}
}

// What was half computed when the adapter changed fails by name, and nothing else does.
func TestChangedMeanwhile(t *testing.T) {
	e := torchtest.Engine(t)
	m := load(t, e, architectures["qwen2"])
	set, b := adapters(t, e, m), batcher(t, e, m, decode.Config{PassRows: 64})
	long := []gpu.Sampling{{Prompt: make([]int32, 900), MaxTokens: 100}}
	done := make(chan error, 1)
	go func(ctx context.Context) {
		_, err := b.Sample(ctx, long)
		done <- err
	}(t.Context())
	for b.Stats().Passes < 2 {
		if err := e.Do(t.Context(), func() error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Do(t.Context(), func() error { return set.Use("one") }); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, decode.ErrChanged) {
		t.Errorf("got %v, want %v", err, decode.ErrChanged)
	}
	now := turns()[0]
	if !reflect.DeepEqual(ask(t, b, now), fresh(t, e, m, now)) {
		t.Error("afterwards: other answers than a new batcher's")
	}
}
