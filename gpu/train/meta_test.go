package train

import (
	"testing"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/models"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// metaModels are small models of every architecture.
var metaModels = map[string]string{
	"qwen2": `{"model_type":"qwen2","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,"num_key_value_heads":2,
"intermediate_size":96,"vocab_size":128,"max_position_embeddings":256,"tie_word_embeddings":true}`,
	"qwen2, untied": `{"model_type":"qwen2","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,"num_key_value_heads":2,
"intermediate_size":96,"vocab_size":128,"max_position_embeddings":256}`,
	"qwen3_5": `{"model_type":"qwen3_5_text","hidden_size":64,"num_hidden_layers":4,"num_attention_heads":4,"num_key_value_heads":2,
"head_dim":32,"intermediate_size":96,"vocab_size":128,"max_position_embeddings":256,"tie_word_embeddings":true,
"linear_num_key_heads":2,"linear_num_value_heads":4,"linear_key_head_dim":16,"linear_value_head_dim":16}`,
}

// Forward, backward and update on libtorch's meta device, which has shapes and no values: a tensor made on the CPU
// by mistake, as on a GPU, fails here. The plain operations run that a GPU runs, not the CPU's loops.
func TestMetaDevice(t *testing.T) {
	for name, lora := range map[string]*gpu.LoRA{"full": nil, "lora": {Rank: 4, Alpha: 8, Dropout: 0.1, Targets: []string{checkpoint.AllLinear}}} {
		for architecture, text := range metaModels {
			for _, recompute := range []bool{true, false} {
				dir := t.TempDir()
				if err := nn.Create([]byte(text), 3, dir); err != nil {
					t.Fatal(err)
				}
				e := torchtest.On(t, torch.Config{Device: "meta", Threads: 1})
				torchtest.Do(t, e, func() {
					m, err := models.Load(e, dir, nn.Options{})
					if err != nil {
						panic(err)
					}
					defer m.Free()
					trainer, err := New(e, m, gpu.TrainConfig{
						Steps: 1, Rate: 1e-3, Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-9, WeightDecay: 0.01, Clip: 1, LoRA: lora, Recompute: recompute,
					})
					if err != nil {
						panic(err)
					}
					defer trainer.Free()
					metaStep(t, trainer, architecture+", "+name)
				})
			}
		}
	}
}

// metaStep is Step without what needs a value: the loss, the norm.
func metaStep(t *testing.T, trainer *Trainer, name string) {
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
	trainer.update(gpu.StepResult{Rate: 1e-3, GradNorm: 1})

	cache := trainer.model.NewCache(32, 2)
	defer cache.Free()
	b.Slots = []int64{0, 1, 2, 3, 4, 5}
	if got := nn.Forward(trainer.model, b, cache).Shape(); got[0] != 4 || got[1] != 64 {
		t.Errorf("%s: cached states %v, want [4 64]", name, got)
	}
	one := nn.NewBatch()
	one.Add([]int32{1}, 4, nn.Place{}, 0, 1)
	one.Add([]int32{2}, 2, nn.Place{Slot: 16, Lane: 1}, 0, 1)
	if got := nn.Forward(trainer.model, one, cache).Shape(); got[0] != 2 || got[1] != 64 {
		t.Errorf("%s: states of one more token %v, want [2 64]", name, got)
	}
}
