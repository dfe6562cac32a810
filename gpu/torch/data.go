package torch

/*
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// dims is the C view of a shape; a scalar has none.
func dims(shape []int64) (*C.int64_t, C.int) {
	if len(shape) == 0 {
		return nil, 0
	}
	return (*C.int64_t)(unsafe.Pointer(&shape[0])), C.int(len(shape))
}

func elements(op string, shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		if d < 0 || (d > 0 && n > (1<<50)/d) {
			fail(op, fmt.Sprintf("shape %v is not one", shape))
		}
		n *= d
	}
	return n
}

// FromBytes copies little-endian elements to the device.
func (e *Engine) FromBytes(data []byte, dtype DType, shape ...int64) *Tensor {
	if want := elements("from bytes", shape) * int64(dtype.Size()); int64(len(data)) != want {
		fail("from bytes", fmt.Sprintf("%d bytes for shape %v of type %d: expected %d", len(data), shape, dtype, want))
	}
	pointer, n := dims(shape)
	return e.fused("from bytes", func(out *C.hone_tensor) *C.char {
		return C.hone_from_data(out, unsafe.Pointer(unsafe.SliceData(data)), pointer, n, C.int(dtype), e.cdevice)
	})
}

// FromFloats copies fp32 values to the device.
func (e *Engine) FromFloats(data []float32, shape ...int64) *Tensor {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), 4*len(data))
	return e.FromBytes(bytes, Float32, shape...)
}

// FromInts copies int64 values to the device as one dimension.
func (e *Engine) FromInts(data []int64) *Tensor {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), 8*len(data))
	return e.FromBytes(bytes, Int64, int64(len(data)))
}

// Zeros is a tensor of zeros.
func (e *Engine) Zeros(dtype DType, shape ...int64) *Tensor { return e.fresh(dtype, shape, 1) }

// Empty is a tensor of whatever the memory holds.
func (e *Engine) Empty(dtype DType, shape ...int64) *Tensor { return e.fresh(dtype, shape, 0) }

func (e *Engine) fresh(dtype DType, shape []int64, zero C.int) *Tensor {
	elements("empty", shape)
	pointer, n := dims(shape)
	return e.fused("empty", func(out *C.hone_tensor) *C.char {
		return C.hone_empty(out, pointer, n, C.int(dtype), e.cdevice, zero)
	})
}

// Bytes copies the elements to Go, in order, little-endian.
func (t *Tensor) Bytes() []byte {
	data := make([]byte, t.Elements()*int64(t.DType().Size()))
	t.read(unsafe.Pointer(unsafe.SliceData(data)), len(data))
	return data
}

// Floats copies the elements of an fp32 tensor to Go.
func (t *Tensor) Floats() []float32 {
	if t.DType() != Float32 {
		fail("floats", fmt.Sprintf("the type is %d", t.DType()), t)
	}
	data := make([]float32, t.Elements())
	t.read(unsafe.Pointer(unsafe.SliceData(data)), 4*len(data))
	return data
}

// Ints copies the elements of an int64 tensor to Go.
func (t *Tensor) Ints() []int64 {
	if t.DType() != Int64 {
		fail("ints", fmt.Sprintf("the type is %d", t.DType()), t)
	}
	data := make([]int64, t.Elements())
	t.read(unsafe.Pointer(unsafe.SliceData(data)), 8*len(data))
	return data
}

func (t *Tensor) read(to unsafe.Pointer, bytes int) {
	t.e.usable("read", []*Tensor{t})
	check("read", C.hone_to_host(t.raw(), to, C.size_t(bytes)), t)
}

// Item is the value of a tensor of one element.
func (t *Tensor) Item() float64 {
	t.e.usable("item", []*Tensor{t})
	var value C.double
	check("item", C.hone_item(t.raw(), &value), t)
	return float64(value)
}
