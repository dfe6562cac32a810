package torch_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// probabilities 0.05, 0.4, 0.2, 0.05, 0.3 of five tokens, as logits with an offset that changes nothing.
var five = []float64{0.05, 0.4, 0.2, 0.05, 0.3}

func logits(e *torch.Engine, rows ...[]float64) *torch.Tensor {
	var flat []float32
	for _, row := range rows {
		for _, p := range row {
			flat = append(flat, float32(math.Log(p)+3))
		}
	}
	return e.FromFloats(flat, int64(len(rows)), int64(len(rows[0])))
}

// Which tokens can be drawn, and with which probabilities, worked out by hand: temperature T raises probabilities to the
// power of 1/T, then come top-k, then top-p of what is left.
func TestDrawSets(t *testing.T) {
	e := torchtest.Engine(t)
	for _, c := range []struct {
		name string
		draw torch.Draw
		want map[int32]float64
	}{
		{"all", torch.Draw{Temperature: 1}, map[int32]float64{0: 0.05, 1: 0.4, 2: 0.2, 3: 0.05, 4: 0.3}},
		{"greedy", torch.Draw{}, map[int32]float64{1: 1}},
		{"top-k 1", torch.Draw{Temperature: 1, TopK: 1}, map[int32]float64{1: 1}},
		{"top-k 2", torch.Draw{Temperature: 1, TopK: 2}, map[int32]float64{1: 4. / 7, 4: 3. / 7}},
		{"top-k 4 takes the smaller of equals", torch.Draw{Temperature: 1, TopK: 4}, map[int32]float64{0: 0.05 / 0.95, 1: 0.4 / 0.95, 2: 0.2 / 0.95, 4: 0.3 / 0.95}},
		{"top-k of more than there are", torch.Draw{Temperature: 1, TopK: 9}, map[int32]float64{0: 0.05, 1: 0.4, 2: 0.2, 3: 0.05, 4: 0.3}},
		{"top-p below the first", torch.Draw{Temperature: 1, TopP: 0.1}, map[int32]float64{1: 1}},
		{"top-p crossed by the third", torch.Draw{Temperature: 1, TopP: 0.71}, map[int32]float64{1: 4. / 9, 4: 3. / 9, 2: 2. / 9}},
		{"top-p just under two", torch.Draw{Temperature: 1, TopP: 0.69}, map[int32]float64{1: 4. / 7, 4: 3. / 7}},
		{"top-p after top-k", torch.Draw{Temperature: 1, TopK: 2, TopP: 0.5}, map[int32]float64{1: 1}},
		{"temperature 2", torch.Draw{Temperature: 2, TopK: 2}, map[int32]float64{1: 2 / (2 + math.Sqrt(3)), 4: math.Sqrt(3) / (2 + math.Sqrt(3))}},
		{"temperature 1/2", torch.Draw{Temperature: 0.5, TopP: 0.8}, map[int32]float64{1: 16. / 25, 4: 9. / 25}},
	} {
		torchtest.Do(t, e, func() {
			var draws []torch.Draw
			const n = 4000
			for i := range n {
				d := c.draw
				d.Uniform = (float64(i) + 0.5) / n // an even comb: shares are exact up to a tooth for each token
				draws = append(draws, d)
			}
			count := map[int32]float64{}
			for _, d := range logits(e, five).Draw(draws, 0) {
				count[d.Token]++
				want, ok := c.want[d.Token]
				if !ok || math.Abs(d.Drawn-math.Log(want)) > 1e-5 || math.Abs(d.LogProb-math.Log(five[d.Token])) > 1e-5 {
					t.Fatalf("%s: token %d, drawn with log-probability %v, %v of all: want %v", c.name, d.Token, d.Drawn, d.LogProb, c.want)
				}
			}
			for token, p := range c.want {
				if math.Abs(count[token]-p*n) > 2 {
					t.Errorf("%s: token %d in %v of %d, want %v", c.name, token, count[token], n, p*n)
				}
			}
		})
	}
}

// A large vocabulary, uneven parts: the shares of 5,000 draws pass a chi-square test with 20 classes, and each draw
// equals the one worked out in fp64.
func TestDrawLarge(t *testing.T) {
	e := torchtest.Engine(t)
	const n, draws, classes = 5003, 5000, 20
	rng := rand.New(rand.NewPCG(1, 1))
	p, total := make([]float64, n), 0.0
	for i := range p {
		p[i] = math.Exp(2 * rng.NormFloat64())
		total += p[i]
	}
	for i := range p {
		p[i] /= total
	}
	for _, c := range []torch.Draw{{Temperature: 1}, {Temperature: 1, TopK: n - 1}} {
		var all []torch.Draw
		for range draws {
			d := c
			d.Uniform = rng.Float64()
			all = append(all, d)
		}
		torchtest.Do(t, e, func() {
			seen, want := make([]float64, classes), make([]float64, classes)
			for i, q := range p {
				want[i%classes] += q * draws
			}
			for _, d := range logits(e, p).Draw(all, 0) {
				seen[d.Token%classes]++
			}
			square := 0.0
			for i := range seen {
				square += (seen[i] - want[i]) * (seen[i] - want[i]) / want[i]
			}
			// 19 degrees of freedom: 43.82 is passed once in a thousand; the seed is fixed.
			if square > 43.82 {
				t.Errorf("%+v: chi-square %v", c, square)
			}
		})
	}
	torchtest.Do(t, e, func() {
		row := logits(e, p)
		for range 200 {
			u := rng.Float64()
			left, want := u, 0
			for want < n-1 && left >= p[want] {
				left -= p[want]
				want++
			}
			got := row.Draw([]torch.Draw{{Temperature: 1, Uniform: u}}, 0)[0].Token
			if int(got) != want && min(left, p[want]-left) > 1e-7 {
				t.Errorf("uniform %v draws %d, want %d", u, got, want)
			}
		}
	})
}

// The best are in order, ties go to the smaller token; each row is drawn from by itself.
func TestDrawBest(t *testing.T) {
	e := torchtest.Engine(t)
	torchtest.Do(t, e, func() {
		got := logits(e, five, []float64{0.3, 0.3, 0.1, 0.1, 0.2}).Draw([]torch.Draw{{Row: 1}, {Row: 0}}, 4)
		if !slices.Equal(got[0].IDs, []int32{0, 1, 4, 2}) || !slices.Equal(got[1].IDs, []int32{1, 4, 2, 0}) {
			t.Errorf("best %v and %v", got[0].IDs, got[1].IDs)
		}
		if d := math.Abs(float64(got[1].Best[2]) - math.Log(0.2)); d > 1e-6 || got[0].Token != 0 || got[1].Token != 1 {
			t.Errorf("%+v", got)
		}
		values := logits(e, five).LogProbs([]int64{0, 0}, []int64{4, 0})
		if math.Abs(values[0]-math.Log(0.3)) > 1e-6 || math.Abs(values[1]-math.Log(0.05)) > 1e-6 {
			t.Errorf("log-probabilities %v", values)
		}
	})
}

// What cannot be drawn from is told, row by row; tokens without any probability are never drawn.
func TestDrawNotFinite(t *testing.T) {
	e := torchtest.Engine(t)
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for name, c := range map[string]struct {
		row    []float32
		finite bool
	}{
		"nan": {[]float32{1, nan, 2}, false}, "nan first": {[]float32{nan, 1, 2}, false}, "infinite": {[]float32{1, inf, 2}, false},
		"nothing": {[]float32{-inf, -inf, -inf}, false}, "masked": {[]float32{-inf, 1, -inf}, true},
	} {
		torchtest.Do(t, e, func() {
			for _, d := range []torch.Draw{{}, {Temperature: 1}, {Temperature: 1, Uniform: 0.999999999}, {Temperature: 1, TopK: 2}} {
				got := e.FromFloats(c.row, 1, 3).Draw([]torch.Draw{d}, 0)[0]
				if got.Finite != c.finite || c.finite && (got.Token != 1 || got.LogProb != 0) {
					t.Errorf("%s: %+v", name, got)
				}
			}
		})
	}
}

// Products are those of fp64, from any rows, and of bf16 as it is.
func TestProducts(t *testing.T) {
	e := torchtest.Engine(t)
	rng := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int64{1, 7, 8, 30, 256} {
		h, w := random(rng, 3, n), random(rng, 20, n)
		torchtest.Do(t, e, func() {
			rows, tokens := []int64{2, 0, 2, 1}, []int64{19, 3, 3, 0}
			for _, dtype := range []torch.DType{torch.Float32, torch.BFloat16} {
				th, tw := e.FromFloats(h.data, h.shape...).To(dtype), e.FromFloats(w.data, w.shape...).To(dtype)
				fh, fw := th.To(torch.Float32).Floats(), tw.To(torch.Float32).Floats()
				for i, got := range th.Products(tw, rows, tokens) {
					want := 0.0
					for j := range n {
						want += float64(fh[rows[i]*n+j]) * float64(fw[tokens[i]*n+j])
					}
					if math.Abs(got-want) > 1e-12*math.Max(1, math.Abs(want)) {
						t.Errorf("width %d: product %d is %v, want %v", n, i, got, want)
					}
				}
			}
		})
	}
}
