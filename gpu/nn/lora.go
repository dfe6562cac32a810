package nn

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/torch"
)

// LoRA is a linear layer with a low-rank part beside it (Hu et al. 2021, section 4.1):
// y = Base(x) + Scale·B·A·dropout(x).
type LoRA struct {
	Base    *Dense
	A       *torch.Tensor // [rank, in], fp32
	B       *torch.Tensor // [out, rank], fp32
	Scale   float64       // alpha/rank, or alpha/sqrt(rank)
	Dropout float64

	adapter *Adapter
	index   uint64 // in the adapter
	path    string
	slot    *Linear       // of the model
	before  *torch.Tensor // the base's weight before it was merged; nil if it is not
}

// Forward implements [Linear].
func (l *LoRA) Forward(x *torch.Tensor) *torch.Tensor {
	dropout, seed := 0.0, uint64(0)
	if l.adapter.Train {
		dropout, seed = l.Dropout, l.adapter.Seed+l.index*0x9e3779b97f4a7c15 // of the golden ratio: far apart
	}
	return x.LoRA(l.Base.Weight, l.Base.Bias, l.A, l.B, l.Scale, dropout, seed)
}

// Parameters are the base layer's; the adapter's are those of [Adapter].
func (l *LoRA) Parameters(path string) []Parameter { return l.Base.Parameters(path) }

// merged is the base's weight with the low-rank part added, computed in fp32.
func (l *LoRA) merged() *torch.Tensor {
	weight := l.Base.Weight
	return weight.Engine().Scope1(func() *torch.Tensor {
		return weight.To(torch.Float32).Add(l.B.MatMul(l.A).Scale(l.Scale)).To(weight.DType())
	})
}

// Adapter is the LoRA layers of a model. It is on or off: on, its layers stand in the model's slots; off, the plain
// ones do, and the model computes what it did before there was an adapter, bit for bit.
type Adapter struct {
	Config gpu.LoRA
	Train  bool   // dropout on
	Seed   uint64 // decides, with each layer's place, what dropout drops: new for every pass that is to differ

	ranks, alphas checkpoint.Patterns // layers that differ from Config
	layers        []*LoRA
	on            bool
	version       *Version // of the model
}

// NewAdapter puts a LoRA layer around each target of the model: A uniform within 1/sqrt(in), as PEFT starts it
// (Kaiming with a = sqrt 5), from seed and name; B zero. The adapter is on; none other may be.
func NewAdapter(e *torch.Engine, model Decoder, config gpu.LoRA, seed uint64) (*Adapter, error) {
	if err := config.Check(); err != nil {
		return nil, err
	}
	return attach(model, &Adapter{Config: config}, true, func(path string, rank, out, in int64) (a, b *torch.Tensor) {
		rng := Generator(seed, path)
		bound := 1 / math.Sqrt(float64(in))
		values := make([]float32, rank*in)
		for i := range values {
			values[i] = float32((2*rng.Float64() - 1) * bound)
		}
		return e.FromFloats(values, rank, in).Keep(), e.Zeros(torch.Float32, out, rank).Keep()
	})
}

// Generator is a random generator for one named thing under a seed: what it gives does not depend on what else
// there is.
func Generator(seed uint64, name string) *rand.Rand {
	sum := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte(name+"\x00"), seed))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])))
}

// attach makes the layers of an adapter whose numbers are checked and switches it on; weights gives A and B of a layer.
// strict wants each name among the targets to be a layer's.
func attach(model Decoder, a *Adapter, strict bool, weights func(path string, rank, out, in int64) (a, b *torch.Tensor)) (*Adapter, error) {
	config := &a.Config
	a.version = model.Version()
	if len(config.Targets) == 0 {
		config.Targets = checkpoint.Projections
	}
	wanted, err := checkpoint.NewTargetSet(config.Targets)
	if err != nil {
		return nil, fmt.Errorf("lora: %w", err)
	}
	var failed error
	model.Linears(func(path string, slot *Linear) {
		if failed != nil || !wanted.Has(path) {
			return
		}
		dense, plain := (*slot).(*Dense)
		if !plain {
			failed = fmt.Errorf("lora: %s has an adapter already", path)
			return
		}
		rank, alpha := a.ranks.Of(path, float64(config.Rank)), a.alphas.Of(path, config.Alpha)
		layer := &LoRA{
			Base: dense, Scale: alpha / rank, Dropout: config.Dropout,
			adapter: a, index: uint64(len(a.layers)), path: path, slot: slot,
		}
		if config.RSLoRA {
			layer.Scale = alpha / math.Sqrt(rank)
		}
		shape := dense.Weight.Shape()
		layer.A, layer.B = weights(path, int64(rank), shape[0], shape[1])
		a.layers = append(a.layers, layer)
	})
	if failed == nil {
		if failed = wanted.Found(strict); failed != nil {
			failed = fmt.Errorf("lora: %w", failed)
		}
	}
	if failed != nil {
		a.Free()
		return nil, failed
	}
	a.On()
	return a, nil
}

// On puts the adapter's layers into the model. Another that is on must be switched off before.
func (a *Adapter) On() {
	for _, l := range a.layers {
		*l.slot = l
	}
	a.on, a.version.adapter = true, a
}

// Off puts the plain layers back: the reference model.
func (a *Adapter) Off() {
	for _, l := range a.layers {
		*l.slot = l.Base
	}
	a.on, a.version.adapter = false, nil
}

// Parameters are A and B of each layer under PEFT's names.
func (a *Adapter) Parameters() []Parameter {
	var all []Parameter
	for _, l := range a.layers {
		path := peftPrefix + l.path
		all = append(all, Parameter{Name: path + ".lora_A.weight", Tensor: l.A}, Parameter{Name: path + ".lora_B.weight", Tensor: l.B})
	}
	return all
}

// SetDropout changes the probability in every layer.
func (a *Adapter) SetDropout(p float64) {
	a.Config.Dropout = p
	for _, l := range a.layers {
		l.Dropout = p
	}
}

// Free gives the adapter's memory back. It must be off, or its model not be used any more.
func (a *Adapter) Free() {
	for _, l := range a.layers {
		l.A.Free()
		l.B.Free()
		l.before.Free()
	}
}
