package train

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/models"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// metaModels are the architectures that the meta device goes through: a line each.
var metaModels = map[string]string{
	"qwen2": `{"model_type":"qwen2","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,"num_key_value_heads":2,
"intermediate_size":96,"vocab_size":128,"max_position_embeddings":256,"rope_theta":10000,"tie_word_embeddings":true}`,
	"qwen2, untied": `{"model_type":"qwen2","hidden_size":60,"num_hidden_layers":2,"num_attention_heads":3,"num_key_value_heads":1,
"intermediate_size":97,"vocab_size":131,"max_position_embeddings":256,"rope_theta":10000,"tie_word_embeddings":false}`,
	"qwen3_5": `{"model_type":"qwen3_5_text","hidden_size":64,"num_hidden_layers":4,"num_attention_heads":4,"num_key_value_heads":2,
"head_dim":32,"intermediate_size":96,"vocab_size":128,"max_position_embeddings":256,"linear_num_key_heads":2,
"linear_num_value_heads":4,"linear_key_head_dim":16,"linear_value_head_dim":24,
"rope_parameters":{"rope_theta":10000,"partial_rotary_factor":0.25},"tie_word_embeddings":true}`,
	"qwen3_5, untied": `{"model_type":"qwen3_5","text_config":{"hidden_size":48,"num_hidden_layers":2,"num_attention_heads":2,
"num_key_value_heads":1,"head_dim":16,"intermediate_size":64,"vocab_size":130,"max_position_embeddings":256,
"linear_num_key_heads":1,"linear_num_value_heads":2,"linear_key_head_dim":16,"linear_value_head_dim":16,
"full_attention_interval":2,"rope_parameters":{"rope_theta":10000}}}`,
}

// Forward, backward, update and cached decoding of every model on libtorch's meta device, which has shapes and no
// values. The plain operations run that a GPU runs, not the CPU's loops, and every operation's inputs are looked at: a
// tensor made on the CPU by mistake is found, also where libtorch looks at shapes alone.
func TestMetaDevice(t *testing.T) {
	adapters := map[string]*gpu.LoRA{"full": nil, "lora": {Rank: 4, Alpha: 8, Dropout: 0.1, Targets: []string{checkpoint.AllLinear}}}
	for name, config := range metaModels {
		dir := t.TempDir()
		if err := nn.Create([]byte(config), 3, dir); err != nil {
			t.Fatal(err)
		}
		for kind, lora := range adapters {
			for _, dtype := range []string{"float32", "bfloat16"} {
				for _, attention := range []string{"fused", "eager"} {
					for _, recompute := range []bool{false, true} {
						t.Run(fmt.Sprintf("%s/%s %s %s %v", name, kind, dtype, attention, recompute), func(t *testing.T) {
							strays := onMeta(t, dir, gpu.TrainConfig{
								Steps: 1, Rate: 1e-3, Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-9, WeightDecay: 0.01, Clip: 1, LoRA: lora,
								DType: dtype, Attention: attention, Recompute: recompute,
							}, nil)
							if len(strays) > 0 {
								t.Errorf("operations with tensors of another device: %q", strays)
							}
						})
					}
				}
			}
		}
	}
}

// That nothing is found above says something: a norm's weight on the CPU, as after a forgotten device, is found or
// refused in every model.
func TestMetaDeviceFindsAStray(t *testing.T) {
	for name, config := range metaModels {
		dir := t.TempDir()
		if err := nn.Create([]byte(config), 3, dir); err != nil {
			t.Fatal(err)
		}
		host := torchtest.Engine(t)
		var astray []*torch.Tensor
		var strays []string
		refused := func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					err = fmt.Errorf("%v", p)
				}
			}()
			strays = onMeta(t, dir, gpu.TrainConfig{
				Steps: 1, Rate: 1e-3, Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-9, Clip: 1, LoRA: &gpu.LoRA{Rank: 4, Alpha: 8},
			}, func(m nn.Decoder) {
				m.Linears(func(_ string, slot *nn.Linear) {
					if dense, ok := (*slot).(*nn.Dense); ok && len(astray) == 0 {
						shape := dense.Weight.Shape()
						torchtest.Do(t, host, func() { astray = append(astray, host.Zeros(torch.Float32, shape...).Keep()) })
						dense.Weight.Free()
						dense.Weight = astray[0]
					}
				})
			})
			return nil
		}()
		if refused == nil && !slices.Contains(strays, "aten::mm") && !slices.Contains(strays, "aten::addmm") {
			t.Errorf("%s: found %q, %v", name, strays, refused)
		}
	}
}

// onMeta takes a step and decodes, and returns what was found astray. change may change the model before.
func onMeta(t *testing.T, dir string, config gpu.TrainConfig, change func(nn.Decoder)) (strays []string) {
	t.Helper()
	e := torchtest.On(t, torch.Config{Device: "meta", Threads: 1})
	torchtest.Do(t, e, func() {
		strays = e.Strays(func() {
			options := nn.Options{Eager: config.Attention == "eager"}
			if config.DType == "bfloat16" {
				options.DType = torch.BFloat16
			}
			m, err := models.Load(e, dir, options)
			if err != nil {
				panic(err)
			}
			defer m.Free()
			if change != nil {
				change(m)
			}
			trainer, err := New(e, m, config)
			if err != nil {
				panic(err)
			}
			defer trainer.Free()
			metaStep(t, trainer)
			metaDecode(t, m)
		})
	})
	return strays
}

// metaStep is Step without what needs a value: the loss, the norm.
func metaStep(t *testing.T, trainer *Trainer) {
	examples := []gpu.Example{{Tokens: []int32{1, 2, 3, 4, 5}, Answer: 3}, {Tokens: []int32{6, 7, 8}, Answer: 1}}
	b, targets, err := checked(trainer.model, examples)
	if err != nil {
		panic(err)
	}
	e := trainer.e
	trainer.setDropout(true)
	e.Scope(func() []*torch.Tensor {
		pass := nn.Begin(trainer.model, b, trainer.config.Recompute)
		target, head := e.FromInts(targets), trainer.model.Head()
		weights := e.FromFloats([]float32{1, 1, 1, 1}, 4)
		scores := pass.Hidden.TokenScores(head, target, torch.Ask{Entropy: true, Best: true})
		pass.Back(scores.Gradient(pass.Hidden, head, target, weights, weights, torch.Ask{Entropy: true}))
		return nil
	})
	trainer.setDropout(false)
	trainer.update(gpu.StepResult{Rate: 1e-3, GradNorm: 1})
}

// metaDecode computes two prompts and then one more token of each, through a cache.
func metaDecode(t *testing.T, m nn.Decoder) {
	t.Helper()
	cache := m.NewCache(64, 3)
	defer cache.Free()
	for _, step := range []struct {
		tokens []int32
		past   int
	}{{[]int32{1, 2, 3, 4, 5}, 0}, {[]int32{6}, 5}} {
		b := nn.NewBatch()
		for i := range 2 {
			b.Add(step.tokens, step.past, nn.Place{Slot: 16 * i, Lane: i}, len(step.tokens)-1, len(step.tokens))
		}
		vocabulary, _ := m.Limits()
		logits := m.Logits(nn.Forward(m, b, cache))
		if got := logits.Shape(); !slices.Equal(got, []int64{2, int64(vocabulary)}) {
			t.Errorf("logits %v, want [2 %d]", got, vocabulary)
		}
	}
	cache.Copy(m.Engine(), nn.Place{}, nn.Place{Slot: 40, Lane: 2}, 5)
}
