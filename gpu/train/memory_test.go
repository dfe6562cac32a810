package train_test

import (
	"fmt"
	"testing"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/memory"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/models"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
	"github.com/hone-rl/hone/gpu/train"
)

// How far an estimate may be off: planning with too little is worse than with too much.
const (
	tooLow  = 0.05
	tooHigh = 0.12
)

// sized are models whose states outweigh all that an estimate leaves out.
var sized = map[string]string{
	"qwen2": `{"model_type":"qwen2","hidden_size":128,"num_hidden_layers":3,"num_attention_heads":8,"num_key_value_heads":2,
		"intermediate_size":352,"vocab_size":1000,"max_position_embeddings":512,"tie_word_embeddings":true}`,
	"qwen2 wide": `{"model_type":"qwen2","hidden_size":192,"num_hidden_layers":2,"num_attention_heads":4,"num_key_value_heads":4,"head_dim":64,
		"intermediate_size":256,"vocab_size":6000,"max_position_embeddings":512,"tie_word_embeddings":false}`,
	"qwen3_5": `{"model_type":"qwen3_5_text","hidden_size":128,"num_hidden_layers":4,"num_attention_heads":4,"num_key_value_heads":2,"head_dim":32,
		"intermediate_size":352,"vocab_size":1000,"max_position_embeddings":512,"linear_num_key_heads":2,"linear_num_value_heads":4,
		"linear_key_head_dim":32,"linear_value_head_dim":32,"tie_word_embeddings":true}`,
}

// TestMemory holds the estimates of checkpoint/memory against what libtorch allocates in a step of two micro-batches.
func TestMemory(t *testing.T) {
	lora := &gpu.LoRA{Rank: 8, Alpha: 16, Dropout: 0.05, Targets: []string{checkpoint.AllLinear}}
	for name, text := range sized {
		described, err := checkpoint.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := nn.Create([]byte(text), 1, dir); err != nil {
			t.Fatal(err)
		}
		for _, adapter := range []*gpu.LoRA{nil, lora} {
			for _, how := range []struct{ dtype, attention string }{{"float32", "fused"}, {"float32", "eager"}, {"bfloat16", "eager"}, {"bfloat16", "fused"}} {
				for _, recompute := range []bool{false, true} {
					c := recipe
					c.LoRA, c.DType, c.Attention, c.Recompute = adapter, how.dtype, how.attention, recompute
					micro := [][]gpu.Example{batch(1, 6, 1000, 80, 220), batch(1, 6, 1000, 80, 220)}
					t.Run(fmt.Sprintf("%s/lora=%t/%s/%s/recompute=%t", name, adapter != nil, how.dtype, how.attention, recompute), func(t *testing.T) {
						got := allocated(t, dir, c, micro)
						use, err := estimate(described, c, micro[0]).Use()
						if err != nil {
							t.Fatal(err)
						}
						off := float64(use.Peak)/float64(got) - 1
						t.Logf("%.1f MB, estimated %.1f MB (%+.1f %%), of them %.1f MB fixed", float64(got)/1e6, float64(use.Peak)/1e6, 100*off, float64(use.Peak-use.Pass)/1e6)
						if off < -tooLow || off > tooHigh {
							t.Errorf("the estimate is off by %+.1f %%", 100*off)
						}
					})
				}
			}
		}
	}
}

// allocated is the most that loading and a step take.
func allocated(t *testing.T, dir string, c gpu.TrainConfig, micro [][]gpu.Example) (peak int64) {
	t.Helper()
	e := torchtest.Engine(t)
	torchtest.Do(t, e, func() {
		e.ResetPeak()
		before := e.Memory().Allocated
		m, err := models.Load(e, dir, options(c))
		if err != nil {
			panic(err)
		}
		trainer, err := train.New(e, m, c)
		if err != nil {
			panic(err)
		}
		if _, err := trainer.Step(t.Context(), micro); err != nil {
			panic(err)
		}
		peak = e.Memory().Peak - before
		trainer.Free()
		m.Free()
	})
	return peak
}

func estimate(m checkpoint.Model, c gpu.TrainConfig, examples []gpu.Example) memory.Training {
	t := memory.Training{Model: m, BFloat16: c.DType == "bfloat16", Eager: c.Attention == "eager", Recompute: c.Recompute}
	if c.LoRA != nil {
		t.Adapter, t.Rank, t.Dropout = m.Linears(), int64(c.LoRA.Rank), c.LoRA.Dropout > 0
	}
	for _, x := range examples {
		t.Batch.Tokens = append(t.Batch.Tokens, int64(len(x.Tokens)-1))
		t.Batch.Wanted = append(t.Batch.Wanted, int64(len(x.Tokens)-x.Answer))
	}
	return t
}
