package torch_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// Row by row: libtorch's numbers, and a row's bits are the same alone, among any number of others and with any number
// of threads.
func TestLinearRows(t *testing.T) {
	const most = 61
	for _, size := range [][2]int64{{1, 1}, {7, 3}, {16, 8}, {33, 50}, {64, 160}, {192, 25}, {256, 704}, {1000, 7}} {
		rng := rand.New(rand.NewPCG(1, uint64(size[0])))
		x, w, b := random(rng, most, size[0]), random(rng, size[1], size[0]), random(rng, size[1])
		var first []byte
		for _, threads := range []int{1, 2, 3} {
			e := torchtest.Threads(t, threads)
			torchtest.Do(t, e, func() {
				tx, tw, tb := e.FromFloats(x.data, x.shape...), e.FromFloats(w.data, w.shape...), e.FromFloats(b.data, b.shape...)
				for name, bias := range map[string]*torch.Tensor{"bias": tb, "no bias": nil} {
					want := tx.To(torch.Float64).Linear(tw.To(torch.Float64), toDouble(bias)).To(torch.Float32).Floats()
					var all *torch.Tensor
					e.Rowwise(func() { all = tx.Linear(tw, bias) })
					closeTo(t, fmt.Sprintf("%v, %s", size, name), all.Floats(), want)
					if bias == nil {
						continue
					}
					if first == nil {
						first = all.Bytes()
					}
					if !bytes.Equal(first, all.Bytes()) {
						t.Errorf("%v: %d threads give other bits", size, threads)
					}
					for n := 1; n <= 30; n++ {
						from := rng.IntN(most - n + 1)
						e.Rowwise(func() {
							got := tx.Narrow(0, int64(from), int64(n)).Linear(tw, bias).Bytes()
							at := 4 * int(size[1])
							if !bytes.Equal(got, first[at*from:at*(from+n)]) {
								t.Errorf("%v: rows %d to %d differ alone", size, from, from+n)
							}
						})
					}
				}
			})
		}
	}
}

func toDouble(t *torch.Tensor) *torch.Tensor {
	if t == nil {
		return nil
	}
	return t.To(torch.Float64)
}

// The mode ends with its function, also by a panic, and leaves the gradient mode as it was.
func TestRowwiseEnds(t *testing.T) {
	e := torchtest.Engine(t)
	torchtest.Do(t, e, func() {
		w := e.FromFloats([]float32{2}, 1, 1)
		grad := e.Zeros(torch.Float32, 1)
		x := e.FromFloats([]float32{3}, 1).Leaf(grad, 0, 1, 1)
		e.Grad(func() {
			func() {
				defer func() { _ = recover() }()
				e.Rowwise(func() { panic("out") })
			}()
			x.Linear(w, nil).Sum().Backward()
		})
		if got := grad.Floats()[0]; got != 2 {
			t.Errorf("the gradient is %v, want 2", got)
		}
	})
}
