package gpu_test

import (
	"slices"
	"testing"

	"github.com/hone-rl/hone/gpu"
)

func newSampler(t *testing.T, n, batch int, seed uint64) *gpu.Sampler {
	t.Helper()
	lengths := make([]int, n)
	for i := range lengths {
		lengths[i] = i * 37 % 101
	}
	s, err := gpu.NewSampler(lengths, batch, seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSamplerEpochs(t *testing.T) {
	s := newSampler(t, 1003, 16, 5)
	if got, want := s.PerEpoch(), 63; got != want {
		t.Fatalf("batches an epoch: got %d, want %d", got, want)
	}
	for epoch := range 3 {
		var all []int
		for i := range s.PerEpoch() {
			all = append(all, s.Batch(epoch*s.PerEpoch()+i)...)
		}
		slices.Sort(all)
		for i, got := range all {
			if got != i {
				t.Fatalf("epoch %d: example %d does not stand there once", epoch, i)
			}
		}
	}
	if slices.Equal(s.Batch(0), s.Batch(s.PerEpoch())) {
		t.Error("two epochs begin with the same batch")
	}
}

// TestSamplerResumes: a new sampler asked for a later batch gives what the old one gives.
func TestSamplerResumes(t *testing.T) {
	old := newSampler(t, 500, 8, 9)
	for n := range 200 {
		want := old.Batch(n)
		if got := newSampler(t, 500, 8, 9).Batch(n); !slices.Equal(got, want) {
			t.Fatalf("batch %d: got %v, want %v", n, got, want)
		}
	}
	if slices.Equal(newSampler(t, 500, 8, 10).Batch(0), old.Batch(0)) {
		t.Error("another seed gives the same batch")
	}
}

// TestSamplerLengths: batches hold examples of similar length.
func TestSamplerLengths(t *testing.T) {
	s := newSampler(t, 4096, 16, 1)
	spread := 0
	for n := range s.PerEpoch() {
		low, high := 101, 0
		for _, i := range s.Batch(n) {
			l := i * 37 % 101
			low, high = min(low, l), max(high, l)
		}
		spread += high - low
	}
	if got := spread / s.PerEpoch(); got > 10 { // of 100; without sorting it is about 88
		t.Errorf("mean spread of lengths in a batch: got %d, want at most 10", got)
	}
}

func TestSamplerRefuses(t *testing.T) {
	if _, err := gpu.NewSampler(nil, 16, 1); err == nil {
		t.Error("no examples: accepted")
	}
	if _, err := gpu.NewSampler([]int{1}, 0, 1); err == nil {
		t.Error("batches of none: accepted")
	}
}
