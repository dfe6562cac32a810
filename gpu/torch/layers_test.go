package torch_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// Linear layers, low-rank parts and embeddings gather the gradients that libtorch's own operations give.
func TestTrainedLayers(t *testing.T) {
	e := torchtest.Engine(t)
	rng := rand.New(rand.NewPCG(3, 3))
	x, w, bias := random(rng, 9, 12), random(rng, 7, 12), random(rng, 7)
	a, b := random(rng, 3, 12), random(rng, 7, 3)
	for name, c := range map[string]struct {
		inputs       []input
		ours, theirs func(in []*torch.Tensor) *torch.Tensor
	}{
		"linear": {
			[]input{x, w, bias},
			func(in []*torch.Tensor) *torch.Tensor { return in[0].TrainedLinear(in[1], in[2]) },
			func(in []*torch.Tensor) *torch.Tensor { return in[0].Linear(in[1], in[2]) },
		},
		"no bias, used twice": {
			[]input{x, w},
			func(in []*torch.Tensor) *torch.Tensor {
				return in[0].TrainedLinear(in[1], nil).Add(in[0].TrainedLinear(in[1], nil))
			},
			func(in []*torch.Tensor) *torch.Tensor { return in[0].Linear(in[1], nil).Scale(2) },
		},
		"not a leaf": {
			[]input{x, w},
			func(in []*torch.Tensor) *torch.Tensor { return in[0].TrainedLinear(in[1].Scale(3), nil) },
			func(in []*torch.Tensor) *torch.Tensor { return in[0].Linear(in[1], nil).Scale(3) },
		},
		"embedding": {
			[]input{w},
			func(in []*torch.Tensor) *torch.Tensor { return in[0].Embedding(e.FromInts([]int64{3, 0, 3, 6})) },
			func(in []*torch.Tensor) *torch.Tensor { return in[0].Rows(e.FromInts([]int64{3, 0, 3, 6})) },
		},
		"lora": {
			[]input{x, a, b},
			func(in []*torch.Tensor) *torch.Tensor {
				return in[0].LoRA(e.FromFloats(w.data, 7, 12).To(in[0].DType()), e.FromFloats(bias.data, 7).To(in[0].DType()), in[1], in[2], 1.5, 0, 0)
			},
			func(in []*torch.Tensor) *torch.Tensor {
				base := in[0].Linear(e.FromFloats(w.data, 7, 12).To(in[0].DType()), e.FromFloats(bias.data, 7).To(in[0].DType()))
				return base.Add(in[0].Linear(in[1], nil).Linear(in[2], nil).Scale(1.5))
			},
		},
	} {
		torchtest.Do(t, e, func() {
			got, gotGrads := evaluate(e, torch.Float32, c.inputs, c.ours)
			want, wantGrads := evaluate(e, torch.Float64, c.inputs, c.theirs)
			closeTo(t, name, got, want)
			for i := range c.inputs {
				closeTo(t, name, gotGrads[i], wantGrads[i])
			}
		})
	}
}

// Dropout drops the share that it is told, whatever came before, differently under another seed, and scales the rest.
func TestDropout(t *testing.T) {
	e := torchtest.Engine(t)
	const n = 200_000
	torchtest.Do(t, e, func() {
		x := e.FromFloats(ones(n), n)
		for _, p := range []float64{0.05, 0.5, 0.9} {
			first, again, other := x.Dropout(p, 1).Floats(), x.Narrow(0, 0, n-7).Dropout(p, 1).Floats(), x.Dropout(p, 2).Floats()
			dropped, both := 0.0, 0.0
			for i, v := range first {
				if v != 0 && math.Abs(float64(v)-1/(1-p)) > 1e-6 {
					t.Fatalf("p %v: a value of %v", p, v)
				}
				if i < len(again) && again[i] != v {
					t.Fatalf("p %v: element %d is another time %v, not %v", p, i, again[i], v)
				}
				if v == 0 {
					dropped++
					if other[i] == 0 {
						both++
					}
				}
			}
			// Four deviations of the binomial distribution.
			if share, wide := dropped/n, 4*math.Sqrt(p*(1-p)/n); math.Abs(share-p) > wide {
				t.Errorf("p %v: %v are dropped", p, share)
			}
			if share, wide := both/n, 4*math.Sqrt(p*p*(1-p*p)/n); math.Abs(share-p*p) > wide {
				t.Errorf("p %v: %v are dropped under both of two seeds, want %v", p, share, p*p)
			}
		}
	})
}

// What LoRA drops on the way back is what it dropped on the way: the gradient is that of the input multiplied by the
// same mask, in fp32 (our loop) and in bf16 (libtorch's generator).
func TestLoRADropsTheSameOnTheWayBack(t *testing.T) {
	e := torchtest.Engine(t)
	rng := rand.New(rand.NewPCG(5, 3))
	const rows, in, p, seed = 6, 16, 0.4, 77
	x, a := random(rng, rows, in), random(rng, in, in)
	for i := range a.data { // the identity: what comes out is what was dropped
		a.data[i] = 0
		if i%(in+1) == 0 {
			a.data[i] = 1
		}
	}
	for dtype, tolerance := range map[torch.DType]float64{torch.Float32: 1e-6, torch.BFloat16: 0.03} {
		torchtest.Do(t, e, func() {
			leaf := e.FromFloats(x.data, rows, in).To(dtype).Detached(true)
			unit := e.FromFloats(a.data, in, in)
			mask := e.FromFloats(ones(rows*in), rows, in).To(dtype).Dropout(p, seed)
			e.Grad(func() {
				y := leaf.LoRA(e.Zeros(dtype, in, in), nil, unit, unit, 1, p, seed)
				within(t, "result", y.To(torch.Float32).Floats(), leaf.Mul(mask).To(torch.Float32).Floats(), tolerance)
				y.BackwardFrom(e.FromFloats(ones(rows*in), rows, in).To(dtype))
			})
			within(t, "gradient", leaf.Gathered().To(torch.Float32).Floats(), mask.To(torch.Float32).Floats(), tolerance)
		})
	}
}
