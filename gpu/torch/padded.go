package torch

/*
#include "padded.h"
*/
import "C"

import (
	"fmt"
	"math/bits"
	"runtime"
	"slices"
)

// Padding is how packed sequences are laid out in groups of padded ones on a device: what attention by plain
// operations needs. It is made once a batch and serves every layer.
type Padding struct {
	queries, keys, back *Tensor   // int64: rows of the queries, of the keys, and of the result among the groups' rows
	hidden              []*Tensor // bool [n, 1, rows, keys] of each group
	sizes               []int64   // n, rows, keys of each group
	rows                int64     // of the queries in all
	last                int64     // key row
}

// padded is the length that a sequence of n is padded to: up to an eighth more. It follows from the sequence alone,
// so that a sequence's result does not depend on its neighbours, and few lengths are left to make groups of.
func padded(n int64) int64 {
	if n <= 16 {
		return n
	}
	step := int64(1) << (bits.Len64(uint64(n-1)) - 4)
	return (n + step - 1) / step * step
}

// Pad lays sequences out on the device. It belongs to the open scope.
func (e *Engine) Pad(s Sequences) *Padding {
	s.check("pad")
	type size struct{ rows, keys int64 }
	members, order := map[size][]int{}, []size(nil) // in the order of their first sequences
	for i := range s.KeyStart {
		rows, keys := s.Offset[i+1]-s.Offset[i], int64(0)
		for _, p := range s.Position[s.Offset[i]:s.Offset[i+1]] {
			keys = max(keys, p+1)
		}
		if rows == 0 {
			continue
		}
		g := size{padded(rows), padded(keys)}
		if members[g] == nil {
			order = append(order, g)
		}
		members[g] = append(members[g], i)
	}
	p := &Padding{rows: s.Offset[len(s.KeyStart)]}
	var queries, keys, positions []int64
	back := make([]int64, p.rows)
	for _, g := range order {
		p.sizes = append(p.sizes, int64(len(members[g])), g.rows, g.keys)
		for _, i := range members[g] {
			from, rows := s.Offset[i], s.Offset[i+1]-s.Offset[i]
			longest := int64(0)
			for r := range g.rows { // rows that pad repeat the first, their result is not used
				row := from
				if r < rows {
					row = from + r
					back[row] = int64(len(queries))
				}
				queries, positions = append(queries, row), append(positions, s.Position[row])
				longest = max(longest, s.Position[row])
			}
			for k := range g.keys { // keys that pad repeat the last, no row sees them
				row := s.key(i, min(k, longest))
				keys, p.last = append(keys, row), max(p.last, row)
			}
		}
	}
	all := e.FromInts(slices.Concat(queries, positions, keys, back)) // one copy to the device
	n := int64(len(queries))
	p.queries, p.keys = all.Narrow(0, 0, n), all.Narrow(0, 2*n, int64(len(keys)))
	p.back = all.Narrow(0, 2*n+int64(len(keys)), p.rows)
	at := n
	for i := 0; i < len(p.sizes); i += 3 {
		count, rows, keys := p.sizes[i], p.sizes[i+1], p.sizes[i+2]
		p.hidden = append(p.hidden, e.hidden(all.Narrow(0, at, count*rows), count, rows, keys))
		at += count * rows
	}
	return p
}

func (e *Engine) hidden(positions *Tensor, n, rows, keys int64) *Tensor {
	return e.fused("mask", func(out *C.hone_tensor) *C.char {
		return C.hone_hidden(out, positions.raw(), C.int64_t(n), C.int64_t(rows), C.int64_t(keys))
	}, positions)
}

// AttendPadded is [Tensor.Attend] by plain operations, for the sequences that p was made of: where eager by products
// in the tensors' type and a softmax in fp32, else by libtorch's scaled_dot_product_attention. It is computed on any
// device and in any type.
func (t *Tensor) AttendPadded(k, v *Tensor, p *Padding, scale float64, eager bool) *Tensor {
	if t.Dim(0) != p.rows || p.last >= k.Dim(0) {
		fail("attend", fmt.Sprintf("the sequences have %d rows and see key rows up to %d of %d", p.rows, p.last, k.Dim(0)), t, k, v)
	}
	plain := C.int(0)
	if eager {
		plain = 1
	}
	hidden := make([]C.hone_tensor, len(p.hidden)) // C memory's addresses: no Go pointers
	for i, h := range p.hidden {
		hidden[i] = h.raw()
	}
	defer runtime.KeepAlive(p)
	return t.e.fused("attend", func(out *C.hone_tensor) *C.char {
		return C.hone_attend_padded(out, t.raw(), k.raw(), v.raw(), p.queries.raw(), p.keys.raw(), p.back.raw(),
			&hidden[0], ints(p.sizes), C.int64_t(len(hidden)), C.double(scale), plain)
	}, append([]*Tensor{t, k, v, p.queries, p.keys, p.back}, p.hidden...)...)
}

// Loops says that Attend has a loop of its own for such tensors and needs no [Padding].
func (t *Tensor) Loops(k, v *Tensor) bool {
	t.e.usable("attend", []*Tensor{t, k, v})
	return C.hone_attention_loops(t.raw(), k.raw(), v.raw()) != 0
}
