// Package qwen2 is the architecture of Qwen2 and Qwen2.5 (Yang et al. 2024): grouped-query attention with biases on
// q, k and v, rotary positions, RMSNorm before each part, a gated MLP.
package qwen2

import (
	"errors"
	"fmt"
	"math"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// Model is a Qwen2 language model, an [nn.Decoder].
type Model struct {
	nn.Ends
	Config    *checkpoint.Qwen2
	Layers    []*Layer
	FinalNorm *nn.RMSNorm

	blocks []nn.Block // the layers as others see them
	rotary *nn.Rotary
}

// Layer is one block.
type Layer struct {
	InputNorm *nn.RMSNorm
	Attention *Attention
	PostNorm  *nn.RMSNorm
	MLP       *nn.MLP
}

// Attention is grouped-query attention.
type Attention struct {
	Q, K, V, O nn.Linear
	index      int
	config     *checkpoint.Qwen2
	rotary     *nn.Rotary
}

// Load reads the model in dir to the engine's device. It runs inside the engine's Do.
func Load(e *torch.Engine, dir string, options nn.Options) (_ *Model, err error) {
	described, err := checkpoint.Read(dir)
	if err != nil {
		return nil, fmt.Errorf("qwen2: %w", err)
	}
	config, ok := described.(*checkpoint.Qwen2)
	if !ok {
		return nil, fmt.Errorf("qwen2: %s is a %s model", dir, described.Architecture())
	}
	file, err := safetensors.OpenModel(dir)
	if err != nil {
		return nil, fmt.Errorf("qwen2: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	load := nn.NewLoader(e, file, "", options.Type())
	m := &Model{
		Ends:   nn.LoadEnds(load, options, "model.embed_tokens.weight", config.Vocabulary, config.Hidden),
		Config: config, rotary: &nn.Rotary{Width: config.HeadDim, Theta: config.RopeTheta},
	}
	for i := range config.Layers {
		layer := m.layer(load, i)
		m.Layers, m.blocks = append(m.Layers, layer), append(m.blocks, layer)
	}
	m.FinalNorm = load.Norm("model.norm", config.Hidden, config.RMSNormEps)
	m.LoadOutput(load, config.Vocabulary, config.Hidden, config.TieEmbedding)
	load.Spare(config)
	if err := load.Finish(); err != nil {
		return nil, fmt.Errorf("qwen2: %w", err)
	}
	return m, nil
}

func (m *Model) layer(load *nn.Loader, i int) *Layer {
	c, at := m.Config, fmt.Sprintf("model.layers.%d.", i)
	q, kv := c.Heads*c.HeadDim, c.KVHeads*c.HeadDim
	return &Layer{
		InputNorm: load.Norm(at+"input_layernorm", c.Hidden, c.RMSNormEps),
		Attention: &Attention{
			Q:     load.Dense(at+"self_attn.q_proj", q, c.Hidden, true),
			K:     load.Dense(at+"self_attn.k_proj", kv, c.Hidden, true),
			V:     load.Dense(at+"self_attn.v_proj", kv, c.Hidden, true),
			O:     load.Dense(at+"self_attn.o_proj", c.Hidden, q, false),
			index: i, config: c, rotary: m.rotary,
		},
		PostNorm: load.Norm(at+"post_attention_layernorm", c.Hidden, c.RMSNormEps),
		MLP:      nn.LoadMLP(load, at+"mlp", c.Hidden, c.Intermediate),
	}
}

// Blocks implements [nn.Decoder].
func (m *Model) Blocks() []nn.Block { return m.blocks }

// Norm implements [nn.Decoder].
func (m *Model) Norm(x *torch.Tensor) *torch.Tensor { return m.FinalNorm.Forward(x) }

// Forward implements [nn.Block].
func (l *Layer) Forward(x *torch.Tensor, in *nn.Input, wanted bool) *torch.Tensor {
	h := l.Attention.Forward(l.InputNorm.Forward(x), in, wanted)
	if wanted {
		x = x.Rows(in.Want)
	}
	x = x.Add(h)
	return x.Add(l.MLP.Forward(l.PostNorm.Forward(x)))
}

// Forward attends from x's rows, or from the wanted ones only, to all that the cache and x hold.
func (a *Attention) Forward(x *torch.Tensor, in *nn.Input, wanted bool) *torch.Tensor {
	c := a.config
	cos, sin := a.rotary.Tables(x.Engine(), in.Longest)
	width := int64(c.HeadDim)
	k := a.K.Forward(x).View(-1, int64(c.KVHeads), width).Rotary(cos, sin, in.Positions)
	v := a.V.Forward(x).View(-1, int64(c.KVHeads), width)
	from, positions := x, in.Positions
	if wanted {
		from, positions = x.Rows(in.Want), in.WantedAt
	}
	q := a.Q.Forward(from).View(-1, int64(c.Heads), width).Rotary(cos, sin, positions)
	o := in.Attend(a.index, q, k, v, wanted, 1/math.Sqrt(float64(c.HeadDim)))
	return a.O.Forward(o.View(-1, int64(c.Heads)*width))
}

// NewCache implements [nn.Decoder].
func (m *Model) NewCache(slots, _ int) *nn.Cache {
	cache := &nn.Cache{}
	for range m.Layers {
		cache.Layers = append(cache.Layers, nn.AttentionCache(m.Engine(), m.Options().Type(), slots, m.Config.KVHeads, m.Config.HeadDim))
	}
	return cache
}

// Limits implements [nn.Decoder].
func (m *Model) Limits() (vocabulary, positions int) { return m.Config.Limits() }

// Linears implements [nn.Decoder].
func (m *Model) Linears(see func(path string, slot *nn.Linear)) {
	for i, l := range m.Layers {
		for _, s := range l.linears(i) {
			see(s.Path, s.Layer)
		}
	}
}

func (l *Layer) linears(i int) []nn.Slot {
	at := fmt.Sprintf("model.layers.%d.", i)
	return append([]nn.Slot{
		{Path: at + "self_attn.q_proj", Layer: &l.Attention.Q},
		{Path: at + "self_attn.k_proj", Layer: &l.Attention.K},
		{Path: at + "self_attn.v_proj", Layer: &l.Attention.V},
		{Path: at + "self_attn.o_proj", Layer: &l.Attention.O},
	}, l.MLP.Slots(at+"mlp")...)
}

// Parameters implements [nn.Decoder].
func (m *Model) Parameters() []nn.Parameter {
	var all []nn.Parameter
	for i, l := range m.Layers {
		at := fmt.Sprintf("model.layers.%d.", i)
		all = append(all, l.InputNorm.Parameters(at+"input_layernorm")...)
		for _, s := range l.linears(i) {
			all = append(all, s.Parameters()...)
		}
		all = append(all, l.PostNorm.Parameters(at+"post_attention_layernorm")...)
	}
	all = append(all, m.FinalNorm.Parameters("model.norm")...)
	return m.Around(all)
}

// Free implements [nn.Decoder].
func (m *Model) Free() {
	for _, p := range m.Parameters() {
		p.Tensor.Free()
	}
	m.rotary.Free()
}
