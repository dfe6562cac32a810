package nn_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// From MinRows on, a row of a matrix product is the same to the last bit whatever the number of rows and its place
// among them. Decoding rests on this; the matrix library does not promise it, so it is tried for shapes of models.
func TestRowsDoNotDependOnTheirNumber(t *testing.T) {
	for _, threads := range []int{1, 2, 3} {
		e := torchtest.Threads(t, threads)
		least := nn.MinRows(e)
		rng := rand.New(rand.NewPCG(1, uint64(threads)))
		for _, size := range [][2]int{{64, 32}, {64, 160}, {192, 64}, {192, 192}, {192, 512}, {512, 192}, {192, 2048}, {896, 128}, {896, 1216}} {
			in, out := size[0], size[1]
			const most = 700
			values := func(n int) []float32 {
				v := make([]float32, n)
				for i := range v {
					v[i] = float32(rng.NormFloat64())
				}
				return v
			}
			torchtest.Do(t, e, func() {
				x := e.FromFloats(values(most*in), most, int64(in))
				w := e.FromFloats(values(out*in), int64(out), int64(in))
				b := e.FromFloats(values(out), int64(out))
				all := x.Linear(w, b).Bytes()
				counts := []int{least, least + 1, least + 2, least + 3, most - 1}
				for range 12 {
					counts = append(counts, least+rng.IntN(200))
				}
				for _, n := range counts {
					from := rng.IntN(most - n + 1)
					e.Scope(func() []*torch.Tensor {
						got := x.Narrow(0, int64(from), int64(n)).Linear(w, b).Bytes()
						if !bytes.Equal(got, all[4*from*out:4*(from+n)*out]) {
							t.Errorf("%d threads, %d to %d: rows %d to %d of %d differ alone", threads, in, out, from, from+n, most)
						}
						return nil
					})
				}
			})
		}
	}
}

func TestBatch(t *testing.T) {
	b := nn.NewBatch()
	b.Add([]int32{1, 2, 3}, 0, nn.Place{}, 2, 3)
	b.Add([]int32{4}, 5, nn.Place{Slot: 10, Lane: 1}, 0, 1)
	if b.Useful() != 2 || len(b.Tokens) != 4 || b.Slots[3] != 15 || b.Rows.Position[3] != 5 || b.Want[1] != 3 {
		t.Errorf("%+v", b)
	}
	b.Pad(16, nn.Place{Slot: 100, Lane: 2})
	if b.Useful() != 2 || len(b.Want) != 18 || b.Slots[4] != 100 {
		t.Errorf("padded: %+v", b)
	}
	b.Pad(16, nn.Place{Slot: 100, Lane: 2})
	if len(b.Want) != 18 {
		t.Errorf("padded twice: %d wanted", len(b.Want))
	}
	for _, c := range []struct{ vocabulary, positions int }{{4, 64}, {5, 15}} {
		if err := b.Check(c.vocabulary, c.positions); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
	if err := b.Check(5, 16); err != nil {
		t.Error(err)
	}
}
