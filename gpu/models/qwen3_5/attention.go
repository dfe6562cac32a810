package qwen3_5

import (
	"math"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// Attention is grouped-query attention with normed queries and keys, of which a part turns with the position, and a
// gate on what comes out.
type Attention struct {
	Q, K, V, O   nn.Linear // Q gives each head's query, then its gate
	QNorm, KNorm *nn.CentredRMSNorm

	index  int
	config *checkpoint.Qwen35
	rotary *nn.Rotary
}

func loadAttention(load *nn.Loader, at string, i int, c *checkpoint.Qwen35, rotary *nn.Rotary) *Attention {
	q, kv := c.Heads*c.HeadDim, c.KVHeads*c.HeadDim
	return &Attention{
		Q:     load.Dense(at+".q_proj", 2*q, c.Hidden, false),
		K:     load.Dense(at+".k_proj", kv, c.Hidden, false),
		V:     load.Dense(at+".v_proj", kv, c.Hidden, false),
		O:     load.Dense(at+".o_proj", c.Hidden, q, false),
		QNorm: norm(load, at+".q_norm", c.HeadDim, c),
		KNorm: norm(load, at+".k_norm", c.HeadDim, c),
		index: i, config: c, rotary: rotary,
	}
}

// Forward attends from x's rows, or from the wanted ones only, to all that the cache and x hold.
func (a *Attention) Forward(x *torch.Tensor, in *nn.Input, wanted bool) *torch.Tensor {
	c := a.config
	heads, width := int64(c.Heads), int64(c.HeadDim)
	cos, sin := a.rotary.Tables(x.Engine(), in.Longest)
	k := a.KNorm.Forward(a.K.Forward(x).View(-1, int64(c.KVHeads), width)).Rotary(cos, sin, in.Positions)
	v := a.V.Forward(x).View(-1, int64(c.KVHeads), width)
	from, positions := x, in.Positions
	if wanted {
		from, positions = x.Rows(in.Want), in.WantedAt
	}
	both := a.Q.Forward(from).View(-1, heads, 2*width)
	q := a.QNorm.Forward(both.Narrow(2, 0, width)).Rotary(cos, sin, positions)
	o := in.Attend(a.index, q, k, v, wanted, 1/math.Sqrt(float64(width)))
	return a.O.Forward(o.SigmoidMul(both.Narrow(2, width, width)).View(-1, heads*width))
}

func (a *Attention) slots(at string) []nn.Slot {
	return []nn.Slot{{Path: at + ".q_proj", Layer: &a.Q}, {Path: at + ".k_proj", Layer: &a.K}, {Path: at + ".v_proj", Layer: &a.V}, {Path: at + ".o_proj", Layer: &a.O}}
}

func (a *Attention) parameters(at string) []nn.Parameter {
	return append(a.QNorm.Parameters(at+".q_norm"), a.KNorm.Parameters(at+".k_norm")...)
}
