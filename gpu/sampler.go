package gpu

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
)

// Sampler orders examples into batches of similar length. Which examples make batch n is a function of lengths,
// batch size, seed and n alone, so that a training run that goes on from a step needs no state of it.
//
// In each epoch the examples are shuffled, sorted by length within windows of windowBatches batches (so that little
// is padded), cut into batches, and the batches of a window shuffled. Every example stands once in every epoch; the
// last batch of an epoch may be smaller.
type Sampler struct {
	lengths []int
	batch   int
	seed    uint64

	mu      sync.Mutex
	epoch   int
	batches [][]int // of epoch
}

// windowBatches is how many batches are sorted by length together.
const windowBatches = 16

// NewSampler orders examples of the given lengths in tokens.
func NewSampler(lengths []int, batch int, seed uint64) (*Sampler, error) {
	if len(lengths) == 0 || batch < 1 {
		return nil, fmt.Errorf("sampler: %d examples in batches of %d, expected some of both", len(lengths), batch)
	}
	return &Sampler{lengths: slices.Clone(lengths), batch: batch, seed: seed, epoch: -1}, nil
}

// PerEpoch is how many batches an epoch has.
func (s *Sampler) PerEpoch() int { return (len(s.lengths) + s.batch - 1) / s.batch }

// Batch is the examples of batch n, counted from 0 over all epochs, as indices into lengths. It is the caller's.
func (s *Sampler) Batch(n int) []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if epoch := n / s.PerEpoch(); epoch != s.epoch {
		s.epoch, s.batches = epoch, s.order(epoch)
	}
	return slices.Clone(s.batches[n%s.PerEpoch()])
}

func (s *Sampler) order(epoch int) [][]int {
	draw := rand.New(rand.NewPCG(s.seed, uint64(epoch)))
	all := draw.Perm(len(s.lengths))
	var batches [][]int
	for window := range slices.Chunk(all, windowBatches*s.batch) {
		slices.SortStableFunc(window, func(a, b int) int { return cmp.Compare(s.lengths[a], s.lengths[b]) })
		cut := slices.Collect(slices.Chunk(window, s.batch))
		draw.Shuffle(len(cut), func(i, j int) { cut[i], cut[j] = cut[j], cut[i] })
		batches = append(batches, cut...)
	}
	return batches
}
