package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/checkpoint/safetensors"
)

// TestCompare: differences of hand-made files. Lengths of vectors: of (3, 4) and (0, 1, 2, 2) together √(25 + 9).
func TestCompare(t *testing.T) {
	le := binary.LittleEndian
	f32 := func(values ...float32) (data []byte) {
		for _, v := range values {
			data = le.AppendUint32(data, math.Float32bits(v))
		}
		return data
	}
	u16 := func(values ...uint16) (data []byte) {
		for _, v := range values {
			data = le.AppendUint16(data, v)
		}
		return data
	}
	file := func(a, b, c []byte) []byte {
		var out bytes.Buffer
		if err := safetensors.Write(&out, nil, []safetensors.Tensor{
			{Name: "a", DType: safetensors.F32, Shape: []int64{2}, Data: a},
			{Name: "b", DType: safetensors.F16, Shape: []int64{4}, Data: b},
			{Name: "c", DType: safetensors.I64, Shape: []int64{1}, Data: c},
		}); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	same := func(a, b safetensors.Apart) bool { // but for the share
		a.Share, b.Share = 0, 0
		return a == b
	}
	compare := func(a, b []byte) (safetensors.Apart, error) {
		return safetensors.Compare(bytes.NewReader(a), bytes.NewReader(b), int64(len(a)), int64(len(b)))
	}
	// In binary16 0x3c00 is 1, 0x4000 is 2, 0xc000 -2, 0x0001 2⁻²⁴, 0x7c00 infinite, 0x7e00 no number.
	base := file(f32(3, 4), u16(0, 0x3c00, 0x4000, 0x4000), make([]byte, 8))
	for name, c := range map[string]struct {
		other []byte
		want  safetensors.Apart
	}{
		"same":       {base, safetensors.Apart{Tensors: 3}},
		"float":      {file(f32(3, 4.5), u16(0, 0x3c00, 0x4000, 0x4000), make([]byte, 8)), safetensors.Apart{Tensors: 3, Differ: 1, Largest: 0.5, Where: "a", Share: 0.5 / math.Sqrt(34)}},
		"half":       {file(f32(3, 4), u16(1, 0x3c00, 0x4000, 0xc000), make([]byte, 8)), safetensors.Apart{Tensors: 3, Differ: 1, Largest: 4, Where: "b", Share: math.Sqrt((16 + math.Ldexp(1, -48)) / 34)}},
		"infinite":   {file(f32(3, 4), u16(0, 0x7c00, 0x4000, 0x4000), make([]byte, 8)), safetensors.Apart{Tensors: 3, Differ: 1, Largest: math.Inf(1), Where: "b", Share: math.Inf(1)}},
		"no number":  {file(f32(3, 4), u16(0, 0x7e00, 0x4000, 0x4000), make([]byte, 8)), safetensors.Apart{Tensors: 3, Differ: 1, Largest: math.Inf(1), Where: "b", Share: math.Inf(1)}},
		"no float":   {file(f32(3, 4), u16(0, 0x3c00, 0x4000, 0x4000), []byte{1, 0, 0, 0, 0, 0, 0, 0}), safetensors.Apart{Tensors: 3, Differ: 1}},
		"minus zero": {file(f32(3, 4), u16(0x8000, 0x3c00, 0x4000, 0x4000), make([]byte, 8)), safetensors.Apart{Tensors: 3, Differ: 1}},
	} {
		if got, err := compare(base, c.other); err != nil || got.Share != c.want.Share && math.Abs(got.Share-c.want.Share) > 1e-15 || !same(got, c.want) {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, c.want)
		}
	}
	nan := file(f32(float32(math.NaN()), 4), u16(0, 0x3c00, 0x4000, 0x4000), make([]byte, 8))
	if got, err := compare(nan, slices.Clone(nan)); err != nil || got.Differ != 0 || got.Largest != 0 {
		t.Errorf("the same without a number: %+v, %v", got, err)
	}
	other := bytes.Replace(base, []byte(`"a"`), []byte(`"z"`), 1)
	if _, err := compare(base, other); !errors.Is(err, safetensors.ErrOtherTensors) {
		t.Errorf("another name: %v", err)
	}
	if _, err := safetensors.Compare(bytes.NewReader(base), bytes.NewReader(base[:len(base)-1]), int64(len(base)), int64(len(base))); err == nil || !strings.Contains(err.Error(), "b: unexpected EOF") {
		t.Errorf("a file that ends too early: %v", err)
	}
}

// TestCompareLong: what is longer than a page is compared to its end.
func TestCompareLong(t *testing.T) {
	file := func(last float32) []byte {
		data := make([]byte, 4*100_000)
		binary.LittleEndian.PutUint32(data[len(data)-4:], math.Float32bits(last))
		var out bytes.Buffer
		if err := safetensors.Write(&out, nil, []safetensors.Tensor{{Name: "w", DType: safetensors.F32, Shape: []int64{100_000}, Data: data}}); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	a, b := file(1), file(1.25)
	got, err := safetensors.Compare(bytes.NewReader(a), bytes.NewReader(b), int64(len(a)), int64(len(b)))
	if want := (safetensors.Apart{Tensors: 1, Differ: 1, Largest: 0.25, Where: "w", Share: 0.25}); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}
