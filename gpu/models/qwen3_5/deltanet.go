package qwen3_5

import (
	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// DeltaNet is a gated delta net (Yang et al. 2024): a state for each sequence instead of keys and values for each
// token.
type DeltaNet struct {
	QKV, Z, B, A, Out nn.Linear
	Conv              *torch.Tensor // [channels, 1, kernel]
	DTBias, ALog      *torch.Tensor // [value heads]
	Norm              *torch.Tensor // [value width], multiplies as it is

	index  int
	config *checkpoint.Qwen35
}

func loadDeltaNet(load *nn.Loader, at string, i int, c *checkpoint.Qwen35) *DeltaNet {
	heads, channels, values := c.ValueHeads, c.Channels(), c.ValueHeads*c.ValueDim
	return &DeltaNet{
		QKV:    load.Dense(at+".in_proj_qkv", channels, c.Hidden, false),
		Z:      load.Dense(at+".in_proj_z", values, c.Hidden, false),
		B:      load.Dense(at+".in_proj_b", heads, c.Hidden, false),
		A:      load.Dense(at+".in_proj_a", heads, c.Hidden, false),
		Out:    load.Dense(at+".out_proj", c.Hidden, values, false),
		Conv:   load.Tensor(at+".conv1d.weight", int64(channels), 1, int64(c.Kernel)),
		DTBias: load.Tensor(at+".dt_bias", int64(heads)),
		ALog:   load.Tensor(at+".A_log", int64(heads)),
		Norm:   load.Tensor(at+".norm.weight", int64(c.ValueDim)),
		index:  i, config: c,
	}
}

// Forward goes through each sequence of x's rows, from its state in the cache where there is one, and gives what
// comes of all rows or of the wanted ones.
func (d *DeltaNet) Forward(x *torch.Tensor, in *nn.Input, wanted bool) *torch.Tensor {
	var inputs, state *torch.Tensor
	if in.Cache != nil {
		inputs, state = in.Cache.Layers[d.index].Inputs, in.Cache.Layers[d.index].State
	}
	c := d.config
	o := torch.DeltaRule{
		KeyHeads: c.KeyHeads, ValueHeads: c.ValueHeads, KeyDim: c.KeyDim, ValueDim: c.ValueDim,
		Mixed: d.QKV.Forward(x).CausalConv(d.Conv, in.Steps, inputs),
		A:     d.A.Forward(x), B: d.B.Forward(x), ALog: d.ALog, DTBias: d.DTBias,
	}.Forward(in.Steps, state)
	if wanted {
		x, o = x.Rows(in.Want), o.Rows(in.Want)
	}
	return d.Out.Forward(o.GatedNorm(d.Z.Forward(x), d.Norm, c.RMSNormEps))
}

func (d *DeltaNet) slots(at string) []nn.Slot {
	return []nn.Slot{
		{Path: at + ".in_proj_qkv", Layer: &d.QKV},
		{Path: at + ".in_proj_z", Layer: &d.Z},
		{Path: at + ".in_proj_b", Layer: &d.B},
		{Path: at + ".in_proj_a", Layer: &d.A},
		{Path: at + ".out_proj", Layer: &d.Out},
	}
}

func (d *DeltaNet) parameters(at string) []nn.Parameter {
	return []nn.Parameter{
		{Name: at + ".conv1d.weight", Tensor: d.Conv},
		{Name: at + ".dt_bias", Tensor: d.DTBias},
		{Name: at + ".A_log", Tensor: d.ALog},
		{Name: at + ".norm.weight", Tensor: d.Norm},
	}
}
