package train_test

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/models"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
	"github.com/hone-rl/hone/gpu/train"
)

func answers(micro ...[]gpu.Example) (n int) {
	for _, part := range micro {
		for _, x := range part {
			n += len(x.Learned())
		}
	}
	return n
}

// filled is values in the shape of v's log-probabilities.
func filled(v gpu.TokenValues, f func(i, t int) float32) [][]float32 {
	all := make([][]float32, len(v.LogProbs))
	for i, row := range v.LogProbs {
		all[i] = make([]float32, len(row))
		for t := range row {
			all[i][t] = f(i, t)
		}
	}
	return all
}

// The supervised loss as an objective: the same losses, gradient norms and parameters as Step's, bit for bit, dropout,
// two micro-batches and recomputation included.
func TestStepByIsStep(t *testing.T) {
	for name, v := range variants() {
		t.Run(name, func(t *testing.T) {
			e := torchtest.Engine(t)
			plain, _ := begin(t, e, v.model, v.config)
			by, _ := begin(t, e, v.model, v.config)
			torchtest.Do(t, e, func() {
				for i := range 3 {
					micro := [][]gpu.Example{batch(uint64(i), 4, 128, 5, 60), batch(uint64(100+i), 3, 128, 5, 60)}
					want, err := plain.Step(t.Context(), micro)
					if err != nil {
						panic(err)
					}
					n := float64(answers(micro...))
					got, err := by.StepBy(t.Context(), micro, gpu.Scoring{}, func(_ int, v gpu.TokenValues) (loss float64, d gpu.TokenValues, err error) {
						for _, row := range v.LogProbs {
							for _, p := range row {
								loss -= float64(p) / n
							}
						}
						d.LogProbs = filled(v, func(int, int) float32 { return float32(-1 / n) })
						return loss, d, nil
					})
					if err != nil {
						panic(err)
					}
					if got.GradNorm != want.GradNorm || got.Rate != want.Rate || got.Tokens != want.Tokens || math.Abs(got.Loss-want.Loss) > 1e-6 {
						t.Errorf("step %d: %+v, want %+v", i, got, want)
					}
				}
			})
			_, a := saved(t, e, plain)
			_, b := saved(t, e, by)
			if !slices.Equal(a, b) {
				t.Error("the states differ")
			}
		})
	}
}

// PPO's clipped objective with a penalty by the estimator k3 of the distance to a reference (rl-spec, B5), checked
// against values by hand; and its gradient arrives: it is the derivative of the loss along it, to second order.
func TestClippedObjective(t *testing.T) {
	// -1.0 now, -1.2 before: ratio e^0.2 = 1.2214 is cut at 1.2 for a positive advantage, so no gradient from it.
	// Reference -1.2: d = -0.2, k3 = e^-0.2 + 0.2 - 1 = 0.018731, derivative 1 - e^d = 0.181269.
	loss, slope := clipped(-1, -1.2, -1.2, 1)
	if math.Abs(loss-(-1.2+0.01*0.018731)) > 1e-6 || math.Abs(slope-0.01*0.181269) > 1e-7 {
		t.Errorf("loss %v, slope %v", loss, slope)
	}
	// Advantage -1, ratio 5: max(5, 1.2) capped at 3, no gradient from it.
	if loss, slope := clipped(math.Log(5)-2, -2, math.Log(5)-2, -1); math.Abs(loss-3) > 1e-6 || math.Abs(slope) > 1e-9 {
		t.Errorf("dual clip: loss %v, slope %v", loss, slope)
	}
	// Inside of the clip: loss -ratio·A, slope the same.
	if loss, slope := clipped(-1, -1.1, -1, 2); math.Abs(loss+2*math.Exp(0.1)) > 1e-6 || math.Abs(slope+2*math.Exp(0.1)) > 1e-6 {
		t.Errorf("inside: loss %v, slope %v", loss, slope)
	}

	config := recipe
	config.Schedule, config.Warmup, config.LoRA = "linear", 0, &gpu.LoRA{Rank: 4, Alpha: 8}
	config.Rate = 1e-5 // small: the loss is straight over a step
	e := torchtest.Engine(t)
	trainer, _ := begin(t, e, tiny, config)
	micro := [][]gpu.Example{batch(1, 3, 128, 20, 40), batch(2, 2, 128, 20, 40)}
	torchtest.Do(t, e, func() {
		how := gpu.Scoring{Temperature: 0.8, Entropy: true}
		// Before an adapter is trained the reference is the model: the ratio is 1, the penalty 0, the slope -A.
		var old, reference []gpu.TokenValues
		for _, part := range micro {
			v, err := trainer.LogProbs(t.Context(), part, how)
			if err != nil {
				panic(err)
			}
			r, err := trainer.LogProbs(t.Context(), part, gpu.Scoring{Temperature: 0.8, Reference: true})
			if err != nil {
				panic(err)
			}
			for i := range v.LogProbs {
				if !slices.Equal(v.LogProbs[i], r.LogProbs[i]) {
					t.Error("an adapter that is not trained changes log-probabilities")
				}
			}
			old, reference = append(old, v), append(reference, r)
		}
		const bonus = 0.001 // of the entropy
		objective := func(m int, v gpu.TokenValues) (loss float64, by gpu.TokenValues, err error) {
			by.Entropy = filled(v, func(int, int) float32 { return -bonus })
			by.LogProbs = filled(v, func(i, k int) float32 {
				l, d := clipped(float64(v.LogProbs[i][k]), float64(old[m].LogProbs[i][k]), float64(reference[m].LogProbs[i][k]), float64(i)-1)
				loss += l - bonus*float64(v.Entropy[i][k])
				return float32(d)
			})
			return loss, by, nil
		}
		first, err := trainer.StepBy(t.Context(), micro, how, objective)
		if err != nil {
			panic(err)
		}
		want := 0.0
		for m, part := range old {
			for i, row := range part.LogProbs {
				for k := range row {
					want += -(float64(i) - 1) - bonus*float64(old[m].Entropy[i][k])
				}
			}
		}
		if math.Abs(first.Loss-want) > 1e-4*math.Abs(want) {
			t.Errorf("loss %v, want %v: ratio 1, no penalty", first.Loss, want)
		}
		for range 3 { // Adam's first steps move each parameter by about the rate against its gradient's sign
			next, err := trainer.StepBy(t.Context(), micro, how, objective)
			if err != nil {
				panic(err)
			}
			if next.Loss >= first.Loss {
				t.Errorf("the loss went from %v to %v", first.Loss, next.Loss)
			}
			first = next
		}
		if v, err := trainer.LogProbs(t.Context(), micro[0], gpu.Scoring{Temperature: 0.8, Reference: true}); err != nil || !slices.Equal(v.LogProbs[0], reference[0].LogProbs[0]) {
			t.Errorf("the reference moved (%v)", err)
		}
	})
}

// clipped is the loss of one token and its derivative by the log-probability p.
func clipped(p, old, reference, advantage float64) (loss, slope float64) {
	const clip, dual, penalty = 0.2, 3.0, 0.01
	ratio := math.Exp(p - old)
	loss, slope = -advantage*ratio, -advantage*ratio
	if cut := -advantage * min(max(ratio, 1-clip), 1+clip); cut > loss {
		loss, slope = cut, 0
	}
	if advantage < 0 && loss > -advantage*dual {
		loss, slope = -advantage*dual, 0
	}
	d := reference - p
	return loss + penalty*(math.Exp(d)-d-1), slope + penalty*(1-math.Exp(d))
}

// An example's values are the same bits alone, in any company, and they are those that the loss is the mean of.
func TestLogProbs(t *testing.T) {
	for name, model := range architectures {
		t.Run(name, func(t *testing.T) { logProbs(t, model) })
	}
}

func logProbs(t *testing.T, model any) {
	e := torchtest.Engine(t)
	trainer, _ := begin(t, e, model, recipe)
	all := batch(3, 9, 128, 5, 60)
	all = append(all, gpu.Example{Tokens: all[0].Tokens[:5:5], Answer: 1, Read: []gpu.Span{{From: 2, To: 4}}})
	torchtest.Do(t, e, func() {
		how := gpu.Scoring{Entropy: true}
		together, err := trainer.LogProbs(t.Context(), all, how)
		if err != nil {
			panic(err)
		}
		loss, err := trainer.Loss(t.Context(), all)
		if err != nil {
			panic(err)
		}
		sum := 0.0
		for i, x := range all {
			alone, err := trainer.LogProbs(t.Context(), []gpu.Example{x}, how)
			if err != nil {
				panic(err)
			}
			if len(together.LogProbs[i]) != len(x.Learned()) {
				t.Fatalf("example %d: %d values of %d answer tokens", i, len(together.LogProbs[i]), len(x.Learned()))
			}
			if !slices.Equal(alone.LogProbs[0], together.LogProbs[i]) || !slices.Equal(alone.Entropy[0], together.Entropy[i]) {
				t.Errorf("example %d: alone %v, together %v", i, alone, together.LogProbs[i])
			}
			for k, p := range together.LogProbs[i] {
				sum -= float64(p)
				if h := together.Entropy[i][k]; h < 0 || float64(h) > math.Log(128)+1e-5 {
					t.Errorf("an entropy of %v over 128 tokens", h)
				}
			}
		}
		if math.Abs(sum/float64(loss.Tokens)-loss.Loss) > 1e-6 {
			t.Errorf("mean %v, loss %v", sum/float64(loss.Tokens), loss.Loss)
		}
	})
}

// A temperature that no logit survives is refused, and so are scores of weights that are not numbers.
func TestLogProbsAreNumbers(t *testing.T) {
	e := torchtest.Engine(t)
	trainer, dir := begin(t, e, tiny, recipe)
	examples := batch(1, 2, 128, 20, 40)
	torchtest.Do(t, e, func() {
		for _, temperature := range []float64{-1, 1e-300, 9e-5, 1.1e4, 1e300, math.NaN(), math.Inf(1)} {
			how := gpu.Scoring{Temperature: temperature, Entropy: true}
			if v, err := trainer.LogProbs(t.Context(), examples, how); err == nil || !strings.Contains(err.Error(), "temperature") {
				t.Errorf("temperature %v: %v, %v, want an error", temperature, v.LogProbs, err)
			}
		}
		for _, temperature := range []float64{0, gpu.MinTemperature, gpu.MaxTemperature} {
			v, err := trainer.LogProbs(t.Context(), examples, gpu.Scoring{Temperature: temperature, Entropy: true})
			if err != nil {
				t.Errorf("temperature %v: %v", temperature, err)
			}
			if temperature == gpu.MaxTemperature {
				if h := float64(v.Entropy[0][0]); math.Abs(h-math.Log(128)) > 1e-4 {
					t.Errorf("at temperature %v the entropy over 128 tokens is %v", temperature, h)
				}
			}
		}
	})
	poison(t, filepath.Join(dir, "model.safetensors"), "model.norm.weight", 3)
	torchtest.Do(t, e, func() {
		m, err := models.Load(e, dir, nn.Options{})
		if err != nil {
			panic(err)
		}
		bad, err := train.New(e, m, recipe)
		if err != nil {
			panic(err)
		}
		if v, err := bad.LogProbs(t.Context(), examples, gpu.Scoring{}); !errors.Is(err, train.ErrNotFinite) || !strings.Contains(err.Error(), "example 0: log-probability NaN of answer token 0") {
			t.Errorf("a norm that is not a number: %v, %v", v.LogProbs, err)
		}
	})
}

func TestStepByRefuses(t *testing.T) {
	e := torchtest.Engine(t)
	trainer, _ := begin(t, e, tiny, recipe)
	own := errors.New("its own")
	micro := [][]gpu.Example{batch(1, 2, 128, 20, 40)}
	_, before := saved(t, e, trainer)
	right := func(v gpu.TokenValues) [][]float32 { return filled(v, func(int, int) float32 { return 1 }) }
	torchtest.Do(t, e, func() {
		for says, c := range map[string]struct {
			how       gpu.Scoring
			objective gpu.Objective
		}{
			"its own":                   {objective: func(int, gpu.TokenValues) (float64, gpu.TokenValues, error) { return 0, gpu.TokenValues{}, own }},
			"of 0 examples: expected 2": {objective: func(int, gpu.TokenValues) (float64, gpu.TokenValues, error) { return 0, gpu.TokenValues{}, nil }},
			"example 1: 0 derivatives": {objective: func(_ int, v gpu.TokenValues) (float64, gpu.TokenValues, error) {
				d := right(v)
				d[1] = nil
				return 0, gpu.TokenValues{LogProbs: d}, nil
			}},
			"not asked for": {objective: func(_ int, v gpu.TokenValues) (float64, gpu.TokenValues, error) {
				return 0, gpu.TokenValues{LogProbs: right(v), Entropy: right(v)}, nil
			}},
			"reference": {how: gpu.Scoring{Reference: true}},
			"temperature 1e-300: expected 0 or 0.0001 to 10000": {how: gpu.Scoring{Temperature: 1e-300}},
			"micro-batch 0: loss NaN": {objective: func(_ int, v gpu.TokenValues) (float64, gpu.TokenValues, error) {
				return math.NaN(), gpu.TokenValues{LogProbs: right(v)}, nil
			}},
			"micro-batch 0: gradient norm +Inf": {objective: func(_ int, v gpu.TokenValues) (float64, gpu.TokenValues, error) {
				return 1, gpu.TokenValues{LogProbs: filled(v, func(int, int) float32 { return float32(math.Inf(1)) })}, nil
			}},
		} {
			_, err := trainer.StepBy(t.Context(), micro, c.how, c.objective)
			if err == nil || !strings.Contains(err.Error(), says) && !strings.Contains(strings.ReplaceAll(err.Error(), "NaN", "+Inf"), says) {
				t.Errorf("got %v, want an error with %q", err, says)
			}
			if says == "its own" && !errors.Is(err, own) {
				t.Errorf("%v is not the objective's error", err)
			}
			if strings.HasPrefix(says, "micro") && !errors.Is(err, train.ErrNotFinite) {
				t.Errorf("%v is not %v", err, train.ErrNotFinite)
			}
		}
		if _, err := trainer.LogProbs(t.Context(), micro[0], gpu.Scoring{Reference: true}); err == nil {
			t.Error("a reference without an adapter: no error")
		}
	})
	if _, after := saved(t, e, trainer); !slices.Equal(before, after) {
		t.Error("a refused step changed the state")
	}
}
