package torch_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// ending is random final states, a head that is trained, targets and weights.
type ending struct {
	rows, width, vocabulary int64
	hidden, head, weight    []float32
	target                  []int64
}

func newEnding(rows, width, vocabulary int) ending {
	rng := rand.New(rand.NewPCG(1, uint64(vocabulary)))
	normal := func(n int) []float32 {
		all := make([]float32, n)
		for i := range all {
			all[i] = float32(rng.NormFloat64())
		}
		return all
	}
	x := ending{
		rows: int64(rows), width: int64(width), vocabulary: int64(vocabulary),
		hidden: normal(rows * width), head: normal(vocabulary * width), weight: normal(rows),
	}
	for range rows {
		x.target = append(x.target, int64(rng.IntN(vocabulary)))
	}
	return x
}

// values64 computes loss and gradients of sum g·logp + h·entropy in fp64, by the definitions.
func (x ending) values64(temperature float64, g, h []float32) (logp, entropy, dHidden, dHead []float64) {
	dHidden, dHead = make([]float64, len(x.hidden)), make([]float64, len(x.head))
	for r := range int(x.rows) {
		row := x.hidden[r*int(x.width) : (r+1)*int(x.width)]
		z, sum := make([]float64, x.vocabulary), 0.0
		for j := range z {
			for d, v := range row {
				z[j] += float64(v) * float64(x.head[j*int(x.width)+d])
			}
			z[j] /= temperature
			sum += math.Exp(z[j])
		}
		e := 0.0
		for _, v := range z {
			e -= math.Exp(v) / sum * (v - math.Log(sum))
		}
		logp, entropy = append(logp, z[x.target[r]]-math.Log(sum)), append(entropy, e)
		for j, v := range z {
			p, is := math.Exp(v)/sum, 0.0
			if int64(j) == x.target[r] {
				is = 1
			}
			slope := (float64(g[r])*(is-p) - float64(h[r])*p*(v-math.Log(sum)+e)) / temperature
			for d, v := range row {
				dHidden[r*int(x.width)+d] += slope * float64(x.head[j*int(x.width)+d])
				dHead[j*int(x.width)+d] += slope * float64(v)
			}
		}
	}
	return logp, entropy, dHidden, dHead
}

func apart(got []float32, want []float64) (largest float64) {
	for i := range want {
		if d := math.Abs(float64(got[i]) - want[i]); !(d <= largest) {
			largest = d
		}
	}
	return largest
}

// Log-probabilities, entropies and gradients are those of the definitions in fp64, to fp32 rounding, at any size of
// chunk and whatever the vocabulary's last vector holds. The loss function is the same as scores and gradient.
func TestTokenScores(t *testing.T) {
	e := torchtest.Engine(t)
	for _, vocabulary := range []int{5, 16, 333, 2500} {
		for _, chunk := range []torch.ChunkRows{0, 1, 7, 64} {
			for _, temperature := range []float64{1, 0.7} {
				t.Run(fmt.Sprint(vocabulary, chunk, temperature), func(t *testing.T) {
					x := newEnding(23, 24, vocabulary)
					h := newEnding(23, 1, 7).weight
					logp, entropy, dHidden, dHead := x.values64(temperature, x.weight, h)
					torchtest.Do(t, e, func() {
						zero := e.Zeros(torch.Float32, x.vocabulary*x.width)
						head := e.FromFloats(x.head, x.vocabulary*x.width).Leaf(zero, 0, x.vocabulary, x.width)
						hidden, target := e.FromFloats(x.hidden, x.rows, x.width), e.FromInts(x.target)
						ask := torch.Ask{Temperature: temperature, Entropy: true, Best: true, Chunk: chunk}
						s := hidden.TokenScores(head, target, ask)
						gradient := s.Gradient(hidden, head, target, e.FromFloats(x.weight, x.rows), e.FromFloats(h, x.rows), ask)
						for _, c := range []struct {
							what string
							got  *torch.Tensor
							want []float64
						}{{"log-probability", s.LogProb, logp}, {"entropy", s.Entropy, entropy}, {"gradient", gradient, dHidden}, {"head's", zero, dHead}} {
							if d := apart(c.got.Floats(), c.want); d > 2e-5 {
								t.Errorf("%s differs by %g", c.what, d)
							}
						}
						best := hidden.Linear(head, nil).Argmax().Ints()
						for i, b := range s.Best.Ints() {
							if b != best[i] {
								t.Errorf("row %d: best %d, want %d", i, b, best[i])
							}
						}
					})
				})
			}
		}
	}
}

// In one pass or two, loss and gradients are the same bits, and those of the plain operations to rounding.
func TestTokenLoss(t *testing.T) {
	e := torchtest.Engine(t)
	x := newEnding(50, 32, 700)
	torchtest.Do(t, e, func() {
		flat, zero := e.FromFloats(x.head, x.vocabulary*x.width), e.Zeros(torch.Float32, x.vocabulary*x.width)
		head := flat.Leaf(zero, 0, x.vocabulary, x.width)
		hidden, target, weight := e.FromFloats(x.hidden, x.rows, x.width), e.FromInts(x.target), e.FromFloats(x.weight, x.rows)
		loss, gradient := hidden.TokenLoss(head, target, weight, 16)
		one := zero.Floats()
		zero.Zero()
		ask := torch.Ask{Chunk: 16}
		s := hidden.TokenScores(head, target, ask)
		again := s.Gradient(hidden, head, target, weight.Scale(-1), nil, ask)
		within(t, "gradient", again.Floats(), gradient.Floats(), 0)
		within(t, "head's gradient", zero.Floats(), one, 0)
		sum := 0.0
		for i, v := range s.LogProb.Floats() {
			sum -= float64(v) * float64(x.weight[i])
		}
		if math.Abs(sum-loss) > 1e-6*math.Abs(loss) {
			t.Errorf("loss %v, by the log-probabilities %v", loss, sum)
		}

		ones := e.FromFloats(ones(50), 50)
		loss, gradient = hidden.TokenLoss(head.Detached(false), target, ones, 0)
		leaf := hidden.Detached(true)
		e.Grad(func() {
			plain := leaf.Linear(head, nil).CrossEntropy(target)
			if d := math.Abs(plain.Item() - loss); d > 1e-6*loss {
				t.Errorf("loss %v, plain %v", loss, plain.Item())
			}
			plain.Backward()
		})
		within(t, "plain gradient", gradient.Floats(), leaf.Gathered().Floats(), 1e-5)
	})
}

func ones(n int) []float32 {
	all := make([]float32, n)
	for i := range all {
		all[i] = 1
	}
	return all
}

func within(t *testing.T, what string, got, want []float32, tolerance float64) {
	t.Helper()
	wide := make([]float64, len(want))
	for i, v := range want {
		wide[i] = float64(v)
	}
	if d := apart(got, wide); d > tolerance {
		t.Errorf("%s differs by %g, want at most %g", what, d, tolerance)
	}
}

// The logits of all rows are never held: scores, loss and gradient of 3,000 rows over 5,000 tokens, 60 MB of logits in
// fp32, take less than 24 MB beside what they are given and give.
func TestTokenLossHoldsAChunk(t *testing.T) {
	e := torchtest.Engine(t)
	torchtest.Do(t, e, func() {
		head, hidden := e.Zeros(torch.Float32, 5000, 8), e.Zeros(torch.Float32, 3000, 8)
		target, weight := e.FromInts(make([]int64, 3000)), e.FromFloats(ones(3000), 3000)
		e.ResetPeak()
		before := e.Memory().Allocated
		loss, _ := hidden.TokenLoss(head, target, weight, 0)
		s := hidden.TokenScores(head, target, torch.Ask{Entropy: true, Best: true})
		s.Gradient(hidden, head, target, weight, nil, torch.Ask{})
		if more := e.Memory().Peak - before; more > 24<<20 || more < 1<<20 {
			t.Errorf("%d bytes more", more)
		}
		if want := 3000 * math.Log(5000); math.Abs(loss-want) > 1e-6*want {
			t.Errorf("loss %v of equal logits, want %v", loss, want)
		}
	})
}

// In bf16 softmax and loss are in fp32 on the logits that bf16 gives: within its rounding of the fp32 values.
func TestTokenLossInBF16(t *testing.T) {
	e := torchtest.Engine(t)
	x := newEnding(20, 16, 90)
	for i := range x.head {
		x.head[i] *= 0.25
	}
	torchtest.Do(t, e, func() {
		head, hidden := e.FromFloats(x.head, x.vocabulary, x.width), e.FromFloats(x.hidden, x.rows, x.width)
		target, weight := e.FromInts(x.target), e.FromFloats(ones(20), 20)
		want, gradient := hidden.TokenLoss(head, target, weight, 0)
		for _, chunk := range []torch.ChunkRows{0, 6} {
			got, low := hidden.To(torch.BFloat16).TokenLoss(head.To(torch.BFloat16), target, weight, chunk)
			if math.Abs(got-want) > 0.01*want {
				t.Errorf("loss %v, in fp32 %v", got, want)
			}
			if low.DType() != torch.BFloat16 {
				t.Errorf("the gradient has type %d", low.DType())
			}
			within(t, "gradient", low.To(torch.Float32).Floats(), gradient.Floats(), 0.03)
		}
		ask := torch.Ask{Temperature: 0.5, Entropy: true, Best: true, Chunk: 9}
		s := hidden.To(torch.BFloat16).TokenScores(head.To(torch.BFloat16), target, ask)
		f := hidden.TokenScores(head, target, ask)
		within(t, "entropy", s.Entropy.Floats(), f.Entropy.Floats(), 0.03)
		within(t, "log-probability", s.LogProb.Floats(), f.LogProb.Floats(), 0.06)
	})
}

func TestTokenScoresRefuses(t *testing.T) {
	e := torchtest.Engine(t)
	for name, f := range map[string]func(){
		"3: the head has 3": func() {
			e.Zeros(torch.Float32, 2, 4).TokenScores(e.Zeros(torch.Float32, 3, 4), e.FromInts([]int64{0, 3}), torch.Ask{})
		},
		"n targets": func() {
			e.Zeros(torch.Float32, 2, 4).TokenScores(e.Zeros(torch.Float32, 3, 4), e.FromInts([]int64{0}), torch.Ask{})
		},
		"temperature -1": func() {
			e.Zeros(torch.Float32, 1, 4).TokenScores(e.Zeros(torch.Float32, 3, 4), e.FromInts([]int64{0}), torch.Ask{Temperature: -1})
		},
	} {
		if err := e.Do(t.Context(), func() error { f(); return nil }); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want an error with %q", err, name)
		}
	}
	torchtest.Do(t, e, func() { // nothing to score is no error
		s := e.Zeros(torch.Float32, 0, 4).TokenScores(e.Zeros(torch.Float32, 3, 4), e.FromInts(nil), torch.Ask{})
		if n := s.LogProb.Elements(); n != 0 {
			t.Errorf("%d scores of no rows", n)
		}
	})
}
