package equivalence_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// rowwise is the logits of a batch's wanted rows, as decoding computes them.
func rowwise(e *torch.Engine, m nn.Decoder, b *nn.Batch, cache *nn.Cache) (rows [][]float32) {
	e.Rowwise(func() {
		e.Scope(func() []*torch.Tensor {
			rows = slices.Collect(slices.Chunk(m.Logits(nn.Forward(m, b, cache)).Floats(), vocabulary))
			return nil
		})
	})
	return rows
}

// alone is the logits of a sequence's every row, computed without company.
func alone(e *torch.Engine, m nn.Decoder, text []int32) [][]float32 {
	b := nn.NewBatch()
	b.Add(text, 0, nn.Place{}, 0, len(text))
	return rowwise(e, m, b, nil)
}

func equal(a, b [][]float32) bool { return slices.EqualFunc(a, b, slices.Equal[[]float32]) }

// A sequence's logits are the same to the last bit alone, and among 2 and 15 others of other lengths.
func TestBatchEqualsRows(t *testing.T) {
	for _, threads := range []int{1, 2} {
		each(t, threads, func(t *testing.T, e *torch.Engine, m nn.Decoder, _ string) {
			rng := rand.New(rand.NewPCG(1, uint64(threads)))
			for range 3 {
				all := texts(rng, 16)
				for _, n := range []int{3, 16} {
					b := nn.NewBatch()
					order := rng.Perm(16)[:n]
					for _, i := range order {
						b.Add(all[i], 0, nn.Place{}, 0, len(all[i]))
					}
					together := rowwise(e, m, b, nil)
					for _, i := range order {
						if !equal(together[:len(all[i])], alone(e, m, all[i])) {
							t.Errorf("%d threads: a sequence of %d tokens differs among %d", threads, len(all[i]), n)
						}
						together = together[len(all[i]):]
					}
				}
			}
		})
	}
}

// A sequence that goes through the cache in passes of any lengths, others joining and leaving beside it, has the
// logits of one pass without a cache, to the last bit.
func TestCachedEqualsUncached(t *testing.T) {
	each(t, 1, func(t *testing.T, e *torch.Engine, m nn.Decoder, _ string) {
		rng := rand.New(rand.NewPCG(2, 2))
		const lanes = 4
		slots := lanes * positions
		cache := m.NewCache(slots, lanes)
		defer cache.Free()
		done := make([]int, lanes)
		all, got := make([][]int32, lanes), make([][][]float32, lanes)
		for finished := 0; finished < 12; {
			b := nn.NewBatch()
			var which []int
			for _, lane := range rng.Perm(lanes) {
				if all[lane] == nil { // a new sequence in the place of one that is done
					all[lane], done[lane], got[lane] = tokens(rng, 1+rng.IntN(150)), 0, nil
				}
				if rng.IntN(3) == 0 {
					continue
				}
				from := done[lane]
				to := min(len(all[lane]), from+1+rng.IntN(1+rng.IntN(50)))
				b.Add(all[lane][from:to], from, nn.Place{Slot: lane * positions, Lane: lane}, 0, to-from)
				which, done[lane] = append(which, lane), to
			}
			if len(which) == 0 {
				continue
			}
			rows := rowwise(e, m, b, cache)
			for i, lane := range which {
				n := int(b.Rows.Offset[i+1] - b.Rows.Offset[i])
				got[lane] = append(got[lane], rows[:n]...)
				rows = rows[n:]
				if done[lane] == len(all[lane]) {
					if !equal(got[lane], alone(e, m, all[lane])) {
						t.Errorf("sequence %d of %d tokens differs", finished, len(all[lane]))
					}
					all[lane] = nil
					finished++
				}
			}
		}
	})
}

// A copy of a sequence's place, made after some of its tokens, goes on as the sequence does and leaves it alone.
func TestCopiedEqualsComputed(t *testing.T) {
	each(t, 1, func(t *testing.T, e *torch.Engine, m nn.Decoder, _ string) {
		rng := rand.New(rand.NewPCG(3, 3))
		cache := m.NewCache(3*positions, 3)
		defer cache.Free()
		place := func(i int) nn.Place { return nn.Place{Slot: i * positions, Lane: i} }
		for _, shared := range []int{1, 2, 63, 64, 90} {
			prefix := tokens(rng, shared)
			b := nn.NewBatch()
			b.Add(prefix, 0, place(0), 0, 1)
			rowwise(e, m, b, cache)
			var ends [][]int32
			b = nn.NewBatch()
			for i := range 3 {
				if i > 0 {
					cache.Copy(e, place(0), place(i), shared)
				}
				ends = append(ends, tokens(rng, 1+rng.IntN(20)))
				b.Add(ends[i], shared, place(i), 0, len(ends[i]))
			}
			rows := rowwise(e, m, b, cache)
			for i, end := range ends {
				want := alone(e, m, slices.Concat(prefix, end))[shared:]
				if !equal(rows[:len(end)], want) {
					t.Errorf("%d tokens shared: copy %d differs", shared, i)
				}
				rows = rows[len(end):]
			}
		}
	})
}

// The last block works on the wanted rows alone: the same bits as of all rows.
func TestWantedEqualsAll(t *testing.T) {
	each(t, 1, func(t *testing.T, e *torch.Engine, m nn.Decoder, _ string) {
		rng := rand.New(rand.NewPCG(4, 4))
		all := texts(rng, 5)
		b := nn.NewBatch()
		var want [][]float32
		for _, text := range all {
			from := rng.IntN(len(text))
			b.Add(text, 0, nn.Place{}, from, len(text))
			want = append(want, alone(e, m, text)[from:]...)
		}
		if got := rowwise(e, m, b, nil); !equal(got, want) {
			t.Errorf("%d wanted rows differ", len(want))
		}
	})
}
