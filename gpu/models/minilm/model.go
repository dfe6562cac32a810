package minilm

import (
	"errors"
	"fmt"
	"math"

	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// Model is BERT's encoder.
type Model struct {
	Config *Config
	Input  Embeddings
	Layers []*Layer

	e    *torch.Engine
	held []*torch.Tensor // all that Free gives back
}

// Embeddings are the input's three tables, of which a text uses type 0 alone.
type Embeddings struct {
	Word     *torch.Tensor // [vocabulary, hidden]
	Position *torch.Tensor // [positions, hidden]
	Type     *torch.Tensor // [types, hidden]
	Norm     *LayerNorm
}

// LayerNorm is (x - mean)·rsqrt(variance+Eps)·Weight + Bias.
type LayerNorm struct {
	Weight, Bias *torch.Tensor // [hidden]
	Eps          float64
}

// Layer is one block; its norms come after the sums.
type Layer struct {
	Attention     *Attention
	AttentionNorm *LayerNorm
	Up, Down      nn.Linear
	OutputNorm    *LayerNorm
}

// Attention looks both ways.
type Attention struct {
	Q, K, V, O nn.Linear
	heads      int64
	width      int64
}

// Load reads the model in dir to the engine's device, in fp32. It runs inside the engine's Do.
func Load(e *torch.Engine, dir string) (_ *Model, err error) {
	config, err := ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	file, err := safetensors.OpenModel(dir)
	if err != nil {
		return nil, fmt.Errorf("minilm: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	prefix := ""
	if file.Tensor("bert.embeddings.word_embeddings.weight") != nil {
		prefix = "bert." // as a whole BERT's checkpoint has it
	}
	m := &Model{Config: config, e: e}
	l := &loader{nn.NewLoader(e, file, prefix, torch.Float32), config}
	vocabulary, hidden := int64(config.Vocabulary), int64(config.Hidden)
	m.Input = Embeddings{
		Word:     l.Tensor("embeddings.word_embeddings.weight", vocabulary, hidden),
		Position: l.Tensor("embeddings.position_embeddings.weight", int64(config.Positions), hidden),
		Type:     l.Tensor("embeddings.token_type_embeddings.weight", int64(config.Types), hidden),
		Norm:     l.norm("embeddings.LayerNorm"),
	}
	for i := range config.Layers {
		m.Layers = append(m.Layers, l.layer(fmt.Sprintf("encoder.layer.%d.", i)))
	}
	for _, name := range []string{"embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias"} {
		l.Ignore(name) // 0, 1, 2, …; and a head that the mean replaces
	}
	if err := l.Finish(); err != nil {
		return nil, fmt.Errorf("minilm: %w", err)
	}
	m.held = l.Loaded()
	return m, nil
}

// loader makes the parts that the configuration asks for.
type loader struct {
	*nn.Loader
	c *Config
}

func (l *loader) norm(name string) *LayerNorm {
	hidden := int64(l.c.Hidden)
	return &LayerNorm{l.Tensor(name+".weight", hidden), l.Tensor(name+".bias", hidden), l.c.LayerNormEps}
}

func (l *loader) layer(at string) *Layer {
	c := l.c
	return &Layer{
		Attention: &Attention{
			Q:     l.Dense(at+"attention.self.query", c.Hidden, c.Hidden, true),
			K:     l.Dense(at+"attention.self.key", c.Hidden, c.Hidden, true),
			V:     l.Dense(at+"attention.self.value", c.Hidden, c.Hidden, true),
			O:     l.Dense(at+"attention.output.dense", c.Hidden, c.Hidden, true),
			heads: int64(c.Heads), width: int64(c.Hidden / c.Heads),
		},
		AttentionNorm: l.norm(at + "attention.output.LayerNorm"),
		Up:            l.Dense(at+"intermediate.dense", c.Intermediate, c.Hidden, true),
		Down:          l.Dense(at+"output.dense", c.Hidden, c.Intermediate, true),
		OutputNorm:    l.norm(at + "output.LayerNorm"),
	}
}

// Forward is the last layer's states of packed texts, [rows, hidden].
func (m *Model) Forward(b *Batch) *torch.Tensor {
	return m.e.Scope1(func() *torch.Tensor {
		x := m.Input.Word.Embedding(m.e.FromInts(b.tokens)).Add(m.Input.Position.Embedding(m.e.FromInts(b.places)))
		x = m.Input.Norm.Forward(x.Add(m.Input.Type.Narrow(0, 0, 1)))
		for _, layer := range m.Layers {
			before := x
			x = m.e.Scope1(func() *torch.Tensor { return layer.Forward(before, b.rows) })
			before.Free()
		}
		return x
	})
}

// Forward is the norm of each row.
func (n *LayerNorm) Forward(x *torch.Tensor) *torch.Tensor {
	return x.LayerNorm(n.Weight, n.Bias, n.Eps)
}

// Forward is the block's output for x [rows, hidden].
func (l *Layer) Forward(x *torch.Tensor, rows torch.Sequences) *torch.Tensor {
	x = l.AttentionNorm.Forward(x.Add(l.Attention.Forward(x, rows)))
	return l.OutputNorm.Forward(x.Add(l.Down.Forward(l.Up.Forward(x).GELU())))
}

// Forward attends from each row to all rows of its text.
func (a *Attention) Forward(x *torch.Tensor, rows torch.Sequences) *torch.Tensor {
	heads := func(l nn.Linear) *torch.Tensor { return l.Forward(x).View(-1, a.heads, a.width) }
	o := heads(a.Q).Attend(heads(a.K), heads(a.V), rows, 1/math.Sqrt(float64(a.width)))
	return a.O.Forward(o.View(-1, a.heads*a.width))
}

// Free gives the model's memory back.
func (m *Model) Free() {
	for _, t := range m.held {
		t.Free()
	}
}
