package train_test

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
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

// 400 steps with dropout, losses and failures hold no tensor and no memory. The first 200 fill the allocators.
func TestNoLeak(t *testing.T) {
	config := recipe
	config.LoRA = &gpu.LoRA{Rank: 4, Alpha: 8, Dropout: 0.1}
	e := torchtest.Engine(t)
	trainer, _ := begin(t, e, tiny, config)
	handles := func() (n int) {
		torchtest.Do(t, e, func() { n = e.Handles() })
		return n
	}
	steps(t, e, trainer, 0, 200)
	heldBefore, before := handles(), resident(t)
	for i := 200; i < 600; i += 50 {
		steps(t, e, trainer, i, i+50)
		torchtest.Do(t, e, func() {
			if _, err := trainer.Loss(t.Context(), batch(uint64(i), 8, 128, 5, 60)); err != nil {
				panic(err)
			}
			if _, err := trainer.Loss(t.Context(), []gpu.Example{{Tokens: []int32{1, 999}, Answer: 1}}); err == nil {
				t.Error("a token outside of the vocabulary: no error")
			}
		})
	}
	heldAfter, after := handles(), resident(t)
	t.Logf("resident pages %d, then %d", before, after)
	if heldAfter != heldBefore {
		t.Errorf("%d tensors held, then %d", heldBefore, heldAfter)
	}
	if after > before+before/20 {
		t.Errorf("resident memory grew from %d to %d pages, more than 5 %%", before, after)
	}
}
