package torch

/*
#include "delta.h"
*/
import "C"

import (
	"fmt"
	"runtime"
)

// deltaChunk is the number of tokens that the delta rule takes at a time where it is computed by products.
const deltaChunk = 64

// Packing says which rows of a packed batch follow on each other, for what goes through a sequence step by step.
type Packing struct {
	Offset []int64 // rows of sequence s: Offset[s] to Offset[s+1]
	Lane   []int64 // of each sequence's state; unused without one
	Past   []int64 // tokens that each sequence's state has seen; 0 begins it with zeros

	steps                                int64
	gather, mask, scatter, fresh, onLane *Tensor // see delta.h; nil where the CPU's loops serve
}

// Pack readies a packing for tensors of a type on the engine's device. Its tensors belong to the open scope.
func (e *Engine) Pack(p Packing, dtype DType) *Packing {
	n := len(p.Lane)
	if len(p.Offset) != n+1 || len(p.Past) != n || n == 0 {
		fail("pack", fmt.Sprintf("%d sequences with %d offsets and %d lengths of the past", n, len(p.Offset), len(p.Past)))
	}
	if e.device == "cpu" && dtype == Float32 {
		return &p
	}
	for s := range n {
		p.steps = max(p.steps, p.Offset[s+1]-p.Offset[s])
	}
	if p.steps > 1 {
		p.steps = (p.steps + deltaChunk - 1) / deltaChunk * deltaChunk
	}
	gather, mask := make([]int64, int64(n)*p.steps), make([]float32, int64(n)*p.steps)
	scatter, fresh := make([]int64, p.Offset[n]), make([]float32, n)
	for s := range n {
		for row := p.Offset[s]; row < p.Offset[s+1]; row++ {
			at := int64(s)*p.steps + row - p.Offset[s]
			gather[at], mask[at], scatter[row] = row, 1, at
		}
		if p.Past[s] > 0 {
			fresh[s] = 1
		}
	}
	p.gather, p.scatter, p.onLane = e.FromInts(gather), e.FromInts(scatter), e.FromInts(p.Lane)
	p.mask, p.fresh = e.FromFloats(mask, int64(n), p.steps), e.FromFloats(fresh, int64(n))
	return &p
}

// with hands the packing to C; pointers in it stay pinned during f.
func (p *Packing) with(f func(c *C.hone_packing) *C.char) *C.char {
	var pin runtime.Pinner
	defer pin.Unpin()
	for _, values := range [][]int64{p.Offset, p.Lane, p.Past} {
		pin.Pin(&values[0])
	}
	c := C.hone_packing{
		offset: ints(p.Offset), lane: ints(p.Lane), past: ints(p.Past), sequences: C.int64_t(len(p.Lane)), steps: C.int64_t(p.steps),
	}
	if p.gather != nil {
		c.gather, c.mask, c.scatter, c.fresh, c.lanes = p.gather.raw(), p.mask.raw(), p.scatter.raw(), p.fresh.raw(), p.onLane.raw()
	}
	return f(&c)
}

func (p *Packing) tensors(more ...*Tensor) []*Tensor {
	return append(more, p.gather, p.mask, p.scatter, p.fresh, p.onLane)
}

// CausalConv is silu of the depthwise causal convolution of t [rows, channels] with weight [channels, 1, kernel] along
// each sequence. state [lanes, channels, kernel-1] holds the last inputs before, and afterwards those of now; nil is
// zeros. On the CPU in fp32 a row's result does not depend on how its sequence is cut into passes.
func (t *Tensor) CausalConv(weight *Tensor, p *Packing, state *Tensor) *Tensor {
	return t.e.fused("causal conv", func(out *C.hone_tensor) *C.char {
		return p.with(func(c *C.hone_packing) *C.char {
			return C.hone_causal_conv(out, t.raw(), weight.raw(), maybe(state), c)
		})
	}, p.tensors(t, weight, state)...)
}

// DeltaRule is the gated delta rule (Yang et al. 2024, "Gated Delta Networks", equation 10) of a layer. KeyHeads
// neighbouring groups of value heads share a query and a key.
type DeltaRule struct {
	KeyHeads, ValueHeads, KeyDim, ValueDim int

	Mixed        *Tensor // [rows, 2·KeyHeads·KeyDim + ValueHeads·ValueDim]: queries, keys, values
	A, B         *Tensor // [rows, ValueHeads]: what decay and rate follow from
	ALog, DTBias *Tensor // [ValueHeads]: A_log and dt_bias
}

// Forward goes through each sequence, [rows, ValueHeads·ValueDim]:
//
//	a = -exp(A_log)·softplus(A + dt_bias), β = sigmoid(B), q and k at unit length, q/√KeyDim
//	S ← e^a·S;  δ = β·(v - kᵀS);  S ← S + k·δᵀ;  o = qᵀS
//
// state [lanes, ValueHeads, KeyDim, ValueDim] is S before and afterwards; nil is zeros. On the CPU in fp32 a row's
// result does not depend on how its sequence is cut into passes.
func (d DeltaRule) Forward(p *Packing, state *Tensor) *Tensor {
	return d.Mixed.e.fused("delta rule", func(out *C.hone_tensor) *C.char {
		return p.with(func(c *C.hone_packing) *C.char {
			return C.hone_delta_rule(out, d.Mixed.raw(), d.A.raw(), d.B.raw(), d.ALog.raw(), d.DTBias.raw(), C.int64_t(d.KeyHeads),
				C.int64_t(d.ValueHeads), C.int64_t(d.KeyDim), C.int64_t(d.ValueDim), maybe(state), c)
		})
	}, p.tensors(d.Mixed, d.A, d.B, d.ALog, d.DTBias, state)...)
}

// GatedNorm is x·rsqrt(mean(x²)+eps)·weight·silu(z), the mean in fp32 over each len(weight) neighbouring elements.
func (t *Tensor) GatedNorm(z, weight *Tensor, eps float64) *Tensor {
	return t.e.fused("gated norm", func(out *C.hone_tensor) *C.char {
		return C.hone_gated_norm(out, t.raw(), z.raw(), weight.raw(), C.double(eps))
	}, t, z, weight)
}

// SigmoidMul is t·sigmoid(gate).
func (t *Tensor) SigmoidMul(gate *Tensor) *Tensor {
	return t.e.fused("sigmoid mul", func(out *C.hone_tensor) *C.char {
		return C.hone_sigmoid_mul(out, t.raw(), gate.raw())
	}, t, gate)
}
