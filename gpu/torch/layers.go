package torch

/*
#include "layers.h"
*/
import "C"

// TrainedLinear is [Tensor.Linear] of rows t [rows, in] for a weight that is trained: where weight and bias are
// leaves, their gradients are added in place to what they have gathered, in fp32 also for a weight of bf16.
func (t *Tensor) TrainedLinear(weight, bias *Tensor) *Tensor {
	return t.e.fused("linear", func(out *C.hone_tensor) *C.char {
		return C.hone_linear(out, t.raw(), weight.raw(), maybe(bias))
	}, t, weight, bias)
}

// LoRA is rows t [rows, in] through a frozen layer and a low-rank part beside it: t·weightᵀ + bias + scale·b·a·drop(t)
// with a [rank, in], b [out, rank] in fp32 (Hu et al. 2021, section 4.1). drop sets elements to 0 with probability p
// and scales the others by 1/(1-p); seed alone decides which. The products are in t's type. Inside [Engine.Rowwise] a
// row's bits follow from the row alone, as those of Linear do.
func (t *Tensor) LoRA(weight, bias, a, b *Tensor, scale, p float64, seed uint64) *Tensor {
	if p == 0 && t.e.rowwise && t.plain() && weight.plain() && a.plain() && b.plain() {
		return t.e.Scope1(func() *Tensor {
			return t.linearRows(weight, bias).Add(t.linearRows(a, nil).linearRows(b, nil).Scale(scale))
		})
	}
	return t.e.fused("lora", func(out *C.hone_tensor) *C.char {
		return C.hone_lora(out, t.raw(), weight.raw(), maybe(bias), a.raw(), b.raw(), C.double(scale), C.double(p),
			C.uint64_t(seed))
	}, t, weight, bias, a, b)
}

// Embedding is the rows of the table t [n, width] that indices (int64, one dimension) name. Where t is a leaf that is
// trained, its gradient is added in place to what it has gathered.
func (t *Tensor) Embedding(indices *Tensor) *Tensor {
	return t.e.fused("embedding", func(out *C.hone_tensor) *C.char {
		return C.hone_embedding(out, t.raw(), indices.raw())
	}, t, indices)
}

// Dropout sets elements to 0 with probability p and scales the others by 1/(1-p), as [Tensor.LoRA] does. No gradient is
// recorded.
func (t *Tensor) Dropout(p float64, seed uint64) *Tensor {
	return t.e.fused("dropout", func(out *C.hone_tensor) *C.char {
		return C.hone_dropout(out, t.raw(), C.double(p), C.uint64_t(seed))
	}, t)
}
