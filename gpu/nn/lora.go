package nn

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/torch"
)

// LoRA is a linear layer with a low-rank part beside it (Hu et al. 2021, section 4.1):
// y = Base(x) + Scale·B·A·dropout(x).
type LoRA struct {
	Base    Linear
	A       *torch.Tensor // [rank, in]
	B       *torch.Tensor // [out, rank]
	Scale   float64       // alpha/rank
	Dropout float64
	Train   *bool // whether dropout is on; one switch for all of a model's
}

// Forward implements [Linear].
func (l *LoRA) Forward(x *torch.Tensor) *torch.Tensor {
	return x.Engine().Scope1(func() *torch.Tensor {
		low := x
		if l.Dropout > 0 && l.Train != nil && *l.Train {
			low = x.Dropout(l.Dropout)
		}
		return l.Base.Forward(x).Add(low.Linear(l.A, nil).Linear(l.B, nil).Scale(l.Scale))
	})
}

// Parameters are the base layer's; the adapter's are those of [Adapter].
func (l *LoRA) Parameters(path string) []Parameter { return l.Base.Parameters(path) }

// Merge adds the low-rank part to the base layer's weight and returns that layer.
func (l *LoRA) Merge() (*Dense, error) {
	d, ok := l.Base.(*Dense)
	if !ok {
		return nil, fmt.Errorf("merge: the base is a %T, not a plain linear layer", l.Base)
	}
	e := d.Weight.Engine()
	merged := e.Scope1(func() *torch.Tensor { return d.Weight.Add(l.B.MatMul(l.A).Scale(l.Scale)) })
	d.Weight.Become(merged)
	l.A.Free()
	l.B.Free()
	return d, nil
}

// Adapter is the LoRA layers of a model.
type Adapter struct {
	Config gpu.LoRA
	Train  bool // dropout on

	paths  []string
	layers []*LoRA
}

// Projections are the seven linear layers of a Qwen2 block, the default targets.
var Projections = []string{"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}

// NewAdapter puts a LoRA layer around each target of the model: A uniform within 1/sqrt(in), as PEFT starts it
// (Kaiming with a = sqrt 5), from seed and name; B zero.
func NewAdapter(e *torch.Engine, model Decoder, config gpu.LoRA, seed uint64) (*Adapter, error) {
	return attach(model, config, func(path string, out, in int64) (*torch.Tensor, *torch.Tensor, error) {
		rng := Generator(seed, path)
		bound := 1 / math.Sqrt(float64(in))
		a := make([]float32, int64(config.Rank)*in)
		for i := range a {
			a[i] = float32((2*rng.Float64() - 1) * bound)
		}
		return e.FromFloats(a, int64(config.Rank), in).Keep(), e.Zeros(torch.Float32, out, int64(config.Rank)).Keep(), nil
	})
}

// Generator is a random generator for one named thing under a seed: what it gives does not depend on what else
// there is.
func Generator(seed uint64, name string) *rand.Rand {
	sum := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte(name+"\x00"), seed))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])))
}

// attach wraps the targets; weights gives A and B of a layer.
func attach(model Decoder, config gpu.LoRA,
	weights func(path string, out, in int64) (a, b *torch.Tensor, err error),
) (*Adapter, error) {
	if config.Rank < 1 {
		return nil, fmt.Errorf("lora: rank %d: expected at least 1", config.Rank)
	}
	if config.Dropout < 0 || config.Dropout >= 1 {
		return nil, fmt.Errorf("lora: dropout %v: expected 0 to below 1", config.Dropout)
	}
	if len(config.Targets) == 0 {
		config.Targets = Projections
	}
	adapter := &Adapter{Config: config}
	found := map[string]bool{}
	var failed error
	model.Linears(func(path string, slot *Linear) {
		name := path[strings.LastIndexByte(path, '.')+1:]
		dense, plain := (*slot).(*Dense)
		if failed != nil || !slices.Contains(config.Targets, name) {
			return
		}
		if !plain {
			failed = fmt.Errorf("lora: %s has an adapter already", path)
			return
		}
		found[name] = true
		shape := dense.Weight.Shape()
		a, b, err := weights(path, shape[0], shape[1])
		if err != nil {
			failed = err
			return
		}
		layer := &LoRA{
			Base: dense, A: a, B: b, Scale: config.Alpha / float64(config.Rank), Dropout: config.Dropout,
			Train: &adapter.Train,
		}
		adapter.paths = append(adapter.paths, path)
		adapter.layers = append(adapter.layers, layer)
		*slot = layer
	})
	if failed != nil {
		return nil, failed
	}
	for _, name := range config.Targets {
		if !found[name] {
			return nil, fmt.Errorf("lora: target %q: the model has no such linear layer", name)
		}
	}
	return adapter, nil
}

// Parameters are A and B of each layer under PEFT's names.
func (a *Adapter) Parameters() []Parameter {
	var all []Parameter
	for i, layer := range a.layers {
		path := peftPrefix + a.paths[i]
		all = append(all, Parameter{Name: path + ".lora_A.weight", Tensor: layer.A},
			Parameter{Name: path + ".lora_B.weight", Tensor: layer.B})
	}
	return all
}

// SetDropout changes the probability in every layer.
func (a *Adapter) SetDropout(p float64) {
	a.Config.Dropout = p
	for _, layer := range a.layers {
		layer.Dropout = p
	}
}

const peftPrefix = "base_model.model."

// Merge adds every low-rank part to its base layer and takes the adapter off the model.
func (a *Adapter) Merge(model Decoder) error {
	var failed error
	model.Linears(func(_ string, slot *Linear) {
		if layer, ok := (*slot).(*LoRA); ok && failed == nil {
			var d *Dense
			if d, failed = layer.Merge(); failed == nil {
				*slot = d
			}
		}
	})
	return failed
}
