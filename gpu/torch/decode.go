package torch

/*
#include "decode.h"
*/
import "C"

import (
	"fmt"
	"slices"
)

// Rowwise runs f with gradients off and with linear layers on the CPU in fp32 computed by loops of our own: a row's
// bits follow from the row alone, whatever the number of rows, and a few rows are quick. What f computes on another
// device or in another type is computed as ever.
func (e *Engine) Rowwise(f func()) {
	grad, before := e.grad, e.rowwise
	e.setGrad(false)
	e.rowwise = true
	defer func() {
		e.rowwise = before
		e.setGrad(grad)
	}()
	f()
}

// plain says whether the loops of our own can take the tensor.
func (t *Tensor) plain() bool { return t.c != nil && C.hone_plain(t.raw()) != 0 }

func (t *Tensor) linearRows(weight, bias *Tensor) *Tensor {
	return t.e.fused("linear", func(out *C.hone_tensor) *C.char {
		var b C.hone_tensor
		if bias != nil {
			b = bias.raw()
		}
		return C.hone_linear_rows(out, t.raw(), weight.raw(), b)
	}, t, weight, bias)
}

// attendPaged is Attend over pages, where there is a loop.
func (t *Tensor) attendPaged(k, v *Tensor, s Sequences, scale float64) *Tensor {
	return t.e.fused("attend", func(out *C.hone_tensor) *C.char {
		return C.hone_attention_paged(out, t.raw(), k.raw(), v.raw(), ints(s.Offset), ints(s.Position),
			C.int64_t(len(s.KeyStart)), ints(s.Pages), ints(s.PageStart), C.double(scale))
	}, t, k, v)
}

// key is the row of a sequence's key j.
func (s Sequences) key(i int, j int64) int64 {
	if s.Pages == nil {
		return s.KeyStart[i] + j
	}
	return PageRows*s.Pages[s.PageStart[i]+j/PageRows] + j%PageRows
}

// checkPages refuses sequences that see more keys than their pages hold, and pages below 0.
func (s Sequences) checkPages(op string, tensors ...*Tensor) {
	n := len(s.KeyStart)
	if len(s.PageStart) != n+1 || !slices.IsSorted(s.PageStart) || s.PageStart[0] != 0 || s.PageStart[n] > int64(len(s.Pages)) {
		fail(op, fmt.Sprintf("%d sequences with %d page starts and %d pages", n, len(s.PageStart), len(s.Pages)), tensors...)
	}
	for i := range n {
		have := s.PageStart[i+1] - s.PageStart[i]
		for _, p := range s.Position[s.Offset[i]:s.Offset[i+1]] {
			if p/PageRows >= have {
				fail(op, fmt.Sprintf("sequence %d sees key %d of %d pages", i, p, have), tensors...)
			}
		}
	}
	if s.PageStart[n] > 0 && slices.Min(s.Pages[:s.PageStart[n]]) < 0 {
		fail(op, "a page is below 0", tensors...)
	}
}
