package equivalence_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/models"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
	"github.com/hone-rl/hone/gpu/train"
)

var recipe = gpu.TrainConfig{
	Steps: 10, Rate: 2e-3, Warmup: 2, Flat: 0.3, Floor: 0.02, Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-9, WeightDecay: 0.01,
	Clip: 1, Seed: 5,
}

// lora names every kind of layer that either architecture has some of.
var lora = &gpu.LoRA{Rank: 4, Alpha: 8, Targets: []string{"q_proj", "o_proj", "gate_proj", "down_proj"}}

// ways are full training and an adapter's.
var ways = map[string]*gpu.LoRA{"full": nil, "lora": lora}

func trainer(e *torch.Engine, m nn.Decoder, lora *gpu.LoRA) *train.Trainer {
	config := recipe
	config.LoRA = lora
	one, err := train.New(e, m, config)
	if err != nil {
		panic(err)
	}
	return one
}

func examples(seed uint64, n int) []gpu.Example {
	rng := rand.New(rand.NewPCG(seed, 9))
	all := make([]gpu.Example, n)
	for i := range all {
		all[i].Tokens = tokens(rng, 5+rng.IntN(90))
		all[i].Answer = len(all[i].Tokens) - 1 - rng.IntN(4)
	}
	return all
}

func steps(t *testing.T, one *train.Trainer, from, to int) {
	for i := from; i < to; i++ {
		if _, err := one.Step(t.Context(), [][]gpu.Example{examples(uint64(i), 3), examples(uint64(100+i), 2)}); err != nil {
			panic(err)
		}
	}
}

// near holds the largest difference against a part of the largest value. Sums are taken in another order: 1e-4 is ten
// times what fp32 showed here.
func near(t *testing.T, what string, got, want []float32) {
	t.Helper()
	most, largest := 0.0, 1e-6
	for i := range want {
		most = max(most, math.Abs(float64(got[i])-float64(want[i])))
		largest = max(largest, math.Abs(float64(want[i])))
	}
	if !(most <= 1e-4*largest) {
		t.Errorf("%s: largest difference %g of %g", what, most, largest)
	}
}

// Examples packed into one batch give the loss and the gradients of each alone, weighted by its answer's tokens.
func TestPackedEqualsSeparate(t *testing.T) {
	for way, lora := range ways {
		each(t, 1, func(t *testing.T, e *torch.Engine, m nn.Decoder, dir string) {
			all := examples(1, 6)
			together := trainer(e, m, lora)
			packed, err := together.Step(t.Context(), [][]gpu.Example{all})
			if err != nil {
				panic(err)
			}
			sum, loss, answers := map[string][]float32{}, 0.0, 0.0
			for _, x := range all {
				alone := trainer(e, load(e, dir), lora)
				r, err := alone.Step(t.Context(), [][]gpu.Example{{x}})
				if err != nil {
					panic(err)
				}
				n := float64(len(x.Tokens) - x.Answer)
				answers += n
				loss += n * r.Loss
				for name, grad := range alone.Grads() {
					if sum[name] == nil {
						sum[name] = make([]float32, len(grad))
					}
					for i, g := range grad {
						sum[name][i] += float32(n * float64(g))
					}
				}
			}
			for name, got := range together.Grads() {
				for i := range sum[name] {
					sum[name][i] = float32(float64(sum[name][i]) / answers)
				}
				near(t, way+": "+name, got, sum[name])
			}
			near(t, way+": loss", []float32{float32(packed.Loss)}, []float32{float32(loss / answers)})
		})
	}
}

// A run that is saved after five steps and goes on in another engine is the run that was never interrupted: the same
// bytes after ten, dropout included.
func TestResumedEqualsUninterrupted(t *testing.T) {
	dropout := *lora
	dropout.Dropout = 0.1
	for way, lora := range map[string]*gpu.LoRA{"full": nil, "lora": &dropout} {
		each(t, 1, func(t *testing.T, e *torch.Engine, m nn.Decoder, dir string) {
			whole := trainer(e, m, lora)
			steps(t, whole, 0, 4)
			want := saved(t, whole, t.TempDir())
			half := t.TempDir()
			first := trainer(e, load(e, dir), lora)
			steps(t, first, 0, 2)
			if bytes.Equal(saved(t, first, half), want) {
				t.Errorf("%s: two steps changed nothing", way)
			}
			other := torchtest.Engine(t)
			torchtest.Do(t, other, func() {
				second := trainer(other, load(other, dir), lora)
				if err := second.LoadState(half); err != nil {
					panic(err)
				}
				steps(t, second, 2, 4)
				if !bytes.Equal(saved(t, second, t.TempDir()), want) {
					t.Errorf("%s: the resumed run differs from the uninterrupted one", way)
				}
			})
		})
	}
}

// saved is the bytes of a trainer's state, written into dir.
func saved(t *testing.T, one *train.Trainer, dir string) (data []byte) {
	t.Helper()
	if err := one.SaveState(dir); err != nil {
		panic(err)
	}
	for _, name := range []string{train.StateName, train.StateTensorsName} {
		part, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			panic(err)
		}
		data = append(data, part...)
	}
	return data
}

// An adapter merged into the weights gives the logits that it gives beside them.
func TestMergedEqualsBeside(t *testing.T) {
	each(t, 1, func(t *testing.T, e *torch.Engine, m nn.Decoder, dir string) {
		text := tokens(rand.New(rand.NewPCG(5, 5)), 70)
		flat := func(rows [][]float32) (all []float32) {
			for _, row := range rows {
				all = append(all, row...)
			}
			return all
		}
		base := flat(alone(e, m, text))
		one := trainer(e, m, lora)
		steps(t, one, 0, 3)
		beside := flat(alone(e, m, text))
		out := t.TempDir()
		if err := one.Export(dir, out); err != nil {
			panic(err)
		}
		other := load(e, dir)
		adapter, err := nn.LoadAdapter(e, other, out)
		if err != nil {
			panic(err)
		}
		if err := adapter.Merge(); err != nil {
			panic(err)
		}
		near(t, "merged", flat(alone(e, other, text)), beside)
		changed := 0.0
		for i := range base {
			changed = max(changed, math.Abs(float64(base[i]-beside[i])))
		}
		if changed < 1e-2 {
			t.Errorf("the adapter changes logits by %v only", changed)
		}
	})
}

// Blocks that are computed again on the way back give the gradients of those whose results were kept, to the last bit.
func TestRecomputedEqualsKept(t *testing.T) {
	for way, lora := range ways {
		each(t, 1, func(t *testing.T, e *torch.Engine, m nn.Decoder, dir string) {
			grads := func(m nn.Decoder, recompute bool) map[string][]float32 {
				config := recipe
				config.LoRA, config.Recompute = lora, recompute
				one, err := train.New(e, m, config)
				if err != nil {
					panic(err)
				}
				if _, err := one.Step(t.Context(), [][]gpu.Example{examples(1, 4)}); err != nil {
					panic(err)
				}
				return one.Grads()
			}
			kept := grads(m, false)
			for name, got := range grads(load(e, dir), true) {
				if !slices.Equal(got, kept[name]) {
					t.Errorf("%s: %s differs", way, name)
				}
			}
		})
	}
}

// In bf16 by eager attention the first loss is that of fp32 to a few thousandths per layer, and training lowers it.
func TestBFloat16(t *testing.T) {
	for way, lora := range ways {
		each(t, 1, func(t *testing.T, e *torch.Engine, m nn.Decoder, dir string) {
			losses := map[torch.DType][]float64{}
			for _, dtype := range []torch.DType{torch.Float32, torch.BFloat16} {
				m, err := models.Load(e, dir, nn.Options{DType: dtype, Eager: true})
				if err != nil {
					panic(err)
				}
				config := recipe
				config.LoRA = lora
				if dtype == torch.BFloat16 {
					config.DType = "bfloat16"
				}
				one, err := train.New(e, m, config)
				if err != nil {
					panic(err)
				}
				for range 3 {
					r, err := one.Step(t.Context(), [][]gpu.Example{examples(1, 4)})
					if err != nil {
						panic(err)
					}
					losses[dtype] = append(losses[dtype], r.Loss)
				}
			}
			got, want := losses[torch.BFloat16], losses[torch.Float32]
			if !(math.Abs(got[0]-want[0]) <= 0.02*want[0]) || !(got[2] < got[0]) || !(want[2] < want[0]) {
				t.Errorf("%s: losses %v, in fp32 %v", way, got, want)
			}
		})
	}
}
