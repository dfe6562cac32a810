package qwen2

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/safetensors"
)

// Init writes a new model into dir, which is there: weights normal with deviation InitStd, norms 1, biases 0. Each
// tensor has a generator of its own, from the seed and its name. No tensor library is involved.
func Init(m gpu.ModelConfig, seed uint64, dir string) error {
	text, config, err := marshal(m)
	if err != nil {
		return fmt.Errorf("qwen2: new model: %w", err)
	}
	if !(m.InitStd > 0) || math.IsInf(m.InitStd, 0) {
		return fmt.Errorf("qwen2: new model: init_std %v: expected above 0", m.InitStd)
	}
	var tensors []safetensors.Tensor
	for _, s := range config.shapes() {
		tensors = append(tensors, safetensors.Tensor{
			Name: s.name, DType: safetensors.F32, Shape: s.shape, Data: s.fill(seed, m.InitStd),
		})
	}
	if err := os.WriteFile(filepath.Join(dir, ConfigName), text, 0o644); err != nil {
		return fmt.Errorf("qwen2: new model: %w", err)
	}
	path := filepath.Join(dir, safetensors.SingleName)
	if err := safetensors.WriteFile(path, map[string]string{"format": "pt"}, tensors); err != nil {
		return fmt.Errorf("qwen2: new model: %w", err)
	}
	return nil
}

type shaped struct {
	name  string
	shape []int64
}

// shapes are the tensors of a model, in the order of the model.
func (c *Config) shapes() []shaped {
	hidden, inner := int64(c.Hidden), int64(c.Intermediate)
	q, kv := int64(c.Heads*c.HeadDim), int64(c.KVHeads*c.HeadDim)
	all := []shaped{{"model.embed_tokens.weight", []int64{int64(c.Vocabulary), hidden}}}
	for i := range c.Layers {
		for _, s := range []shaped{
			{"input_layernorm.weight", []int64{hidden}},
			{"self_attn.q_proj.weight", []int64{q, hidden}},
			{"self_attn.q_proj.bias", []int64{q}},
			{"self_attn.k_proj.weight", []int64{kv, hidden}},
			{"self_attn.k_proj.bias", []int64{kv}},
			{"self_attn.v_proj.weight", []int64{kv, hidden}},
			{"self_attn.v_proj.bias", []int64{kv}},
			{"self_attn.o_proj.weight", []int64{hidden, q}},
			{"post_attention_layernorm.weight", []int64{hidden}},
			{"mlp.gate_proj.weight", []int64{inner, hidden}},
			{"mlp.up_proj.weight", []int64{inner, hidden}},
			{"mlp.down_proj.weight", []int64{hidden, inner}},
		} {
			all = append(all, shaped{fmt.Sprintf("model.layers.%d.%s", i, s.name), s.shape})
		}
	}
	all = append(all, shaped{"model.norm.weight", []int64{hidden}})
	if !c.TieEmbedding {
		all = append(all, shaped{"lm_head.weight", []int64{int64(c.Vocabulary), hidden}})
	}
	return all
}

// fill gives the first values, fp32 little-endian. Normal ones come in pairs (Box and Muller 1958), so that they
// follow from the generator's uniform numbers by a formula that stands here.
func (s shaped) fill(seed uint64, std float64) []byte {
	n := int64(1)
	for _, d := range s.shape {
		n *= d
	}
	data := make([]byte, 0, 4*n)
	put := func(v float64) { data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(v))) }
	switch {
	case strings.HasSuffix(s.name, ".bias"):
		return data[:4*n]
	case len(s.shape) == 1:
		for range n {
			put(1)
		}
		return data
	}
	rng := nn.Generator(seed, s.name)
	for int64(len(data)) < 4*n {
		radius := std * math.Sqrt(-2*math.Log(1-rng.Float64())) // 1-u is above 0
		sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
		put(radius * cos)
		put(radius * sin)
	}
	return data[:4*n]
}
