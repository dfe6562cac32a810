package torch_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// Derivatives that are written out, against differences in fp64: with a step of 1e-4 these are right to about 1e-7.
func TestDerivativesOfPlainLayers(t *testing.T) {
	e := torchtest.Engine(t)
	rng := rand.New(rand.NewPCG(9, 9))
	table := random(rng, 4, 3)
	layers := map[string]struct {
		in []input
		f  func(in []*torch.Tensor) *torch.Tensor
	}{
		"rms norm": {[]input{random(rng, 3, 7), random(rng, 7)}, func(in []*torch.Tensor) *torch.Tensor { return in[0].RMSNorm(in[1], 1e-3) }},
		"silu mul": {[]input{random(rng, 3, 7), random(rng, 3, 7)}, func(in []*torch.Tensor) *torch.Tensor { return in[0].SiluMul(in[1]) }},
		"rotary": {[]input{random(rng, 3, 2, 8)}, func(in []*torch.Tensor) *torch.Tensor {
			cos := e.FromFloats(table.data, 4, 3).To(torch.Float64)
			return in[0].Rotary(cos, cos.Scale(0.5), e.FromInts([]int64{2, 0, 3}))
		}},
		"eager attention": {[]input{random(rng, 5, 4, 6), random(rng, 5, 2, 6), random(rng, 5, 2, 6)}, func(in []*torch.Tensor) *torch.Tensor {
			s := torch.Sequences{Offset: []int64{0, 3, 5}, KeyStart: []int64{0, 3}, Position: []int64{0, 1, 2, 0, 1}}
			return in[0].AttendPadded(in[1], in[2], e.Pad(s), 0.7, true)
		}},
	}
	for name, l := range layers {
		torchtest.Do(t, e, func() {
			_, grads := evaluate(e, torch.Float64, l.in, l.f)
			// The sum that evaluate takes the gradient of, at the inputs moved by d at element j of input i.
			at := func(i, j int, d float64) float64 {
				var moved []*torch.Tensor
				for k, x := range l.in {
					data := make([]float32, len(x.data))
					copy(data, x.data)
					m := e.FromFloats(data, x.shape...).To(torch.Float64)
					if k == i {
						one := make([]float32, len(data))
						one[j] = 1
						m = m.Add(e.FromFloats(one, x.shape...).To(torch.Float64).Times(d))
					}
					moved = append(moved, m)
				}
				y := l.f(moved)
				weights := random(rand.New(rand.NewPCG(8, 8)), y.Shape()...)
				return y.Mul(e.FromFloats(weights.data, weights.shape...).To(torch.Float64)).Sum().Item()
			}
			const step = 1e-4
			for i, x := range l.in {
				for j := range x.data {
					want := (at(i, j, step) - at(i, j, -step)) / (2 * step)
					if got := float64(grads[i][j]); !(math.Abs(got-want) <= 2e-6*max(1, math.Abs(want))) {
						t.Fatalf("%s: gradient %d of input %d is %v, want %v", name, j, i, got, want)
					}
				}
			}
		})
	}
}
