package torch_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// mixed are sequences of every kind: whole ones of many lengths, the last rows of longer ones, one without rows.
func mixed() (s torch.Sequences, keys int64) {
	s.Offset = []int64{0}
	add := func(rows, past int64) {
		s.KeyStart = append(s.KeyStart, keys)
		for i := range rows {
			s.Position = append(s.Position, past+i)
		}
		s.Offset = append(s.Offset, s.Offset[len(s.Offset)-1]+rows)
		keys += past + rows
	}
	for _, n := range []int64{1, 5, 16, 17, 40, 41, 44, 90, 17} {
		add(n, 0)
	}
	add(1, 60)
	add(1, 63)
	add(0, 3)
	add(7, 33)
	return s, keys
}

// In fp32 all three ways agree, results and gradients: the loop, libtorch's own attention, products and a softmax.
func TestPaddedAttention(t *testing.T) {
	e := torchtest.Engine(t)
	s, keys := mixed()
	rows := s.Offset[len(s.Offset)-1]
	for _, size := range []struct{ heads, kv, width int64 }{{4, 4, 16}, {6, 2, 32}, {3, 1, 20}} {
		rng := rand.New(rand.NewPCG(5, 5))
		in := []input{
			random(rng, rows, size.heads, size.width), random(rng, keys, size.kv, size.width), random(rng, keys, size.kv, size.width),
		}
		scale := 1 / math.Sqrt(float64(size.width))
		torchtest.Do(t, e, func() {
			want, wantGrads := evaluate(e, torch.Float32, in, func(in []*torch.Tensor) *torch.Tensor {
				return in[0].Attend(in[1], in[2], s, scale)
			})
			for name, eager := range map[string]bool{"library": false, "eager": true} {
				got, gotGrads := evaluate(e, torch.Float32, in, func(in []*torch.Tensor) *torch.Tensor {
					return in[0].AttendPadded(in[1], in[2], e.Pad(s), scale, eager)
				})
				closeTo(t, name, got, want)
				for i := range in {
					closeTo(t, name+" gradient", gotGrads[i], wantGrads[i])
				}
			}
		})
	}
}

// In bf16 a value has 8 bits: results of size one agree with fp32's to a few of the last.
func TestEagerInBFloat16(t *testing.T) {
	e := torchtest.Engine(t)
	s, keys := mixed()
	rows := s.Offset[len(s.Offset)-1]
	rng := rand.New(rand.NewPCG(6, 6))
	in := []input{random(rng, rows, 6, 32), random(rng, keys, 2, 32), random(rng, keys, 2, 32)}
	torchtest.Do(t, e, func() {
		// The scale makes scores of some hundreds, as trained models have them.
		for _, scale := range []float64{0.18, 20} {
			attend := func(in []*torch.Tensor) *torch.Tensor {
				var b [3]*torch.Tensor
				for i := range b {
					b[i] = in[i].To(torch.BFloat16).To(in[i].DType()) // the same rounded values for both
				}
				return b[0].AttendPadded(b[1], b[2], e.Pad(s), scale, true)
			}
			want, wantGrads := evaluate(e, torch.Float32, in, attend)
			got, gotGrads := evaluate(e, torch.BFloat16, in, attend)
			for i, g := range slices.Concat([][]float32{got}, gotGrads) {
				w := slices.Concat([][]float32{want}, wantGrads)[i]
				most, worst := 0.0, 0.0
				for j := range g {
					if x := float64(g[j]); math.IsNaN(x) || math.IsInf(x, 0) {
						t.Fatalf("scale %v: result %d has %v", scale, i, x)
					}
					most, worst = max(most, math.Abs(float64(w[j]))), max(worst, math.Abs(float64(g[j]-w[j])))
				}
				// Scores of 200 are a whole unit off in bf16: there only that everything is finite is asked.
				if scale < 1 && worst > most/64 {
					t.Errorf("scale %v: result %d is off by %v of %v", scale, i, worst, most)
				}
			}
		}
	})
}

// On the CPU in fp32 a sequence's result is the same to the bit whatever else is in the batch.
func TestEagerDoesNotSeeNeighbours(t *testing.T) {
	e := torchtest.Threads(t, 1)
	s, keys := mixed()
	rows := s.Offset[len(s.Offset)-1]
	rng := rand.New(rand.NewPCG(7, 7))
	in := []input{random(rng, rows, 6, 32), random(rng, keys, 2, 32), random(rng, keys, 2, 32)}
	torchtest.Do(t, e, func() {
		q, k, v := e.FromFloats(in[0].data, in[0].shape...), e.FromFloats(in[1].data, in[1].shape...), e.FromFloats(in[2].data, in[2].shape...)
		all := q.AttendPadded(k, v, e.Pad(s), 0.2, true).Floats()
		for i, start := range s.KeyStart {
			from, n := s.Offset[i], s.Offset[i+1]-s.Offset[i]
			if n == 0 {
				continue
			}
			alone := torch.Sequences{Offset: []int64{0, n}, KeyStart: []int64{start}, Position: s.Position[from : from+n]}
			got := q.Narrow(0, from, n).AttendPadded(k, v, e.Pad(alone), 0.2, true).Floats()
			if !slices.Equal(got, all[from*6*32:(from+n)*6*32]) {
				t.Errorf("sequence %d differs alone", i)
			}
		}
	})
}

func TestPadRefuses(t *testing.T) {
	e := torchtest.Engine(t)
	for name, s := range map[string]torch.Sequences{
		"none":      {},
		"no offset": {KeyStart: []int64{0}},
		"backwards": {Offset: []int64{0, 3, 2}, KeyStart: []int64{0, 0}, Position: []int64{0, 1, 2}},
		"positions": {Offset: []int64{0, 2}, KeyStart: []int64{0}, Position: []int64{0}},
		"negative":  {Offset: []int64{0, 1}, KeyStart: []int64{0}, Position: []int64{-1}},
		"key":       {Offset: []int64{0, 1}, KeyStart: []int64{-1}, Position: []int64{0}},
		"beyond":    {Offset: []int64{0, 1}, KeyStart: []int64{0}, Position: []int64{3}},
		"rows":      {Offset: []int64{0, 2}, KeyStart: []int64{0}, Position: []int64{0, 1}},
	} {
		err := e.Do(t.Context(), func() error {
			q, k := e.Zeros(torch.Float32, 1, 1, 16), e.Zeros(torch.Float32, 3, 1, 16)
			q.AttendPadded(k, k, e.Pad(s), 1, true)
			return nil
		})
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
