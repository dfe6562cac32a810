package decode_test

import (
	"math/rand/v2"
	"testing"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/memory"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/decode"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// TestMemory holds the estimate of decoding against what libtorch allocates, with a cache that has grown once.
func TestMemory(t *testing.T) {
	const slots, prompt, games = 8192, 480, 15
	each(t, func(t *testing.T, e *torch.Engine, m nn.Decoder) {
		described, err := checkpoint.Parse([]byte(architectures[t.Name()[len("TestMemory/"):]]))
		if err != nil {
			t.Fatal(err)
		}
		var base int64
		torchtest.Do(t, e, func() {
			e.ResetPeak()
			base = e.Memory().Allocated
		})
		rng := rand.New(rand.NewPCG(1, 1))
		var requests []gpu.Choice
		for range games {
			r := gpu.Choice{Candidates: [][]int32{{1, 2}, {3, 4, 5}}}
			for range prompt {
				r.Prompt = append(r.Prompt, int32(rng.IntN(300)))
			}
			requests = append(requests, r)
		}
		if _, err := batcher(t, e, m, decode.Config{CacheTokens: slots}).Choose(t.Context(), requests); err != nil {
			t.Fatal(err)
		}
		var peak int64
		torchtest.Do(t, e, func() { peak = e.Memory().Peak - base })
		use, err := memory.Decoding{Model: described, Prompt: prompt, Lanes: 32, Slots: slots}.Use()
		if err != nil {
			t.Fatal(err)
		}
		got, want := use.Peak-use.Weights, peak // the weights were there before
		off := float64(got)/float64(want) - 1
		t.Logf("%.1f MB, estimated %.1f MB (%+.1f %%)", float64(want)/1e6, float64(got)/1e6, 100*off)
		if off < -0.05 || off > 0.15 {
			t.Errorf("the estimate is off by %+.1f %%", 100*off)
		}
	})
}
