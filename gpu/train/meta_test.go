package train

import (
	"testing"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/models/qwen2"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// Forward, backward and update on libtorch's meta device, which has shapes and no values: a tensor made on the CPU
// by mistake, as on a GPU, fails here. The plain operations run that a GPU runs, not the CPU's loops.
func TestMetaDevice(t *testing.T) {
	for name, lora := range map[string]*gpu.LoRA{"full": nil, "lora": {Rank: 4, Alpha: 8, Dropout: 0.1}} {
		for _, tied := range []bool{true, false} { // and with recomputation
			dir := t.TempDir()
			model := gpu.ModelConfig{
				Hidden: 64, Layers: 2, Heads: 4, KVHeads: 2, Intermediate: 96, Vocabulary: 128, Positions: 256, RopeTheta: 10000,
				InitStd: 0.12, TieEmbedding: tied,
			}
			if err := qwen2.Init(model, 3, dir); err != nil {
				t.Fatal(err)
			}
			e := torchtest.On(t, torch.Config{Device: "meta", Threads: 1})
			torchtest.Do(t, e, func() {
				m, err := qwen2.Load(e, dir, nn.Options{})
				if err != nil {
					panic(err)
				}
				defer m.Free()
				config := gpu.TrainConfig{
					Steps: 1, Rate: 1e-3, Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-9, WeightDecay: 0.01, Clip: 1, LoRA: lora, Recompute: tied,
				}
				trainer, err := New(e, m, config)
				if err != nil {
					panic(err)
				}
				defer trainer.Free()
				metaStep(t, trainer, name)
			})
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
}
