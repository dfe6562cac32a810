package gpu

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Sampler decides which examples a training step sees, as a function of seed and step alone: nothing has to be
// saved to resume.
//
// An epoch is a seeded shuffle of all examples, each once. The shuffle is cut into windows of Window·Batch examples;
// inside a window examples are sorted by length and cut into batches of similar length, and the order of the
// window's batches is shuffled again, so that length says nothing about when. The last batch of an epoch may be
// smaller. Epoch e+1 begins with the step after the last batch of epoch e.
type Sampler struct {
	lengths []int
	batch   int
	window  int // batches that are sorted together
	seed    uint64

	epoch int // the one in order
	order [][]int
}

// DefaultWindow is how many batches are sorted by length together: 16, the 256 examples at batch 16 of the measured
// recipe.
const DefaultWindow = 16

// NewSampler samples examples of the given lengths (in tokens) in batches. window 0 is DefaultWindow.
func NewSampler(lengths []int, batch, window int, seed uint64) (*Sampler, error) {
	if window == 0 {
		window = DefaultWindow
	}
	if len(lengths) == 0 || batch < 1 || window < 1 {
		return nil, fmt.Errorf("sampler: %d examples, batch %d, window %d: expected at least 1 of each", len(lengths), batch, window)
	}
	return &Sampler{lengths: slices.Clone(lengths), batch: batch, window: window, seed: seed, epoch: -1}, nil
}

// Epoch is how many steps an epoch has.
func (s *Sampler) Epoch() int { return (len(s.lengths) + s.batch - 1) / s.batch }

// Batch is the examples of a step, counted from 0. It may be called for any step in any order, from one goroutine.
func (s *Sampler) Batch(step int) []int {
	epoch := step / s.Epoch()
	if epoch != s.epoch {
		s.order, s.epoch = s.shuffle(epoch), epoch
	}
	return slices.Clone(s.order[step%s.Epoch()])
}

func (s *Sampler) shuffle(epoch int) [][]int {
	rng := rand.New(rand.NewPCG(s.seed, uint64(epoch)))
	all := rng.Perm(len(s.lengths))
	var order [][]int
	for window := range slices.Chunk(all, s.window*s.batch) {
		slices.SortStableFunc(window, func(a, b int) int { return cmp.Compare(s.lengths[a], s.lengths[b]) })
		batches := slices.Collect(slices.Chunk(window, s.batch))
		whole := batches
		if len(window)%s.batch != 0 {
			whole = batches[:len(batches)-1] // the short one stays last
		}
		rng.Shuffle(len(whole), func(i, j int) { whole[i], whole[j] = whole[j], whole[i] })
		order = append(order, batches...)
	}
	return order
}
