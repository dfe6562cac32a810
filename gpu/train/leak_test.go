package train_test

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
	"github.com/hone-rl/hone/gpu/train"
)

// resident is the process's resident memory in pages, after the Go heap has given back what it can.
func resident(t *testing.T) int {
	t.Helper()
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skipf("no resident memory to read here: %v", err)
	}
	var size, pages int
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages
}

// 2,000 steps with dropout, supervised and by an objective, with losses and failures between, hold no tensor and no
// memory (1,000 where blocks are computed again): the resident memory of the last is within 5 % of that after the first 400, which fill the allocators.
func TestNoLeak(t *testing.T) {
	for name, last := range map[string]int{"kept": 2000, "recomputed": 1000} {
		t.Run(name, func(t *testing.T) {
			config := recipe
			config.LoRA, config.Recompute = &gpu.LoRA{Rank: 4, Alpha: 8, Dropout: 0.1}, name == "recomputed"
			e := torchtest.Engine(t)
			trainer, _ := begin(t, e, tiny, config)
			leaky := func(from, to int) {
				torchtest.Do(t, e, func() { mixed(t, trainer, from, to) })
			}
			handles := func() (n int) {
				torchtest.Do(t, e, func() { n = e.Handles() })
				return n
			}
			leaky(0, 400)
			heldBefore, before := handles(), resident(t)
			leaky(400, last)
			heldAfter, after := handles(), resident(t)
			t.Logf("resident pages %d, then %d", before, after)
			if heldAfter != heldBefore {
				t.Errorf("%d tensors held, then %d", heldBefore, heldAfter)
			}
			if after > before+before/20 {
				t.Errorf("resident memory grew from %d to %d pages, more than 5 %%", before, after)
			}
		})
	}
}

// mixed is short steps of all kinds.
func mixed(t *testing.T, trainer *train.Trainer, from, to int) {
	sum := func(_ int, v gpu.TokenValues) (loss float64, by gpu.TokenValues, err error) {
		by.LogProbs = filled(v, func(i, k int) float32 { loss -= float64(v.LogProbs[i][k]); return -1 })
		return loss, by, nil
	}
	for i := from; i < to; i++ {
		micro := [][]gpu.Example{batch(uint64(i), 2, 128, 5, 30)}
		var err error
		if i%4 == 0 {
			_, err = trainer.StepBy(t.Context(), micro, gpu.Scoring{Entropy: true}, sum)
		} else {
			_, err = trainer.Step(t.Context(), micro)
		}
		if err != nil {
			panic(err)
		}
		if i%50 > 0 {
			continue
		}
		if _, err := trainer.Loss(t.Context(), micro[0]); err != nil {
			panic(err)
		}
		if _, err := trainer.LogProbs(t.Context(), micro[0], gpu.Scoring{Reference: true}); err != nil {
			panic(err)
		}
		if _, err := trainer.Loss(t.Context(), []gpu.Example{{Tokens: []int32{1, 999}, Answer: 1}}); err == nil {
			t.Error("a token outside of the vocabulary: no error")
		}
	}
}
