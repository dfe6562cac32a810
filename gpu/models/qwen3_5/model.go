// Package qwen3_5 is the language model of Qwen3.5: gated delta nets (Yang et al. 2024), every fourth layer gated
// attention instead, with zero-centred norms before each part and a gated MLP. The vision tower and the head for
// several tokens at once that published checkpoints hold are left alone.
package qwen3_5

import (
	"errors"
	"fmt"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// Model is a Qwen3.5 language model, an [nn.Decoder].
type Model struct {
	nn.Ends
	Config    *checkpoint.Qwen35
	Layers    []*Layer
	FinalNorm *nn.CentredRMSNorm

	blocks []nn.Block // the layers as others see them
	rotary *nn.Rotary
}

// Layer is one block, with either attention or a delta net.
type Layer struct {
	InputNorm *nn.CentredRMSNorm
	Attention *Attention // nil in a layer with a delta net
	DeltaNet  *DeltaNet  // nil in a layer with attention
	PostNorm  *nn.CentredRMSNorm
	MLP       *nn.MLP

	path   string // what its tensors' names begin with
	module string // what its linear layers' paths begin with
}

// Load reads the model in dir to the engine's device. It runs inside the engine's Do.
func Load(e *torch.Engine, dir string, options nn.Options) (_ *Model, err error) {
	described, err := checkpoint.Read(dir)
	if err != nil {
		return nil, fmt.Errorf("qwen3_5: %w", err)
	}
	c, ok := described.(*checkpoint.Qwen35)
	if !ok {
		return nil, fmt.Errorf("qwen3_5: %s is a %s model", dir, described.Architecture())
	}
	file, err := safetensors.OpenModel(dir)
	if err != nil {
		return nil, fmt.Errorf("qwen3_5: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	load := nn.NewLoader(e, file, "", options.Type())
	m := &Model{
		Ends:   nn.LoadEnds(load, options, c.Prefix()+"embed_tokens.weight", c.Vocabulary, c.Hidden),
		Config: c, rotary: &nn.Rotary{Width: c.RotaryDim(), Theta: c.RopeTheta},
	}
	for i := range c.Layers {
		layer := m.layer(load, i)
		m.Layers, m.blocks = append(m.Layers, layer), append(m.blocks, layer)
	}
	m.FinalNorm = norm(load, c.Prefix()+"norm", c.Hidden, c)
	m.LoadOutput(load, c.Vocabulary, c.Hidden, c.TieEmbedding)
	load.Spare(c)
	if err := load.Finish(); err != nil {
		return nil, fmt.Errorf("qwen3_5: %w", err)
	}
	return m, nil
}

func (m *Model) layer(load *nn.Loader, i int) *Layer {
	c, at := m.Config, fmt.Sprintf("%slayers.%d.", m.Config.Prefix(), i)
	l := &Layer{path: at, module: fmt.Sprintf("%slayers.%d.", checkpoint.Qwen35Modules, i), InputNorm: norm(load, at+"input_layernorm", c.Hidden, c)}
	if c.Full(i) {
		l.Attention = loadAttention(load, at+"self_attn", i, c, m.rotary)
	} else {
		l.DeltaNet = loadDeltaNet(load, at+"linear_attn", i, c)
	}
	l.PostNorm = norm(load, at+"post_attention_layernorm", c.Hidden, c)
	l.MLP = nn.LoadMLP(load, at+"mlp", c.Hidden, c.Intermediate)
	return l
}

func norm(load *nn.Loader, name string, width int, c *checkpoint.Qwen35) *nn.CentredRMSNorm {
	return &nn.CentredRMSNorm{Weight: load.Tensor(name+".weight", int64(width)), Eps: c.RMSNormEps}
}

// Recurrent says that the model keeps states of sequences: see [nn.Input]'s Steps.
func (m *Model) Recurrent() bool { return true }

// Blocks implements [nn.Decoder].
func (m *Model) Blocks() []nn.Block { return m.blocks }

// Norm implements [nn.Decoder].
func (m *Model) Norm(x *torch.Tensor) *torch.Tensor { return m.FinalNorm.Forward(x) }

// Forward implements [nn.Block].
func (l *Layer) Forward(x *torch.Tensor, in *nn.Input, wanted bool) *torch.Tensor {
	h := l.InputNorm.Forward(x)
	if l.Attention != nil {
		h = l.Attention.Forward(h, in, wanted)
	} else {
		h = l.DeltaNet.Forward(h, in, wanted)
	}
	if wanted {
		x = x.Rows(in.Want)
	}
	x = x.Add(h)
	return x.Add(l.MLP.Forward(l.PostNorm.Forward(x)))
}

// NewCache implements [nn.Decoder].
func (m *Model) NewCache(slots, lanes int) *nn.Cache {
	c, cache, e, dtype := m.Config, &nn.Cache{}, m.Engine(), m.Options().Type()
	for i := range m.Layers {
		var layer nn.LayerCache
		if c.Full(i) {
			layer = nn.AttentionCache(e, dtype, slots, c.KVHeads, c.HeadDim)
		} else {
			layer = nn.RecurrentCache(e, dtype, lanes, c.Channels(), c.Kernel, c.ValueHeads, c.KeyDim, c.ValueDim)
		}
		cache.Layers = append(cache.Layers, layer)
	}
	return cache
}

// Limits implements [nn.Decoder].
func (m *Model) Limits() (vocabulary, positions int) { return m.Config.Limits() }

func (l *Layer) slots(at string) []nn.Slot {
	var first []nn.Slot
	if l.Attention != nil {
		first = l.Attention.slots(at + "self_attn")
	} else {
		first = l.DeltaNet.slots(at + "linear_attn")
	}
	return append(first, l.MLP.Slots(at+"mlp")...)
}

// Linears implements [nn.Decoder].
func (m *Model) Linears(see func(path string, slot *nn.Linear)) {
	for _, l := range m.Layers {
		for _, s := range l.slots(l.module) {
			see(s.Path, s.Layer)
		}
	}
}

// Parameters implements [nn.Decoder].
func (m *Model) Parameters() []nn.Parameter {
	var all []nn.Parameter
	for _, l := range m.Layers {
		all = append(all, l.InputNorm.Parameters(l.path+"input_layernorm")...)
		for _, s := range l.slots(l.path) {
			all = append(all, s.Parameters()...)
		}
		if l.Attention != nil {
			all = append(all, l.Attention.parameters(l.path+"self_attn")...)
		} else {
			all = append(all, l.DeltaNet.parameters(l.path+"linear_attn")...)
		}
		all = append(all, l.PostNorm.Parameters(l.path+"post_attention_layernorm")...)
	}
	all = append(all, m.FinalNorm.Parameters(m.Config.Prefix()+"norm")...)
	return m.Around(all)
}

// Free implements [nn.Decoder].
func (m *Model) Free() {
	for _, p := range m.Parameters() {
		p.Tensor.Free()
	}
	m.rotary.Free()
}
