package torch_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// input is a tensor of random values with a gradient.
type input struct {
	shape []int64
	data  []float32
}

func random(rng *rand.Rand, shape ...int64) input {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	in := input{shape: shape, data: make([]float32, n)}
	for i := range in.data {
		in.data[i] = float32(rng.NormFloat64())
	}
	return in
}

// evaluate is f's result and the gradients of all inputs under a fixed weighting of the result. In fp32 on the CPU
// the fused loops run; in fp64 libtorch's own operations and derivatives.
func evaluate(e *torch.Engine, dtype torch.DType, inputs []input, f func(in []*torch.Tensor) *torch.Tensor) (out []float32, grads [][]float32) {
	var leaves, buffers []*torch.Tensor
	for _, in := range inputs {
		n := int64(len(in.data))
		buffers = append(buffers, e.Zeros(dtype, n))
		leaves = append(leaves, e.FromFloats(in.data, n).To(dtype).Leaf(buffers[len(buffers)-1], 0, in.shape...))
	}
	e.Grad(func() {
		y := f(leaves)
		weights := random(rand.New(rand.NewPCG(8, 8)), y.Shape()...)
		y.Mul(e.FromFloats(weights.data, weights.shape...).To(dtype)).Sum().Backward()
		out = y.To(torch.Float32).Floats()
	})
	for _, b := range buffers {
		grads = append(grads, b.To(torch.Float32).Floats())
	}
	return out, grads
}

// fp32 against fp64: rounding of sums of up to 200 terms of size one.
const fusedTolerance = 2e-5

func agree(t *testing.T, e *torch.Engine, name string, inputs []input, f func(in []*torch.Tensor) *torch.Tensor) {
	t.Helper()
	torchtest.Do(t, e, func() {
		got, gotGrads := evaluate(e, torch.Float32, inputs, f)
		want, wantGrads := evaluate(e, torch.Float64, inputs, f)
		closeTo(t, name, got, want)
		for i := range inputs {
			closeTo(t, name+" gradient "+string(rune('0'+i)), gotGrads[i], wantGrads[i])
		}
	})
}

func closeTo(t *testing.T, name string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d values, want %d", name, len(got), len(want))
		return
	}
	for i := range got {
		d := math.Abs(float64(got[i]) - float64(want[i]))
		if !(d <= torchtest.Tolerance(fusedTolerance)*max(1, math.Abs(float64(want[i])))) {
			t.Errorf("%s: element %d is %v, want %v", name, i, got[i], want[i])
			return
		}
	}
}

func TestFusedEqualsPlain(t *testing.T) {
	for _, threads := range []int{1, 2} {
		e := torchtest.Threads(t, threads)
		rng := rand.New(rand.NewPCG(1, 1))
		for _, width := range []int64{1, 7, 16, 30, 64, 192} {
			agree(t, e, "rms norm", []input{random(rng, 150, width), random(rng, width)}, func(in []*torch.Tensor) *torch.Tensor {
				return in[0].RMSNorm(in[1], 1e-6)
			})
			agree(t, e, "silu mul", []input{random(rng, 150, width), random(rng, 150, width)}, func(in []*torch.Tensor) *torch.Tensor {
				return in[0].Scale(4).SiluMul(in[1])
			})
		}
		for _, width := range []int64{2, 16, 24} {
			cos, sin := random(rng, 20, width/2), random(rng, 20, width/2)
			agree(t, e, "rotary", []input{random(rng, 5, 3, width)}, func(in []*torch.Tensor) *torch.Tensor {
				dtype := in[0].DType()
				return in[0].Rotary(e.FromFloats(cos.data, cos.shape...).To(dtype), e.FromFloats(sin.data, sin.shape...).To(dtype),
					e.FromInts([]int64{0, 19, 3, 3, 7}))
			})
		}
	}
}

func TestAttentionEqualsPlain(t *testing.T) {
	whole := func(lengths ...int64) torch.Sequences {
		s := torch.Sequences{Offset: []int64{0}}
		for _, n := range lengths {
			s.KeyStart = append(s.KeyStart, s.Offset[len(s.Offset)-1])
			s.Offset = append(s.Offset, s.Offset[len(s.Offset)-1]+n)
			for p := range n {
				s.Position = append(s.Position, p)
			}
		}
		return s
	}
	for _, c := range []struct {
		name string
		s    torch.Sequences
		keys int64
	}{
		{"one token", whole(1), 1},
		{"lengths around the vector's", whole(15, 16, 17, 31, 32, 33, 1, 2, 3), 150},
		{"long", whole(150), 150},
		{"last rows of each", torch.Sequences{
			Offset: []int64{0, 1, 4, 6}, KeyStart: []int64{0, 20, 77}, Position: []int64{19, 54, 55, 56, 3, 40},
		}, 120},
		{"one row of a long sequence", torch.Sequences{Offset: []int64{0, 1}, KeyStart: []int64{5}, Position: []int64{90}}, 100},
		{"a sequence without rows", torch.Sequences{
			Offset: []int64{0, 2, 2, 3}, KeyStart: []int64{0, 2, 9}, Position: []int64{0, 1, 5},
		}, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, threads := range []int{1, 2} {
				e := torchtest.Threads(t, threads)
				rng := rand.New(rand.NewPCG(2, 2))
				for _, size := range []struct{ heads, kv, width int64 }{{4, 4, 16}, {6, 2, 32}, {3, 1, 64}, {2, 1, 128}, {2, 2, 20}} {
					rows := c.s.Offset[len(c.s.Offset)-1]
					in := []input{
						random(rng, rows, size.heads, size.width), random(rng, c.keys, size.kv, size.width),
						random(rng, c.keys, size.kv, size.width),
					}
					agree(t, e, "attend", in, func(in []*torch.Tensor) *torch.Tensor {
						return in[0].Attend(in[1], in[2], c.s, 1/math.Sqrt(float64(size.width)))
					})
				}
			}
		})
	}
}

// Scores far apart, as a trained model may give, must neither overflow nor lose the largest.
func TestAttentionOfLargeScores(t *testing.T) {
	e := torchtest.Engine(t)
	rng := rand.New(rand.NewPCG(3, 3))
	in := []input{random(rng, 40, 2, 16), random(rng, 40, 2, 16), random(rng, 40, 2, 16)}
	s := torch.Sequences{Offset: []int64{0, 40}, KeyStart: []int64{0}}
	for p := range int64(40) {
		s.Position = append(s.Position, p)
	}
	torchtest.Do(t, e, func() {
		f := func(in []*torch.Tensor) *torch.Tensor { return in[0].Attend(in[1], in[2], s, 300) }
		got, _ := evaluate(e, torch.Float32, in, f)
		want, _ := evaluate(e, torch.Float64, in, f)
		for i := range got {
			if !(math.Abs(float64(got[i]-want[i])) <= 1e-2) { // scores of a thousand have an error of 1e-4 each
				t.Fatalf("element %d is %v, want %v", i, got[i], want[i])
			}
		}
	})
}

// Against the update written out in fp64 (Loshchilov and Hutter 2019, algorithm 2), decay on the first 5 elements.
func TestAdamW(t *testing.T) {
	for _, dtype := range []torch.DType{torch.Float32, torch.Float64} { // the loop, and libtorch's operations
		e := torchtest.Engine(t)
		rng := rand.New(rand.NewPCG(4, 4))
		const n, decayed = 37, 5
		w, g := random(rng, n), random(rng, n)
		want, m, v := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range want {
			want[i] = float64(w.data[i])
		}
		torchtest.Do(t, e, func() {
			load := func(in input) *torch.Tensor { return e.FromFloats(in.data, n).To(dtype) }
			tw, tg := load(w), load(g)
			tm, tv := e.Zeros(dtype, n), e.Zeros(dtype, n)
			for step := 1; step <= 5; step++ {
				a := torch.AdamW{
					Rate: 1e-2 * float64(step), Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-9, Decay: 0.1, GradScale: 0.5, Decayed: decayed,
					Correction1: 1 - math.Pow(0.9, float64(step)), Correction2: 1 - math.Pow(0.98, float64(step)),
				}
				a.Update(tw, tg, tm, tv)
				for i := range want {
					grad := 0.5 * float64(g.data[i])
					m[i] = 0.9*m[i] + 0.1*grad
					v[i] = 0.98*v[i] + 0.02*grad*grad
					if i < decayed {
						want[i] *= 1 - a.Rate*0.1
					}
					want[i] -= a.Rate * (m[i] / a.Correction1) / (math.Sqrt(v[i]/a.Correction2) + 1e-9)
				}
			}
			for i, got := range tw.To(torch.Float32).Floats() {
				if math.Abs(float64(got)-want[i]) > 1e-6 {
					t.Errorf("type %d: element %d is %v, want %v", dtype, i, got, want[i])
				}
			}
			sum := 0.0
			for _, x := range g.data {
				sum += float64(x) * float64(x)
			}
			if got := tg.SquareSum(); math.Abs(got-sum) > 1e-5*sum {
				t.Errorf("type %d: square sum %v, want %v", dtype, got, sum)
			}
		})
	}
}
