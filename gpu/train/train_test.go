package train_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/models"
	"github.com/hone-rl/hone/gpu/models/qwen2"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
	"github.com/hone-rl/hone/gpu/train"
)

var tiny = gpu.ModelConfig{
	Hidden: 64, Layers: 2, Heads: 4, KVHeads: 2, Intermediate: 96, Vocabulary: 128, Positions: 256, RopeTheta: 10000,
	InitStd: 0.12, TieEmbedding: true,
}

// architectures are models for begin.
var architectures = map[string]any{"qwen2": tiny, "qwen3_5": hybrid}

var recipe = gpu.TrainConfig{
	Steps: 10, Rate: 2e-3, Warmup: 2, Flat: 0.3, Floor: 0.02, Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-9,
	WeightDecay: 0.01, Clip: 1, Seed: 5,
}

// options are the model's for a configuration.
func options(c gpu.TrainConfig) nn.Options {
	if c.DType == "bfloat16" {
		return nn.Options{DType: torch.BFloat16, Eager: c.Attention != "fused"}
	}
	return nn.Options{Eager: c.Attention == "eager"}
}

// hybrid is a small Qwen3.5: delta nets, gated attention, a delta net.
const hybrid = `{"model_type":"qwen3_5_text","hidden_size":32,"num_hidden_layers":3,"num_attention_heads":2,
"num_key_value_heads":1,"head_dim":16,"intermediate_size":48,"vocab_size":128,"max_position_embeddings":256,
"linear_num_key_heads":1,"linear_num_value_heads":2,"linear_key_head_dim":16,"linear_value_head_dim":16,
"initializer_range":0.1,"layer_types":["linear_attention","full_attention","linear_attention"],
"rope_parameters":{"rope_theta":10000,"partial_rotary_factor":0.5},"tie_word_embeddings":true}`

// begin is a new model, a gpu.ModelConfig or the text of a config.json, with a trainer. Both end with the engine's
// process.
func begin(t testing.TB, e *torch.Engine, model any, config gpu.TrainConfig) (trainer *train.Trainer, dir string) {
	t.Helper()
	dir = t.TempDir()
	var err error
	switch model := model.(type) {
	case gpu.ModelConfig:
		err = qwen2.Init(model, 3, dir)
	case string:
		err = nn.Create([]byte(model), 3, dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	torchtest.Do(t, e, func() {
		m, err := models.Load(e, dir, options(config))
		if err != nil {
			panic(err)
		}
		if trainer, err = train.New(e, m, config); err != nil {
			panic(err)
		}
	})
	return trainer, dir
}

func batch(seed uint64, n, vocabulary, shortest, longest int) []gpu.Example {
	rng := rand.New(rand.NewPCG(seed, 9))
	all := make([]gpu.Example, n)
	for i := range all {
		tokens := make([]int32, shortest+rng.IntN(longest-shortest+1))
		for j := range tokens {
			tokens[j] = int32(rng.IntN(vocabulary))
		}
		all[i] = gpu.Example{Tokens: tokens, Answer: len(tokens) - 1 - rng.IntN(3)}
	}
	return all
}

func steps(t testing.TB, e *torch.Engine, trainer *train.Trainer, from, to int) {
	t.Helper()
	torchtest.Do(t, e, func() {
		for i := from; i < to; i++ {
			micro := [][]gpu.Example{batch(uint64(i), 4, 128, 5, 60), batch(uint64(100+i), 3, 128, 5, 60)}
			if _, err := trainer.Step(t.Context(), micro); err != nil {
				panic(err)
			}
		}
	})
}

func saved(t *testing.T, e *torch.Engine, trainer *train.Trainer) (dir string, data []byte) {
	t.Helper()
	dir = t.TempDir()
	torchtest.Do(t, e, func() {
		if err := trainer.SaveState(dir); err != nil {
			panic(err)
		}
	})
	for _, name := range []string{train.StateName, train.StateTensorsName} {
		part, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, part...)
	}
	return dir, data
}

// variant is a way of training that must be exact.
type variant struct {
	model  any // see begin
	config gpu.TrainConfig
}

func variants() map[string]variant {
	lora, all := &gpu.LoRA{Rank: 4, Alpha: 8, Dropout: 0.1}, map[string]variant{}
	for name, change := range map[string]func(c *gpu.TrainConfig){
		"full":           func(*gpu.TrainConfig) {},
		"full again":     func(c *gpu.TrainConfig) { c.Recompute = true },
		"full bf16":      func(c *gpu.TrainConfig) { c.DType = "bfloat16" },
		"lora":           func(c *gpu.TrainConfig) { c.LoRA = lora },
		"lora again":     func(c *gpu.TrainConfig) { c.LoRA, c.Recompute = lora, true },
		"lora bf16":      func(c *gpu.TrainConfig) { c.LoRA, c.DType, c.Schedule = lora, "bfloat16", "linear" },
		"lora bf16 both": func(c *gpu.TrainConfig) { c.LoRA, c.DType, c.Recompute = lora, "bfloat16", true },
	} {
		c := recipe
		change(&c)
		all[name] = variant{tiny, c}
	}
	every := &gpu.LoRA{Rank: 4, Alpha: 8, Dropout: 0.1, Targets: []string{"all-linear"}}
	for name, change := range map[string]func(c *gpu.TrainConfig){
		"hybrid":            func(*gpu.TrainConfig) {},
		"hybrid again":      func(c *gpu.TrainConfig) { c.Recompute = true },
		"hybrid lora":       func(c *gpu.TrainConfig) { c.LoRA = every },
		"hybrid bf16":       func(c *gpu.TrainConfig) { c.DType = "bfloat16" },
		"hybrid lora again": func(c *gpu.TrainConfig) { c.LoRA, c.Recompute = every, true },
	} {
		c := recipe
		change(&c)
		all[name] = variant{hybrid, c}
	}
	return all
}

// Six steps are any number of steps, a saved state, another engine and trainer, and the rest: the same bytes.
func TestResumeBitForBit(t *testing.T) {
	const all = 6
	for name, v := range variants() {
		t.Run(name, func(t *testing.T) {
			e := torchtest.Engine(t)
			whole, _ := begin(t, e, v.model, v.config)
			var states []string
			for i := range all {
				state := ""
				if i == 3 || name == "lora" { // every step in one variant, one in the others
					state, _ = saved(t, e, whole)
				}
				states = append(states, state)
				steps(t, e, whole, i, i+1)
			}
			_, want := saved(t, e, whole)
			other := torchtest.Engine(t)
			for i, state := range states {
				if state == "" {
					continue
				}
				second, _ := begin(t, other, v.model, v.config)
				torchtest.Do(t, other, func() {
					if err := second.LoadState(state); err != nil {
						panic(err)
					}
				})
				if _, same := saved(t, other, second); bytes.Equal(same, want) {
					t.Errorf("the state after %d steps is the last one", i)
				}
				steps(t, other, second, i, all)
				if _, got := saved(t, other, second); !bytes.Equal(got, want) {
					t.Errorf("resumed after %d steps the run differs from the uninterrupted one", i)
				}
			}
		})
	}
}

// Computing blocks again on the way back changes no bit of anything, dropout included.
func TestRecomputeChangesNothing(t *testing.T) {
	for name, v := range variants() {
		config := v.config
		if config.Recompute {
			continue
		}
		t.Run(name, func(t *testing.T) {
			e := torchtest.Engine(t)
			var all []map[string][]float32
			for _, again := range []bool{false, true} {
				config.Recompute = again
				trainer, _ := begin(t, e, v.model, config)
				for i := range 3 {
					steps(t, e, trainer, i, i+1)
					torchtest.Do(t, e, func() { all = append(all, trainer.Grads()) })
				}
			}
			for i, plain := range all[:3] {
				for name, want := range plain {
					if !slices.Equal(all[3+i][name], want) {
						t.Errorf("step %d: the gradient of %s differs", i, name)
					}
				}
			}
		})
	}
}

// Computing blocks again takes less memory: of 12 blocks, the states before each and what one block keeps rather than
// what all keep. Measured with 12 blocks: a fifth of it.
func TestRecomputeTakesLessMemory(t *testing.T) {
	model := tiny
	model.Layers = 12
	e := torchtest.Engine(t)
	most := map[bool]int64{}
	for again := range map[bool]bool{false: true, true: true} {
		config := recipe
		config.Recompute, config.LoRA = again, &gpu.LoRA{Rank: 4, Alpha: 8, Dropout: 0.1}
		trainer, _ := begin(t, e, model, config)
		torchtest.Do(t, e, func() {
			e.ResetPeak()
			before := e.Memory().Allocated
			if _, err := trainer.Step(t.Context(), [][]gpu.Example{batch(1, 8, 128, 200, 200)}); err != nil {
				panic(err)
			}
			most[again] = e.Memory().Peak - before
		})
	}
	t.Logf("a step takes %d bytes, with recomputation %d", most[false], most[true])
	if most[true] > most[false]/3 {
		t.Errorf("a step takes %d bytes, with recomputation %d: want less than a third", most[false], most[true])
	}
}

// Two threads give the same bits in every run: no piece of work depends on which thread is first.
func TestTwoThreadsRepeat(t *testing.T) {
	var want []byte
	for range 3 {
		e := torchtest.Threads(t, 2)
		trainer, _ := begin(t, e, tiny, recipe)
		steps(t, e, trainer, 0, 6)
		_, got := saved(t, e, trainer)
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Error("two runs of two threads differ")
		}
	}
}

// A step over two micro-batches is the step over all their examples at once.
func TestAccumulationIsTheMeanOverAllAnswerTokens(t *testing.T) {
	for name, model := range architectures {
		t.Run(name, func(t *testing.T) { accumulation(t, model) })
	}
}

func accumulation(t *testing.T, model any) {
	e := torchtest.Engine(t)
	one, _ := begin(t, e, model, recipe)
	two, _ := begin(t, e, model, recipe)
	all := batch(1, 7, 128, 5, 60)
	torchtest.Do(t, e, func() {
		a, err := one.Step(t.Context(), [][]gpu.Example{all})
		if err != nil {
			panic(err)
		}
		b, err := two.Step(t.Context(), [][]gpu.Example{all[:2], all[2:]})
		if err != nil {
			panic(err)
		}
		if math.Abs(a.Loss-b.Loss) > 1e-5 || math.Abs(a.GradNorm-b.GradNorm) > 1e-4*a.GradNorm || a.Tokens != b.Tokens {
			t.Errorf("together %+v, in parts %+v", a, b)
		}
		grads := two.Grads()
		for name, want := range one.Grads() {
			near(t, "grad."+name, grads[name], want, 1e-5)
		}
	})
}

// Examples packed together give the loss and gradient of each alone, weighted by its answer tokens.
func TestPackedEqualsSeparate(t *testing.T) {
	for name, model := range architectures {
		t.Run(name, func(t *testing.T) { packed(t, model) })
	}
}

func packed(t *testing.T, model any) {
	e := torchtest.Engine(t)
	together, _ := begin(t, e, model, recipe)
	all := batch(2, 5, 128, 5, 90)
	torchtest.Do(t, e, func() {
		if _, err := together.Step(t.Context(), [][]gpu.Example{all}); err != nil {
			panic(err)
		}
	})
	sum, tokens := map[string][]float64{}, 0
	for _, x := range all {
		alone, _ := begin(t, e, model, recipe)
		n := len(x.Tokens) - x.Answer
		tokens += n
		torchtest.Do(t, e, func() {
			if _, err := alone.Step(t.Context(), [][]gpu.Example{{x}}); err != nil {
				panic(err)
			}
			for name, grad := range alone.Grads() {
				if sum[name] == nil {
					sum[name] = make([]float64, len(grad))
				}
				for i, g := range grad {
					sum[name][i] += float64(n) * float64(g)
				}
			}
		})
	}
	torchtest.Do(t, e, func() {
		for name, got := range together.Grads() {
			want := make([]float32, len(got))
			for i := range want {
				want[i] = float32(sum[name][i] / float64(tokens))
			}
			near(t, "grad."+name, got, want, 2e-5)
		}
	})
}

// An example with several answers gives the loss and gradient of an example for each of them that ends there.
func TestSeveralAnswersEqualSeparateExamples(t *testing.T) {
	e := torchtest.Engine(t)
	tokens := batch(6, 1, 128, 60, 60)[0].Tokens
	several := gpu.Example{Tokens: tokens, Answer: 9, Read: []gpu.Span{{From: 12, To: 30}, {From: 31, To: 55}}}
	separate := []gpu.Example{
		{Tokens: tokens[:12], Answer: 9}, {Tokens: tokens[:31], Answer: 30}, {Tokens: tokens, Answer: 55},
	}
	one, _ := begin(t, e, tiny, recipe)
	three, _ := begin(t, e, tiny, recipe)
	torchtest.Do(t, e, func() {
		a, err := one.Loss(t.Context(), []gpu.Example{several})
		if err != nil {
			panic(err)
		}
		b, err := three.Loss(t.Context(), separate)
		if err != nil {
			panic(err)
		}
		if math.Abs(a.Loss-b.Loss) > 1e-6 || a.Tokens != 3+1+5 || a.Answers != 3 || b.Answers != 3 || a.Correct != b.Correct || a.Exact != b.Exact {
			t.Errorf("got %+v, want %+v", a, b)
		}
		ra, err := one.Step(t.Context(), [][]gpu.Example{{several}})
		if err != nil {
			panic(err)
		}
		rb, err := three.Step(t.Context(), [][]gpu.Example{separate})
		if err != nil {
			panic(err)
		}
		if math.Abs(ra.Loss-rb.Loss) > 1e-6 {
			t.Errorf("loss %v, want %v", ra.Loss, rb.Loss)
		}
		want := three.Grads()
		for name, got := range one.Grads() {
			near(t, "grad."+name, got, want[name], 2e-5)
		}
	})
}

func TestRate(t *testing.T) {
	c := gpu.TrainConfig{Steps: 100, Rate: 1, Warmup: 10, Flat: 0.3, Floor: 0.02}
	for step, want := range map[int]float64{
		0: 0.1, 4: 0.5, 9: 1, 10: 1, 29: 1, 30: 1 - 0.98/70, 64: 0.51, 99: 0.02, 100: 0.02, 5000: 0.02,
	} {
		if got := train.Rate(c, step); math.Abs(got-want) > 1e-12 {
			t.Errorf("step %d: rate %v, want %v", step, got, want)
		}
	}
	linear := gpu.TrainConfig{Steps: 10, Rate: 2e-5, Warmup: 1}
	for step, want := range map[int]float64{0: 2e-5, 1: 2e-5 * 8 / 9, 8: 2e-5 / 9, 9: 0} {
		if got := train.Rate(linear, step); math.Abs(got-want) > 1e-18 {
			t.Errorf("linear, step %d: rate %v, want %v", step, got, want)
		}
	}
}

// What transformers 5.24's get_linear_schedule_with_warmup and get_cosine_schedule_with_warmup gave over 20 steps, 3 of
// warm-up, at 2e-5: scheduler.get_last_lr() before each optimiser step.
func TestRateIsTransformers(t *testing.T) {
	for schedule, want := range map[string][]float64{
		"linear": {
			0, 6.666666666666667e-06, 1.3333333333333333e-05, 2e-05, 1.8823529411764708e-05, 1.7647058823529414e-05,
			1.647058823529412e-05, 1.5294117647058822e-05, 1.4117647058823532e-05, 1.2941176470588238e-05,
			1.1764705882352942e-05, 1.0588235294117648e-05, 9.411764705882354e-06, 8.23529411764706e-06,
			7.058823529411766e-06, 5.882352941176471e-06, 4.705882352941177e-06, 3.529411764705883e-06,
			2.3529411764705885e-06, 1.1764705882352942e-06, 0, 0,
		},
		"cosine": {
			0, 6.666666666666667e-06, 1.3333333333333333e-05, 2e-05, 1.982973099683902e-05, 1.932472229404356e-05,
			1.8502171357296144e-05, 1.7390089172206594e-05, 1.6026346363792565e-05, 1.4457383557765385e-05,
			1.2736629900720832e-05, 1.092268359463302e-05, 9.07731640536698e-06, 7.263370099279173e-06,
			5.542616442234618e-06, 3.973653636207437e-06, 2.6099108277934105e-06, 1.4978286427038602e-06,
			6.752777059564431e-07, 1.7026900316098217e-07, 0,
		},
	} {
		c := gpu.TrainConfig{Steps: 20, Rate: 2e-5, Warmup: 3, Schedule: schedule}
		for step, w := range want {
			if got := train.Rate(c, step); math.Abs(got-w) > 1e-19 {
				t.Errorf("%s, step %d: rate %v, want %v", schedule, step, got, w)
			}
		}
	}
}

// A state of another configuration or model is refused before anything changes.
func TestLoadStateRefuses(t *testing.T) {
	e := torchtest.Engine(t)
	trainer, _ := begin(t, e, tiny, recipe)
	steps(t, e, trainer, 0, 1)
	dir, _ := saved(t, e, trainer)
	other := recipe
	other.Seed++
	wide := tiny
	wide.Intermediate *= 2
	for name, target := range map[string]*train.Trainer{
		"seed":  first(begin(t, e, tiny, other)),
		"shape": first(begin(t, e, wide, recipe)),
	} {
		_, before := saved(t, e, target)
		torchtest.Do(t, e, func() {
			if err := target.LoadState(dir); err == nil {
				t.Errorf("%s: no error", name)
			} else {
				t.Log(err)
			}
		})
		if _, after := saved(t, e, target); !bytes.Equal(before, after) {
			t.Errorf("%s: the refused state changed something", name)
		}
	}
}

// A configuration under which a step could leave parameters that are not finite is refused by its field; one that is
// at every bound trains.
func TestConfigBounds(t *testing.T) {
	e := torchtest.Engine(t)
	inf := math.Inf(1)
	for says, change := range map[string]func(c *gpu.TrainConfig){
		"rate 1e+308: expected 1e-12 to 1":                                 func(c *gpu.TrainConfig) { c.Rate = 1e308 },
		"rate NaN: expected":                                               func(c *gpu.TrainConfig) { c.Rate = math.NaN() },
		"rate 1e-30: expected":                                             func(c *gpu.TrainConfig) { c.Rate, c.WeightDecay = 1e-30, 1e30 },
		"weight_decay 1e+30: expected":                                     func(c *gpu.TrainConfig) { c.Rate, c.WeightDecay = 1e-30, 1e30 },
		"rate 10: expected":                                                func(c *gpu.TrainConfig) { c.Rate = 10 },
		"clip 1e-25: expected 0.001 to 1e+06":                              func(c *gpu.TrainConfig) { c.Clip = 1e-25 },
		"lora.alpha 1.048576e+06: expected at most 1024 times its rank, 1": func(c *gpu.TrainConfig) { c.LoRA = &gpu.LoRA{Rank: 1, Alpha: 1 << 20} },
		"lora.alpha 32768: expected at most 1024 times":                    func(c *gpu.TrainConfig) { c.LoRA = &gpu.LoRA{Rank: 256, Alpha: 1 << 15, RSLoRA: true} },
		"lora.alpha 1024: expected, by its rank and times rate 0.01, at most 1": func(c *gpu.TrainConfig) {
			c.Rate, c.LoRA = 0.01, &gpu.LoRA{Rank: 1, Alpha: 1024}
		},
		"weight_decay 99: expected 0 to 100 and to 0.5/rate":  func(c *gpu.TrainConfig) { c.Rate, c.WeightDecay = 0.01, 99 },
		"weight_decay +Inf: expected 0 to 100":                func(c *gpu.TrainConfig) { c.WeightDecay = inf },
		"weight_decay 1e+300: expected":                       func(c *gpu.TrainConfig) { c.WeightDecay = 1e300 },
		"weight_decay 501: expected":                          func(c *gpu.TrainConfig) { c.WeightDecay = 501 },
		"epsilon +Inf: expected 1e-30 to 1":                   func(c *gpu.TrainConfig) { c.Epsilon = inf },
		"epsilon 1e-300: expected":                            func(c *gpu.TrainConfig) { c.Epsilon = 1e-300 },
		"clip +Inf: expected":                                 func(c *gpu.TrainConfig) { c.Clip = inf },
		"lora.rank 4611686018427387904: expected":             func(c *gpu.TrainConfig) { c.LoRA = &gpu.LoRA{Rank: 1 << 62, Alpha: 2} },
		"lora.alpha 0: expected above 0":                      func(c *gpu.TrainConfig) { c.LoRA = &gpu.LoRA{Rank: 2} },
		"lora.alpha NaN: expected":                            func(c *gpu.TrainConfig) { c.LoRA = &gpu.LoRA{Rank: 2, Alpha: math.NaN()} },
		"beta1 NaN: expected 0 to below 1\nbeta2 1: expected": func(c *gpu.TrainConfig) { c.Beta1, c.Beta2 = math.NaN(), 1 },
	} {
		c := recipe
		change(&c)
		torchtest.Do(t, e, func() {
			if _, err := train.New(e, nil, c); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%v, want an error with %q", err, says)
			}
		})
	}
	hard := recipe
	hard.Rate, hard.WeightDecay, hard.Epsilon, hard.Clip, hard.Warmup = gpu.MaxRate, 0.5, gpu.MinEpsilon, gpu.MaxClip, 0
	trainer, _ := begin(t, e, tiny, hard)
	steps(t, e, trainer, 0, 1)
}

// A step after which parameters are not finite is an error that names the step, though loss and gradient were finite.
func TestUpdateNotFinite(t *testing.T) {
	e := torchtest.Engine(t)
	config := recipe
	config.Failures = t.TempDir()
	trainer, _ := begin(t, e, tiny, config)
	steps(t, e, trainer, 0, 2)
	dir, _ := saved(t, e, trainer)
	const name = "first_moment.model.layers.0.mlp.up_proj.weight"
	change(t, filepath.Join(dir, train.StateTensorsName), name, 3, math.MaxFloat32) // the sum of squares stays small
	torchtest.Do(t, e, func() {
		if err := trainer.LoadState(dir); err != nil {
			panic(err)
		}
		_, err := trainer.Step(t.Context(), [][]gpu.Example{batch(1, 2, 128, 20, 40)})
		if !errors.Is(err, train.ErrNotFinite) || !strings.Contains(err.Error(), "step 2: ") || !strings.Contains(err.Error(), "after the update") {
			t.Errorf("got %v, want an error about step 2's update", err)
		}
		if trainer.Steps() != 2 {
			t.Errorf("%d steps taken, want 2", trainer.Steps())
		}
	})
	kept, err := gpu.ReadFailedBatch(filepath.Join(config.Failures, "step-000002.json"))
	if err != nil || kept.Micro != -1 || len(kept.Batch) != 1 {
		t.Errorf("kept %+v, %v", kept, err)
	}
}

// Tensors and step of two states are no state.
func TestLoadStateOfTwoHalves(t *testing.T) {
	e := torchtest.Engine(t)
	trainer, _ := begin(t, e, tiny, recipe)
	steps(t, e, trainer, 0, 1)
	dir, _ := saved(t, e, trainer)
	steps(t, e, trainer, 1, 2)
	later, before := saved(t, e, trainer)
	if err := os.Rename(filepath.Join(dir, train.StateName), filepath.Join(later, train.StateName)); err != nil {
		t.Fatal(err)
	}
	torchtest.Do(t, e, func() {
		if err := trainer.LoadState(later); err == nil || !strings.Contains(err.Error(), `step "2"`) {
			t.Errorf("got %v, want an error naming step 2", err)
		}
	})
	if _, after := saved(t, e, trainer); !bytes.Equal(before, after) {
		t.Error("the refused state changed something")
	}
}

// The exported configuration says fp32, which is what is written; where it did, it is the source's to the byte.
func TestExportConfig(t *testing.T) {
	e := torchtest.Engine(t)
	trainer, source := begin(t, e, tiny, recipe)
	path := filepath.Join(source, checkpoint.ConfigName)
	config, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	export := func() []byte {
		out := t.TempDir()
		torchtest.Do(t, e, func() {
			if err := trainer.Export(source, out); err != nil {
				panic(err)
			}
		})
		text, err := os.ReadFile(filepath.Join(out, checkpoint.ConfigName))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if got := export(); !bytes.Equal(got, config) {
		t.Errorf("got %s, want %s", got, config)
	}
	half := bytes.Replace(config, []byte(`"torch_dtype": "float32"`), []byte(`"torch_dtype": "bfloat16"`), 1)
	if err := os.WriteFile(path, half, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := export(); bytes.Equal(half, config) || !bytes.Contains(got, []byte(`"torch_dtype": "float32"`)) {
		t.Errorf("got %s, want fp32", got)
	}
}

func first(trainer *train.Trainer, _ string) *train.Trainer { return trainer }

func near(t *testing.T, what string, got, want []float32, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d values, want %d", what, len(got), len(want))
		return
	}
	largest := 0.0
	for i := range got {
		if d := math.Abs(float64(got[i]) - float64(want[i])); !(d <= largest) {
			largest = d
		}
	}
	if !(largest <= tolerance) {
		t.Errorf("%s: largest difference %g, want at most %g", what, largest, tolerance)
	}
}
