package torch_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

func normal(rng *rand.Rand, n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(rng.NormFloat64())
	}
	return out
}

func TestGELU(t *testing.T) {
	e := torchtest.Engine(t)
	var xs []float32
	for x := -12.0; x <= 12; x += 0.0037 {
		xs = append(xs, float32(x))
	}
	xs = append(xs, 0, 1e-30, -1e-30, 1e30, -1e30, float32(math.Inf(1)))
	torchtest.Do(t, e, func() {
		got := e.FromFloats(xs, int64(len(xs))).GELU().Floats()
		for i, x := range xs {
			want := float64(x) * 0.5 * math.Erfc(-float64(x)/math.Sqrt2)
			// Far below 0 the exponent's rounding, 2⁻²⁴·x²/2, is the error's larger part.
			bound := (5e-7 + min(float64(x)*float64(x), 144)*1e-7) * math.Abs(want)
			if diff := math.Abs(float64(got[i]) - want); diff > bound+1e-30 || math.IsNaN(float64(got[i])) {
				if !math.IsInf(want, 1) || !math.IsInf(float64(got[i]), 1) {
					t.Errorf("gelu(%g) = %g, want %g", x, got[i], want)
				}
			}
		}
		if nan := e.FromFloats([]float32{float32(math.NaN())}, 1).GELU().Floats(); !math.IsNaN(float64(nan[0])) {
			t.Errorf("gelu(NaN) = %g", nan[0])
		}
	})
}

func TestLayerNorm(t *testing.T) {
	e := torchtest.Engine(t)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, width := range []int{1, 7, 16, 33, 384} {
		const rows = 5
		x, w, b := normal(rng, rows*width), normal(rng, width), normal(rng, width)
		for i := range x {
			x[i] = x[i]*3 + 100 // a mean that a one-pass variance would lose digits to
		}
		torchtest.Do(t, e, func() {
			got := e.FromFloats(x, rows, int64(width)).LayerNorm(e.FromFloats(w, int64(width)), e.FromFloats(b, int64(width)), 1e-5).Floats()
			for r := range rows {
				row := x[r*width : (r+1)*width]
				mean, variance := 0.0, 0.0
				for _, v := range row {
					mean += float64(v) / float64(width)
				}
				for _, v := range row {
					variance += (float64(v) - mean) * (float64(v) - mean) / float64(width)
				}
				for i, v := range row {
					want := (float64(v)-mean)/math.Sqrt(variance+1e-5)*float64(w[i]) + float64(b[i])
					if diff := math.Abs(float64(got[r*width+i]) - want); diff > 3e-5*(1+math.Abs(want)) {
						t.Errorf("width %d, row %d, %d: %g, want %g", width, r, i, got[r*width+i], want)
					}
				}
			}
		})
	}
}

func TestMeanUnit(t *testing.T) {
	e := torchtest.Engine(t)
	torchtest.Do(t, e, func() {
		x := e.FromFloats([]float32{3, 0, 0, 4, 5, 12, 9, 9}, 4, 2)
		got := x.MeanUnit([]int64{0, 2, 3}).Floats() // the last row belongs to none
		want := []float32{0.6, 0.8, 5.0 / 13, 12.0 / 13}
		for i := range want {
			if math.Abs(float64(got[i]-want[i])) > 1e-7 {
				t.Errorf("got %v, want %v", got, want)
				break
			}
		}
		if zero := e.FromFloats([]float32{0, 0}, 1, 2).MeanUnit([]int64{0, 1}).Floats(); !slices.Equal(zero, []float32{0, 0}) {
			t.Errorf("of zeros: %v, want zeros", zero)
		}
	})
	for name, f := range map[string]func(){
		"no rows":      func() { e.FromFloats([]float32{1, 2}, 1, 2).MeanUnit([]int64{0, 0}) },
		"too many":     func() { e.FromFloats([]float32{1, 2}, 1, 2).MeanUnit([]int64{0, 2}) },
		"no sequences": func() { e.FromFloats([]float32{1, 2}, 1, 2).MeanUnit([]int64{0}) },
		"other width": func() {
			e.Zeros(torch.Float32, 2, 3).LayerNorm(e.Zeros(torch.Float32, 2), e.Zeros(torch.Float32, 2), 1)
		},
	} {
		if err := e.Do(t.Context(), func() error { f(); return nil }); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestEncoderOperations: the loops give what libtorch's operations give, which other types take.
func TestEncoderOperations(t *testing.T) {
	e := torchtest.Engine(t)
	rng := rand.New(rand.NewPCG(2, 2))
	const rows, width = 6, 48
	x, w, b := normal(rng, rows*width), normal(rng, width), normal(rng, width)
	torchtest.Do(t, e, func() {
		tensors := func(dtype torch.DType) []*torch.Tensor {
			tx, tw, tb := e.FromFloats(x, rows, width).To(dtype), e.FromFloats(w, width).To(dtype), e.FromFloats(b, width).To(dtype)
			return []*torch.Tensor{tx.LayerNorm(tw, tb, 1e-12), tx.GELU(), tx.MeanUnit([]int64{0, 1, rows})}
		}
		ours, theirs := tensors(torch.Float32), tensors(torch.Float64)
		for i, name := range []string{"layer norm", "gelu", "mean unit"} {
			a, b := ours[i].Floats(), theirs[i].To(torch.Float32).Floats()
			for j := range a {
				if math.Abs(float64(a[j]-b[j])) > 2e-6 {
					t.Errorf("%s: element %d: %g, libtorch %g", name, j, a[j], b[j])
					break
				}
			}
		}
	})
}
