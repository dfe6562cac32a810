package torch

/*
#include "encoder.h"
*/
import "C"

import "fmt"

// LayerNorm is (x - mean)·rsqrt(variance+eps)·weight + bias over the last dimension (Ba et al. 2016). It has no
// gradient.
func (t *Tensor) LayerNorm(weight, bias *Tensor, eps float64) *Tensor {
	return t.e.fused("layer norm", func(out *C.hone_tensor) *C.char {
		return C.hone_layer_norm(out, t.raw(), weight.raw(), bias.raw(), C.double(eps))
	}, t, weight, bias)
}

// GELU is x·Φ(x), Φ the normal distribution (Hendrycks and Gimpel 2016): the exact one, not the tanh formula. It has
// no gradient.
func (t *Tensor) GELU() *Tensor {
	return t.e.fused("gelu", func(out *C.hone_tensor) *C.char { return C.hone_gelu(out, t.raw()) }, t)
}

// MeanUnit is, for each sequence, the mean of its rows offset[s] to offset[s+1] of t [rows, width], scaled to length
// 1: [sequences, width], fp32. It has no gradient.
func (t *Tensor) MeanUnit(offset []int64) *Tensor {
	if len(offset) < 2 {
		fail("mean unit", fmt.Sprintf("%d offsets: expected 2 or more", len(offset)), t)
	}
	return t.e.fused("mean unit", func(out *C.hone_tensor) *C.char {
		return C.hone_mean_unit(out, t.raw(), ints(offset), C.int64_t(len(offset)-1))
	}, t)
}
