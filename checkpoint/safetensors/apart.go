package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Apart is how far two files are from each other that have the same tensors.
type Apart struct {
	Tensors int     // in either
	Differ  int     // of them
	Largest float64 // difference of two elements, absolute; +Inf where one is no number and the other is
	Where   string  // the tensor that has it
	Share   float64 // the length of the difference by the length of a, both as one vector of all elements
}

// ErrOtherTensors is in the error of two files whose tensors have other names, types, shapes or places.
var ErrOtherTensors = errors.New("other tensors")

// Compare reads two files from their beginnings, of so many bytes each, and holds them against each other tensor by tensor.
// It keeps no more than a few pages of them in memory. Elements that are no floats are compared as bytes.
func Compare(a, b io.Reader, sizeA, sizeB int64) (Apart, error) {
	one, _, err := Describe(a, sizeA)
	if err != nil {
		return Apart{}, err
	}
	other, _, err := Describe(b, sizeB)
	if err != nil {
		return Apart{}, err
	}
	for _, list := range [][]Tensor{one, other} {
		slices.SortFunc(list, func(x, y Tensor) int { return byOffset(&x, &y) })
	}
	if !slices.EqualFunc(one, other, func(x, y Tensor) bool {
		return x.Name == y.Name && x.DType == y.DType && slices.Equal(x.Shape, y.Shape) && x.offset == y.offset
	}) {
		return Apart{}, fmt.Errorf("safetensors: %w", ErrOtherTensors)
	}
	c := comparison{Apart: Apart{Tensors: len(one)}, a: make([]byte, page), b: make([]byte, page)}
	for i := range one {
		if err := c.tensor(&one[i], a, b); err != nil {
			return Apart{}, fmt.Errorf("safetensors: %s: %w", one[i].Name, err)
		}
	}
	if c.length > 0 {
		c.Share = math.Sqrt(c.apart / c.length)
	}
	return c.Apart, nil
}

// page is how many bytes are compared at a time.
const page = 64 << 10

type comparison struct {
	Apart
	a, b          []byte
	apart, length float64 // squared
}

func (c *comparison) tensor(t *Tensor, a, b io.Reader) error {
	differs := false
	for left := t.length; left > 0; {
		n := min(left, page)
		for r, to := range map[io.Reader][]byte{a: c.a[:n], b: c.b[:n]} {
			if _, err := io.ReadFull(r, to); err != nil {
				return short(err)
			}
		}
		differs = differs || !bytes.Equal(c.a[:n], c.b[:n])
		if float := floats[t.DType]; float != nil {
			c.elements(t, int(t.DType.Size()), c.a[:n], c.b[:n], float)
		}
		left -= n
	}
	if differs {
		c.Differ++
	}
	return nil
}

func (c *comparison) elements(t *Tensor, size int, a, b []byte, float func([]byte) float64) {
	for i := 0; i+size <= len(a); i += size {
		x, y := float(a[i:]), float(b[i:])
		c.length += x * x
		d := math.Abs(x - y)
		if math.IsNaN(d) { // of infinities and what is no number
			if bytes.Equal(a[i:i+size], b[i:i+size]) {
				continue
			}
			d = math.Inf(1)
		}
		c.apart += d * d
		if d > c.Largest {
			c.Largest, c.Where = d, t.Name
		}
	}
}

// floats read an element.
var floats = map[DType]func([]byte) float64{
	F64: func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) },
	F32: func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) },
	BF16: func(b []byte) float64 {
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16))
	},
	F16: func(b []byte) float64 { return half(binary.LittleEndian.Uint16(b)) },
}

// half is IEEE 754's binary16: a sign, five bits of exponent and ten of fraction.
func half(bits uint16) float64 {
	sign := 1.0
	if bits>>15 != 0 {
		sign = -1
	}
	exponent, fraction := int(bits>>10&0x1f), float64(bits&0x3ff)
	switch {
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	case exponent < 0x1f:
		return sign * math.Ldexp(1024+fraction, exponent-25)
	case fraction == 0:
		return math.Inf(int(sign))
	}
	return math.NaN()
}
