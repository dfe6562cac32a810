package torch

/*
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"slices"
	"unsafe"
)

// RMSNorm is x·rsqrt(mean(x²)+eps)·weight over the last dimension, the mean in fp32 (Zhang and Sennrich 2019).
func (t *Tensor) RMSNorm(weight *Tensor, eps float64) *Tensor {
	return t.e.fused("rms norm", func(out *C.hone_tensor) *C.char {
		return C.hone_rms_norm(out, t.raw(), weight.raw(), C.double(eps))
	}, t, weight)
}

// SiluMul is silu(t)·up (the gated unit of Shazeer 2020).
func (t *Tensor) SiluMul(up *Tensor) *Tensor {
	return t.e.fused("silu mul", func(out *C.hone_tensor) *C.char {
		return C.hone_silu_mul(out, t.raw(), up.raw())
	}, t, up)
}

// Rotary turns the halves of each head of t [rows, heads, width] by its row's position (Su et al. 2021, in the
// layout of halves). cos and sin are [positions, width/2], positions int64 [rows]. Narrower tables turn the first
// part of each head, twice their width, and leave the rest.
func (t *Tensor) Rotary(cos, sin, positions *Tensor) *Tensor {
	return t.e.fused("rotary", func(out *C.hone_tensor) *C.char {
		return C.hone_rotary(out, t.raw(), cos.raw(), sin.raw(), positions.raw())
	}, t, cos, sin, positions)
}

// Sequences says which rows of packed queries and keys belong together.
type Sequences struct {
	Offset   []int64 // query rows of sequence s: Offset[s] to Offset[s+1]
	KeyStart []int64 // its first key row
	Position []int64 // of each query row in its sequence: it sees key rows KeyStart[s] to KeyStart[s]+Position

	// Pages, where it is not nil, says that keys lie in pages of PageRows rows rather than from KeyStart on: key j of
	// sequence s is row PageRows·Pages[PageStart[s] + j/PageRows] + j%PageRows. There is no gradient through pages.
	Pages     []int64
	PageStart []int64 // of sequence s's pages, PageStart[s] to PageStart[s+1]
}

// PageRows is the size of a page of keys.
const PageRows = 16

// check refuses offsets and positions that do not belong together.
func (s Sequences) check(op string, tensors ...*Tensor) {
	n := len(s.KeyStart)
	ok := len(s.Offset) == n+1 && s.Offset[0] == 0 && s.Offset[n] > 0 && int64(len(s.Position)) >= s.Offset[n] &&
		slices.IsSorted(s.Offset)
	if !ok {
		fail(op, fmt.Sprintf("%d sequences with %d offsets and %d positions", n, len(s.Offset), len(s.Position)), tensors...)
	}
	for i, start := range s.KeyStart {
		if start < 0 || s.Offset[i] < s.Offset[i+1] && slices.Min(s.Position[s.Offset[i]:s.Offset[i+1]]) < 0 {
			fail(op, fmt.Sprintf("sequence %d begins at key %d or has a position below 0", i, start), tensors...)
		}
	}
	if s.Pages != nil {
		s.checkPages(op, tensors...)
	}
}

// Attend is causal attention of queries t [rows, heads, width] over keys and values [key rows, kv heads, width]
// with softmax(scale·q·k); heads/kv heads neighbouring heads share a KV head. A sequence's result does not depend
// on the others. Where there is no loop for the device, the type or the width it is [Tensor.AttendPadded].
func (t *Tensor) Attend(k, v *Tensor, s Sequences, scale float64) *Tensor {
	s.check("attend", t, k, v)
	if !t.Loops(k, v) {
		return t.e.Scope1(func() *Tensor { return t.AttendPadded(k, v, t.e.Pad(s), scale, false) })
	}
	if s.Pages != nil {
		return t.attendPaged(k, v, s, scale)
	}
	return t.e.fused("attend", func(out *C.hone_tensor) *C.char {
		return C.hone_attention(out, t.raw(), k.raw(), v.raw(), ints(s.Offset), ints(s.KeyStart), ints(s.Position),
			C.int64_t(len(s.KeyStart)), C.double(scale))
	}, t, k, v)
}

func ints(values []int64) *C.int64_t { return (*C.int64_t)(unsafe.Pointer(unsafe.SliceData(values))) }

// Leaf is a parameter that lives in t[offset:] and gathers its gradient in grad[offset:]. t and grad have one
// dimension.
func (t *Tensor) Leaf(grad *Tensor, offset int64, shape ...int64) *Tensor {
	elements("leaf", shape)
	pointer, n := dims(shape)
	return t.e.fused("leaf", func(out *C.hone_tensor) *C.char {
		return C.hone_leaf(out, t.raw(), C.int64_t(offset), pointer, n, grad.raw())
	}, t, grad)
}

// SquareSum is the sum of squares, in fp64 over short fp32 parts.
func (t *Tensor) SquareSum() float64 {
	t.e.usable("square sum", []*Tensor{t})
	var value C.double
	check("square sum", C.hone_square_sum(t.raw(), &value), t)
	return float64(value)
}

// AdamW is one update of w (Loshchilov and Hutter 2019) by its gradient and moments, all flat and alike.
type AdamW struct {
	Rate, Beta1, Beta2, Epsilon, Decay float64
	GradScale                          float64 // the gradient counts times this
	Decayed                            int64   // elements from 0 that decay; the others do not
	Correction1, Correction2           float64 // 1 - beta^step
}

// Update changes w and the moments m and v in place.
func (a AdamW) Update(w, grad, m, v *Tensor) {
	w.e.usable("adamw", []*Tensor{w, grad, m, v})
	check("adamw", C.hone_adamw(w.raw(), grad.raw(), m.raw(), v.raw(), C.int64_t(a.Decayed), C.double(a.Rate),
		C.double(a.Beta1), C.double(a.Beta2), C.double(a.Epsilon), C.double(a.Decay), C.double(a.Correction1),
		C.double(a.Correction2), C.double(a.GradScale)), w, grad, m, v)
}
