package torch_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// packing is of whole sequences of those lengths.
func packing(lengths ...int64) torch.Packing {
	p := torch.Packing{Offset: []int64{0}}
	for i, n := range lengths {
		p.Offset = append(p.Offset, p.Offset[i]+n)
		p.Lane, p.Past = append(p.Lane, int64(i)), append(p.Past, 0)
	}
	return p
}

var deltaLengths = map[string][]int64{
	"one token":   {1},
	"short":       {3, 1, 2, 7},
	"one stretch": {32, 31, 33},
	"chunks":      {64, 65, 1, 130},
}

// The loops and their gradients against libtorch's operations in fp64: the convolution, the rule in chunks, the gates.
func TestDeltaEqualsPlain(t *testing.T) {
	for name, lengths := range deltaLengths {
		for _, threads := range []int{1, 2} {
			e := torchtest.Threads(t, threads)
			rng := rand.New(rand.NewPCG(11, 11))
			p := packing(lengths...)
			rows := p.Offset[len(lengths)]
			for _, size := range []torch.DeltaRule{
				{KeyHeads: 2, ValueHeads: 4, KeyDim: 16, ValueDim: 16},
				{KeyHeads: 1, ValueHeads: 2, KeyDim: 20, ValueDim: 24},
				{KeyHeads: 1, ValueHeads: 1, KeyDim: 7, ValueDim: 100},
			} {
				channels, values := int64(2*size.KeyHeads*size.KeyDim+size.ValueHeads*size.ValueDim), int64(size.ValueHeads)
				agree(t, e, fmt.Sprintf("delta rule, %s, %d threads, %+v", name, threads, size.KeyDim), []input{
					random(rng, rows, channels), random(rng, rows, values), random(rng, rows, values), random(rng, values), random(rng, values),
				}, func(in []*torch.Tensor) *torch.Tensor {
					d := size
					d.Mixed, d.A, d.B, d.ALog, d.DTBias = in[0], in[1], in[2], in[3], in[4]
					return d.Forward(e.Pack(p, in[0].DType()), nil)
				})
			}
			for _, size := range [][2]int64{{1, 2}, {70, 4}, {130, 3}} {
				agree(t, e, "causal conv, "+name, []input{random(rng, rows, size[0]), random(rng, size[0], 1, size[1])},
					func(in []*torch.Tensor) *torch.Tensor { return in[0].CausalConv(in[1], e.Pack(p, in[0].DType()), nil) })
			}
		}
	}
	e := torchtest.Engine(t)
	rng := rand.New(rand.NewPCG(12, 12))
	for _, width := range []int64{1, 7, 16, 20, 64} {
		agree(t, e, "gated norm", []input{random(rng, 150, 2*width), random(rng, 150, 2*width), random(rng, width)}, func(in []*torch.Tensor) *torch.Tensor {
			return in[0].GatedNorm(in[1].Scale(3), in[2], 1e-6)
		})
		agree(t, e, "sigmoid mul", []input{random(rng, 150, width), random(rng, 150, 2*width)}, func(in []*torch.Tensor) *torch.Tensor {
			return in[0].SigmoidMul(in[1].Narrow(1, width, width).Scale(4))
		})
		if width > 1 {
			cos, sin := random(rng, 20, width/2), random(rng, 20, width/2)
			agree(t, e, "partial rotary", []input{random(rng, 5, 3, 2*width+1)}, func(in []*torch.Tensor) *torch.Tensor {
				dtype := in[0].DType()
				return in[0].Rotary(e.FromFloats(cos.data, cos.shape...).To(dtype), e.FromFloats(sin.data, sin.shape...).To(dtype),
					e.FromInts([]int64{0, 19, 3, 3, 7}))
			})
		}
	}
}

// The rule written out token by token in fp64, from the formulas.
func TestDeltaRuleByHand(t *testing.T) {
	e := torchtest.Engine(t)
	torchtest.Do(t, e, func() {
		one := func(v ...float32) *torch.Tensor { return e.FromFloats(v, 1, int64(len(v))) }
		vector := func(v ...float32) *torch.Tensor { return e.FromFloats(v, int64(len(v))) }
		// Two tokens, one head, key width 2, value width 1. q = (0, 2), k = (3, 4) → (0.6, 0.8), v = 5; then k = (0, 1).
		mixed := torch.Cat(0, one(0, 2, 3, 4, 5), one(1, 0, 0, 1, -1))
		// A_log = 0, A + dt_bias = ln(e^0.5 - 1): softplus 0.5, decay e^-0.5. B = 0: β = 0.5.
		d := torch.DeltaRule{
			KeyHeads: 1, ValueHeads: 1, KeyDim: 2, ValueDim: 1, Mixed: mixed, A: torch.Cat(0, one(-0.4327521), one(-0.4327521)),
			B: torch.Cat(0, one(0), one(0)), ALog: vector(0), DTBias: vector(0),
		}
		state := e.Zeros(torch.Float32, 1, 1, 2, 1)
		p := packing(2)
		got := d.Forward(e.Pack(p, torch.Float32), state).Floats()
		// S1 = (0.6, 0.8)·2.5 = (1.5, 2); o1 = 2/√2. S' = (0.909796, 1.213061); δ = 0.5·(-1 - 1.213061) = -1.106531;
		// S2 = (0.909796, 0.106531); o2 = 0.909796/√2.
		closeTo(t, "output", got, []float32{1.4142136, 0.643323})
		closeTo(t, "state", state.Floats(), []float32{0.909796, 0.106531})
	})
}

// cut gives a sequence's rows in passes of other lengths, other sequences beside it, through states.
func cut(rng *rand.Rand, length int64) (parts []int64) {
	for length > 0 {
		n := min(length, 1+rng.Int64N(1+rng.Int64N(40)))
		parts = append(parts, n)
		length -= n
	}
	return parts
}

// However a sequence is cut into passes, and whatever stands beside it: the same bits from the loops. The plain
// operations give the same numbers.
func TestDeltaStates(t *testing.T) {
	const lanes = 5
	size := torch.DeltaRule{KeyHeads: 2, ValueHeads: 4, KeyDim: 24, ValueDim: 72}
	channels, values := int64(2*size.KeyHeads*size.KeyDim+size.ValueHeads*size.ValueDim), int64(size.ValueHeads)
	for _, dtype := range []torch.DType{torch.Float32, torch.Float64} {
		for _, threads := range []int{1, 2} {
			e := torchtest.Threads(t, threads)
			rng := rand.New(rand.NewPCG(13, 13))
			lengths := []int64{150, 1, 64, 77, 40}
			var rows [lanes][3]input
			for s, n := range lengths {
				rows[s] = [3]input{random(rng, n, channels), random(rng, n, values), random(rng, n, values)}
			}
			weight, aLog, dtBias := random(rng, channels, 1, 4), random(rng, values), random(rng, values)
			// pass computes rows [from, from+n) of some sequences.
			pass := func(conv, state *torch.Tensor, which []int, from, n []int64) [][]float32 {
				p := torch.Packing{Offset: []int64{0}}
				var parts [3][]*torch.Tensor
				for i, s := range which {
					p.Offset = append(p.Offset, p.Offset[i]+n[i])
					p.Lane, p.Past = append(p.Lane, int64(s)), append(p.Past, from[i])
					for j, in := range rows[s] {
						parts[j] = append(parts[j], e.FromFloats(in.data, in.shape...).To(dtype).Narrow(0, from[i], n[i]))
					}
				}
				load := func(in input) *torch.Tensor { return e.FromFloats(in.data, in.shape...).To(dtype) }
				packed := e.Pack(p, dtype)
				d := size
				d.Mixed = torch.Cat(0, parts[0]...).CausalConv(load(weight), packed, conv)
				d.A, d.B, d.ALog, d.DTBias = torch.Cat(0, parts[1]...), torch.Cat(0, parts[2]...), load(aLog), load(dtBias)
				flat := d.Forward(packed, state).To(torch.Float32).Floats()
				var out [][]float32
				width := int64(size.ValueHeads * size.ValueDim)
				for i := range which {
					out = append(out, flat[p.Offset[i]*width:p.Offset[i+1]*width])
				}
				return out
			}
			torchtest.Do(t, e, func() {
				fresh := func() (conv, state *torch.Tensor) {
					// What lanes held before must not matter.
					return random(rng, lanes, channels, 3).tensor(e, dtype), random(rng, lanes, values, 24, 72).tensor(e, dtype)
				}
				var want [lanes][]float32
				var wantState []float32
				for s, n := range lengths {
					want[s] = pass(nil, nil, []int{s}, []int64{0}, []int64{n})[0]
				}
				{
					conv, state := fresh()
					pass(conv, state, []int{0, 1, 2, 3, 4}, make([]int64, lanes), lengths)
					wantState = append(conv.To(torch.Float32).Floats(), state.To(torch.Float32).Floats()...)
				}
				for range 4 {
					conv, state := fresh()
					var got [lanes][]float32
					done := make([]int64, lanes)
					var left [lanes][]int64
					for s, n := range lengths {
						left[s] = cut(rng, n)
					}
					for {
						var which []int
						var from, n []int64
						for _, s := range rng.Perm(lanes) {
							if len(left[s]) > 0 && rng.IntN(3) > 0 {
								which, from, n = append(which, s), append(from, done[s]), append(n, left[s][0])
								done[s], left[s] = done[s]+left[s][0], left[s][1:]
							}
						}
						if len(which) == 0 && slices.Equal(done, lengths) {
							break
						}
						if len(which) == 0 {
							continue
						}
						for i, out := range pass(conv, state, which, from, n) {
							got[which[i]] = append(got[which[i]], out...)
						}
					}
					gotState := append(conv.To(torch.Float32).Floats(), state.To(torch.Float32).Floats()...)
					for s := range lengths {
						same(t, fmt.Sprintf("type %d, sequence %d", dtype, s), dtype, got[s], want[s])
					}
					same(t, "states", dtype, gotState, wantState)
				}
			})
		}
	}
}

func (in input) tensor(e *torch.Engine, dtype torch.DType) *torch.Tensor {
	return e.FromFloats(in.data, in.shape...).To(dtype)
}

// same is equality for the loops, closeness for libtorch's operations.
func same(t *testing.T, name string, dtype torch.DType, got, want []float32) {
	t.Helper()
	if dtype != torch.Float32 {
		closeTo(t, name, got, want)
		return
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: not the same bits", name)
	}
}
