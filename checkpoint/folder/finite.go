package folder

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
)

// Finite reads the weights of a folder that [Open] took, all that the language model computes with, and is an error that
// names the first element that is no finite number: nothing could be computed with it. tick is told each tensor's place.
func Finite(ctx context.Context, dir string, tick func(name string, i, n int)) (err error) {
	m, err := checkpoint.Read(dir)
	if err != nil {
		return err
	}
	weights, err := safetensors.OpenModel(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, weights.Close()) }()
	wanted := m.Tensors()
	for i, want := range wanted {
		if err := ctx.Err(); err != nil {
			return err
		}
		tick(want.Name, i, len(wanted))
		if t := weights.Tensor(want.Name); t != nil {
			if err := finite(t); err != nil {
				return fmt.Errorf("%s: tensor %s of shape %v: %w", weights.Path, t.Name, t.Shape, err)
			}
		}
	}
	return nil
}

// lanes are elements side by side in 64 bits: where the exponent's bits are all ones, an element is infinite or no number.
type lanes struct {
	width           int    // of an element, in bytes
	exponent        uint64 // in each
	lowest, highest uint64 // bits of each
}

var floats = map[safetensors.DType]lanes{
	safetensors.F32:  {4, 0x7f80_0000_7f80_0000, 0x0000_0001_0000_0001, 0x8000_0000_8000_0000},
	safetensors.F16:  {2, 0x7c00_7c00_7c00_7c00, 0x0001_0001_0001_0001, 0x8000_8000_8000_8000},
	safetensors.BF16: {2, 0x7f80_7f80_7f80_7f80, 0x0001_0001_0001_0001, 0x8000_8000_8000_8000},
}

// finite is an error that names a tensor's first element that is not finite.
func finite(t *safetensors.Tensor) error {
	l, is := floats[t.DType]
	if !is {
		return nil
	}
	r := t.Reader()
	buffer := make([]byte, 1<<20) // whole elements, and whole words of them
	for at := 0; ; {
		n, err := io.ReadFull(r, buffer)
		if i := l.first(buffer[:n]); i >= 0 {
			return fmt.Errorf("element %d is %s, expected finite numbers", at/l.width+i, l.name(buffer[i*l.width:]))
		}
		at += n
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// first is the index of the first element that is not finite, -1 if there is none.
func (l lanes) first(b []byte) int {
	at := 0
	for ; at+8 <= len(b); at += 8 {
		unset := ^binary.LittleEndian.Uint64(b[at:]) & l.exponent
		if (unset-l.lowest)&^unset&l.highest != 0 { // an element here has all bits of its exponent set
			break
		}
	}
	for ; at < len(b); at += l.width {
		if l.bits(b[at:])&l.exponent == l.exponent&l.mask() {
			return at / l.width
		}
	}
	return -1
}

// mask is the bits of the first element.
func (l lanes) mask() uint64 { return 1<<(8*l.width) - 1 }

// bits are those of the element at the front of b.
func (l lanes) bits(b []byte) uint64 {
	if l.width == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return uint64(binary.LittleEndian.Uint16(b))
}

// name is what the element at the front of b, which is not finite, is called.
func (l lanes) name(b []byte) string {
	bits := l.bits(b)
	switch {
	case bits&(l.mask()>>1)&^l.exponent != 0:
		return "NaN"
	case bits&l.highest != 0:
		return "-Inf"
	}
	return "+Inf"
}
