package torch

/*
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/sugarme/gotch/libtch"
)

// DType is the type of a tensor's elements, by libtorch's numbers.
type DType int32

// The types that models use.
const (
	Uint8    DType = 0
	Int32    DType = 3
	Int64    DType = 4
	Float16  DType = 5
	Float32  DType = 6
	Float64  DType = 7
	Bool     DType = 11
	BFloat16 DType = 15
)

// Size of one element in bytes.
func (d DType) Size() int {
	switch d {
	case Uint8, Bool:
		return 1
	case Float16, BFloat16:
		return 2
	case Int32, Float32:
		return 4
	case Int64, Float64:
		return 8
	}
	panic(fmt.Sprintf("torch: type %d has no size here", d))
}

type scalar = libtch.Cscalar

// Tensor is a handle to a libtorch tensor. It belongs to the scope it was made in unless kept.
type Tensor struct {
	c libtch.Ctensor // nil once freed
	e *Engine
}

// own gives a new handle to the open scope.
func (e *Engine) own(c libtch.Ctensor) *Tensor {
	t := &Tensor{c: c, e: e}
	e.handles++
	e.live = append(e.live, t)
	return t
}

// call makes one libtch call and takes its result. The pending message is asked for only where there is none.
func (e *Engine) call(op string, f func(out *libtch.Ctensor), tensors ...*Tensor) *Tensor {
	e.usable(op, tensors)
	*e.slot = nil
	f(e.slot)
	if *e.slot == nil {
		fail(op, pending(), tensors...)
	}
	return e.own(*e.slot)
}

// usable panics where a tensor was freed: C++ would go on with its memory.
func (e *Engine) usable(op string, tensors []*Tensor) {
	for i, t := range tensors {
		if t != nil && t.c == nil {
			fail(op, fmt.Sprintf("tensor %d was freed", i), tensors...)
		}
	}
}

// fused is call for the shim.
func (e *Engine) fused(op string, f func(out *C.hone_tensor) *C.char, tensors ...*Tensor) *Tensor {
	e.usable(op, tensors)
	slot := (*C.hone_tensor)(unsafe.Pointer(e.slot))
	*slot = nil
	check(op, f(slot), tensors...)
	return e.own(*e.slot)
}

func (t *Tensor) raw() C.hone_tensor { return C.hone_tensor(t.c) }

// maybe is raw of a tensor that may be nil.
func maybe(t *Tensor) C.hone_tensor {
	if t == nil {
		return nil
	}
	return t.raw()
}

// Scope runs f and frees the tensors made in it, but for those it returns, which go to the scope outside.
func (e *Engine) Scope(f func() []*Tensor) {
	mark := len(e.live)
	done := false
	defer func() {
		if !done {
			e.closeScope(mark)
		}
	}()
	results := f()
	e.closeScope(mark, results...)
	done = true
}

// Scope1 is Scope for one result.
func (e *Engine) Scope1(f func() *Tensor) (t *Tensor) {
	e.Scope(func() []*Tensor {
		t = f()
		return []*Tensor{t}
	})
	return t
}

func (e *Engine) closeScope(mark int, results ...*Tensor) {
	kept := mark
	for _, t := range e.live[mark:] {
		switch {
		case t.c == nil:
		case slices.Contains(results, t):
			e.live[kept] = t
			kept++
		default:
			t.free()
		}
	}
	clear(e.live[kept:])
	e.live = e.live[:kept]
}

// Keep takes the tensor out of its scope: it lives until Free. It must be in an open scope.
func (t *Tensor) Keep() *Tensor {
	e := t.e
	for i := len(e.live) - 1; i >= 0; i-- {
		if e.live[i] == t {
			e.live = slices.Delete(e.live, i, i+1)
			return t
		}
	}
	fail("keep", "the tensor is in no open scope", t)
	return nil
}

// Free releases a kept tensor. Nil and freed ones are left alone.
func (t *Tensor) Free() {
	if t != nil && t.c != nil {
		t.free()
	}
}

func (t *Tensor) free() {
	libtch.AtFree(t.c)
	t.c = nil
	t.e.handles--
}

// Become makes the handle t point at u's tensor and takes u's handle, which must be in an open scope, over. All who
// hold t see the new tensor.
func (t *Tensor) Become(u *Tensor) {
	u.Keep()
	t.Free()
	t.c, u.c = u.c, nil
}

// Engine is the one that the tensor belongs to.
func (t *Tensor) Engine() *Engine { return t.e }

// Shape is the size of each dimension.
func (t *Tensor) Shape() []int64 {
	n := libtch.AtDim(t.c)
	if n == 0 {
		return []int64{}
	}
	shape := make([]int64, n)
	libtch.AtShape(t.c, unsafe.Pointer(&shape[0]))
	return shape
}

// Dim is the size of dimension i; from the end if negative.
func (t *Tensor) Dim(i int) int64 {
	shape := t.Shape()
	if i < 0 {
		i += len(shape)
	}
	if i < 0 || i >= len(shape) {
		fail("dim", fmt.Sprintf("no dimension %d", i), t)
	}
	return shape[i]
}

// Elements is the number of elements.
func (t *Tensor) Elements() int64 {
	n := int64(1)
	for _, d := range t.Shape() {
		n *= d
	}
	return n
}

// DType is the type of the elements.
func (t *Tensor) DType() DType { return DType(C.hone_dtype(t.raw())) }
