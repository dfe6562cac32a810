package equivalence_test

import (
	"math/rand/v2"
	"testing"

	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/agent/grpo"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/train"
)

// phases are four examples, as an episode's samples: query, ranking, a turn, distillation.
func phases(seed uint64) []gpu.Example {
	rng := rand.New(rand.NewPCG(seed, 3))
	all := make([]gpu.Example, len(credit.Phases))
	for i := range all {
		n := 20 + rng.IntN(30)
		all[i] = gpu.Example{Tokens: tokens(rng, n), Answer: n - 3 - rng.IntN(5)}
	}
	return all
}

// pupil is a trainer whose step is small and has no decay, so that what it does to a text is what its gradient says.
func pupil(e *torch.Engine, m nn.Decoder, lora *gpu.LoRA) *train.Trainer {
	config := recipe
	config.Rate, config.Warmup, config.WeightDecay, config.LoRA = 1e-4, 0, 0, lora
	one, err := train.New(e, m, config)
	if err != nil {
		panic(err)
	}
	return one
}

func logProbs(t *testing.T, one *train.Trainer, examples []gpu.Example) [][]float32 {
	v, err := one.LogProbs(t.Context(), examples, gpu.Scoring{})
	if err != nil {
		panic(err)
	}
	return v.LogProbs
}

func sum(rows ...[]float32) (total float64) {
	for _, row := range rows {
		for _, v := range row {
			total += float64(v)
		}
	}
	return total
}

// update takes a step on the examples, each with an advantage, masked where it is not to learn, and returns what the
// objective said of each token.
func update(t *testing.T, one *train.Trainer, parts []grpo.Part, micro [][]gpu.Example, of func(n int) (span grpo.Span, learn bool)) (gpu.StepResult, [][]float32) {
	inputs := make([][]grpo.Tokens, len(micro))
	n := 0
	for m, examples := range micro {
		for i, old := range logProbs(t, one, examples) {
			x := grpo.Tokens{Old: old, Reference: old}
			if span, learn := of(n); learn {
				span.To, span.Sequence = len(examples[i].Learned()), n
				x.Spans = []grpo.Span{span}
			}
			inputs[m], n = append(inputs[m], x), n+1
		}
	}
	step, err := grpo.New(grpo.Config{Parts: parts}, inputs)
	if err != nil {
		panic(err)
	}
	var said [][]float32
	r, err := one.StepBy(t.Context(), micro, step.Scoring(1), func(m int, v gpu.TokenValues) (float64, gpu.TokenValues, error) {
		loss, by, err := step.Objective(m, v)
		said = append(said, by.LogProbs...)
		return loss, by, err
	})
	if err != nil {
		panic(err)
	}
	if n, _ := step.Statistics(); n.Tokens > 0 && (n.Clip != 0 || n.KL > 1e-9 || n.RatioMax > 1.001 || n.RatioMax < 0.999) {
		t.Errorf("the first step is on the policy: %+v", n)
	}
	return r, said
}

// util is one clipped part with penalty and bonus as coefficients say.
func util(kl, entropy float64) []grpo.Part {
	return []grpo.Part{{Name: "util", Loss: credit.Clipped, Weight: 1, Aggregate: grpo.TokenMean, KL: kl, Entropy: entropy}}
}

// A step with advantage 1 makes the sampled tokens likelier, one with -1 less likely, and one whose tokens have both
// signs parts them. So does REINFORCE.
func TestAdvantageMovesTokens(t *testing.T) {
	for way, lora := range ways {
		each(t, 1, func(t *testing.T, e *torch.Engine, _ nn.Decoder, dir string) {
			all := phases(1)
			for name, part := range map[string]grpo.Part{
				"clipped":   util(0.01, 0)[0],
				"reinforce": {Name: "rank", Loss: credit.Reinforce, Weight: 0.3, Aggregate: grpo.SequenceSum},
			} {
				for _, advantages := range [][]float64{{1, 1, 1, 1}, {-1, -1, -1, -1}, {1, -1, 1, -1}} {
					one := pupil(e, load(e, dir), lora)
					before := logProbs(t, one, all)
					update(t, one, []grpo.Part{part}, [][]gpu.Example{all[:2], all[2:]}, func(n int) (grpo.Span, bool) {
						return grpo.Span{Advantage: advantages[n]}, true
					})
					after := logProbs(t, one, all)
					for i, a := range advantages {
						if moved := sum(after[i]) - sum(before[i]); moved*a <= 0 {
							t.Errorf("%s, %s: advantages %v: example %d moved by %g", way, name, advantages, i, moved)
						}
					}
				}
			}
		})
	}
}

// Phases that are out of the gradient leave no trace in it: a step on them alone has gradient 0 everywhere, exactly,
// penalty and bonus included, and beside others they change no bit of theirs.
func TestMaskedPhases(t *testing.T) {
	only, err := credit.Named("skill-only")
	if err != nil {
		t.Fatal(err)
	}
	episode := credit.Episode{Won: true}
	for _, phase := range credit.Phases {
		episode.Samples = append(episode.Samples, credit.Sample{Phase: phase, Reward: 0.5})
	}
	other := credit.Episode{Samples: episode.Samples}
	r, err := credit.Assign(only, []credit.Group{{Task: "t", Episodes: []credit.Episode{episode, other}}})
	if err != nil {
		t.Fatal(err)
	}
	of := func(n int) (grpo.Span, bool) {
		c := r.Credits[0][0][n]
		return grpo.Span{Part: c.Part, Advantage: c.Advantage}, c.Learn
	}
	parts := grpo.Parts(only, grpo.TokenMean, 0.01, 0.001)
	each(t, 1, func(t *testing.T, e *torch.Engine, m nn.Decoder, dir string) {
		all := phases(2)
		masked := pupil(e, m, nil)
		r, said := update(t, masked, parts, [][]gpu.Example{all[2:]}, func(n int) (grpo.Span, bool) { return of(n + 2) })
		if r.GradNorm != 0 || r.Loss != 0 || sum(said...) != 0 {
			t.Errorf("turn and distillation alone: %+v, %v", r, said)
		}
		for name, grad := range masked.Grads() {
			for _, g := range grad {
				if g != 0 {
					t.Fatalf("%s: gradient %g by masked phases", name, g)
				}
			}
		}

		together, alone := pupil(e, load(e, dir), nil), pupil(e, load(e, dir), nil)
		_, said = update(t, together, parts, [][]gpu.Example{all[:2], all[2:]}, of)
		update(t, alone, parts, [][]gpu.Example{all[:2]}, of)
		for i, row := range said {
			learns := i < 2
			for k, d := range row {
				if (d != 0) != learns {
					t.Errorf("%s: token %d: derivative %g", credit.Phases[i], k, d)
				}
			}
		}
		grads := alone.Grads()
		for name, got := range together.Grads() {
			for i := range got {
				if got[i] != grads[name][i] {
					t.Fatalf("%s: gradient %g with masked phases beside, %g without", name, got[i], grads[name][i])
				}
			}
		}
	})
}

// How a step is divided into micro-batches changes its gradient by no more than the order of fp32 sums (near).
func TestMicroBatches(t *testing.T) {
	each(t, 1, func(t *testing.T, e *torch.Engine, _ nn.Decoder, dir string) {
		all := append(phases(3), phases(4)...)
		parts := append(util(0.01, 0.001), grpo.Part{Name: "rank", Loss: credit.Reinforce, Weight: 0.3, Aggregate: grpo.SequenceSum})
		parts[0].Aggregate = grpo.SequenceMean
		of := func(n int) (grpo.Span, bool) {
			return grpo.Span{Part: n % 4 % 2, Advantage: float64(n) - 3.5}, n != 6
		}
		whole := pupil(e, load(e, dir), nil)
		want, _ := update(t, whole, parts, [][]gpu.Example{all}, of)
		for name, micro := range map[string][][]gpu.Example{"two": {all[:3], all[3:]}, "four": {all[:1], all[1:4], all[4:7], all[7:]}} {
			parted := pupil(e, load(e, dir), nil)
			got, _ := update(t, parted, parts, micro, of)
			near(t, name+": loss", []float32{float32(got.Loss)}, []float32{float32(want.Loss)})
			grads := whole.Grads()
			for what, grad := range parted.Grads() {
				near(t, name+": "+what, grad, grads[what])
			}
		}
	})
}
