package gpu_test

import (
	"slices"
	"testing"

	"github.com/hone-rl/hone/gpu"
)

func lengths(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = 20 + i*37%200
	}
	return all
}

func sampler(t *testing.T, n, batch, window int, seed uint64) *gpu.Sampler {
	t.Helper()
	s, err := gpu.NewSampler(lengths(n), batch, window, seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSamplerEachExampleOnceAnEpoch(t *testing.T) {
	for _, n := range []int{1, 15, 16, 17, 256, 1000} {
		s := sampler(t, n, 16, 4, 7)
		if got, want := s.Epoch(), (n+15)/16; got != want {
			t.Errorf("%d examples: %d steps an epoch, want %d", n, got, want)
		}
		for epoch := range 2 {
			var seen []int
			for i := range s.Epoch() {
				batch := s.Batch(epoch*s.Epoch() + i)
				if i < s.Epoch()-1 && len(batch) != 16 {
					t.Errorf("%d examples: batch %d has %d", n, i, len(batch))
				}
				seen = append(seen, batch...)
			}
			slices.Sort(seen)
			for i := range n {
				if len(seen) != n || seen[i] != i {
					t.Fatalf("%d examples, epoch %d: saw %v", n, epoch, seen)
				}
			}
		}
	}
}

// A step asked for alone is the step that a run from the start comes to.
func TestSamplerIsAFunctionOfSeedAndStep(t *testing.T) {
	s := sampler(t, 100, 8, 0, 1)
	var run [][]int
	for step := range 40 {
		run = append(run, s.Batch(step))
	}
	for _, step := range []int{39, 0, 13, 12, 14, 26} {
		if got := sampler(t, 100, 8, 0, 1).Batch(step); !slices.Equal(got, run[step]) {
			t.Errorf("step %d: %v alone, %v in a run", step, got, run[step])
		}
	}
	if slices.Equal(sampler(t, 100, 8, 0, 2).Batch(0), run[0]) {
		t.Error("another seed gives the same first batch")
	}
	if slices.Equal(run[0], run[13]) {
		t.Error("the second epoch begins like the first")
	}
}

func TestSamplerBatchesAreOfSimilarLength(t *testing.T) {
	all := lengths(2048)
	s := sampler(t, 2048, 16, 16, 3)
	padded, tokens := 0, 0
	for step := range s.Epoch() {
		longest := 0
		batch := s.Batch(step)
		for _, i := range batch {
			tokens += all[i]
			longest = max(longest, all[i])
		}
		padded += longest * len(batch)
	}
	// Unsorted batches of these lengths are padded by more than half.
	if waste := float64(padded)/float64(tokens) - 1; waste > 0.06 {
		t.Errorf("padding to the longest would add %.3f, want at most 0.06", waste)
	}
}

func TestSamplerRefuses(t *testing.T) {
	for _, c := range []struct{ n, batch, window int }{{0, 1, 1}, {1, 0, 1}, {1, 1, -1}} {
		if _, err := gpu.NewSampler(lengths(c.n), c.batch, c.window, 1); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}
