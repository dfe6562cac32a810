package torch

/*
#include "transfer.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"io"
	"unsafe"
)

// piece is how many bytes go through the host's memory at a time where they cannot go straight.
const piece = 8 << 20

// Load is a new tensor of a shape and type with the elements that r gives, which are little-endian and of type from.
// On the CPU without conversion they are read straight into the tensor's memory, else piece by piece: there is never
// a second copy. Too few bytes are io.ErrUnexpectedEOF. On the meta device nothing is read.
func (e *Engine) Load(r io.Reader, from, dtype DType, shape ...int64) (*Tensor, error) {
	t := e.Empty(dtype, shape...)
	if e.device == "meta" {
		return t, nil
	}
	if memory := t.memory(); memory != nil && from == dtype {
		return t, readFull(r, memory)
	}
	n := elements("load", shape)
	for at := int64(0); at < n; {
		count := min(n-at, piece/int64(from.Size()))
		data := e.buffer(count * int64(from.Size()))
		if err := readFull(r, data); err != nil {
			return t, err
		}
		check("load", C.hone_fill(t.raw(), C.int64_t(at), C.int64_t(count), unsafe.Pointer(unsafe.SliceData(data)), C.int(from)), t)
		at += count
	}
	return t, nil
}

func readFull(r io.Reader, data []byte) error {
	if _, err := io.ReadFull(r, data); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("read: %w", err)
	}
	return nil
}

// WriteTo writes the elements in order, little-endian, to w, without a copy of them all. It implements [io.WriterTo].
func (t *Tensor) WriteTo(w io.Writer) (int64, error) {
	t.e.usable("write", []*Tensor{t})
	if memory := t.memory(); memory != nil {
		n, err := w.Write(memory)
		return int64(n), err
	}
	written := int64(0)
	var failed error
	t.e.Scope(func() []*Tensor {
		whole, size := t.Contiguous(), int64(t.DType().Size())
		n := t.Elements()
		for at := int64(0); at < n && failed == nil; {
			count := min(n-at, piece/size)
			data := t.e.buffer(count * size)
			check("write", C.hone_fetch(whole.raw(), C.int64_t(at), C.int64_t(count), unsafe.Pointer(unsafe.SliceData(data))), t)
			var k int
			k, failed = w.Write(data)
			written += int64(k)
			at += count
		}
		return nil
	})
	return written, failed
}

// memory is the elements where they lie, nil if that is not on the CPU or not in order.
func (t *Tensor) memory() []byte {
	p := C.hone_memory_of(t.raw())
	if p == nil {
		return nil
	}
	return unsafe.Slice((*byte)(p), t.Elements()*int64(t.DType().Size()))
}

// buffer is memory for a piece, good until the next.
func (e *Engine) buffer(n int64) []byte {
	if int64(cap(e.pieces)) < n {
		e.pieces = make([]byte, n)
	}
	return e.pieces[:n]
}
