package skills

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

func TestVectorsRefuse(t *testing.T) {
	good := encodeVectors([]float32{.6, .8, 1, 0}, 2, 2)
	if len(good) != 128+16 || len(vectorHeader(5000, 384))%64 != 0 {
		t.Errorf("%d bytes", len(good))
	}
	if got, err := decodeVectors(good, 2, 2); err != nil || got[1] != .8 {
		t.Fatalf("%v, %v", got, err)
	}
	set := func(at int, x float32) []byte {
		b := bytes.Clone(good)
		binary.LittleEndian.PutUint32(b[128+4*at:], math.Float32bits(x))
		return b
	}
	for _, c := range []struct {
		name string
		in   []byte
		want string
	}{
		{"empty", nil, `header "": expected "\x93NUMPY`},
		{"float64", bytes.Replace(good, []byte("<f4"), []byte("<f8"), 1), "header"},
		{"columns first", bytes.Replace(good, []byte("False"), []byte("True "), 1), "header"},
		{"another shape", encodeVectors([]float32{.6, .8, 1, 0}, 1, 4), "header"},
		{"version 2", bytes.Replace(good, []byte("\x01\x00"), []byte("\x02\x00"), 1), "header"},
		{"cut off", good[:len(good)-1], "15 bytes behind the header: expected 16 for 2 vectors of 2 float32"},
		{"longer", append(bytes.Clone(good), 0), "17 bytes behind the header"},
		{"no number", set(2, float32(math.NaN())), "row 2: vector: length NaN"},
		{"infinite", set(0, float32(math.Inf(1))), "row 1: vector: length +Inf"},
		{"length", set(1, .9), "row 1: vector: length 1.0816"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := decodeVectors(c.in, 2, 2); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

// What is read is written again byte for byte.
func FuzzDecodeVectors(f *testing.F) {
	f.Add(encodeVectors([]float32{.6, .8, 1, 0}, 2, 2), 2, 2)
	f.Add(encodeVectors([]float32{1}, 1, 1), 1, 1)
	f.Add(encodeVectors(nil, 0, 384), 0, 384)
	f.Fuzz(func(t *testing.T, data []byte, rows, dimension int) {
		if rows < 0 || rows > MaxSkills || dimension < 0 || dimension > MaxDimension {
			return // refused by the readers of headers
		}
		vectors, err := decodeVectors(data, rows, dimension)
		if err == nil && !bytes.Equal(encodeVectors(vectors, rows, dimension), data) {
			t.Errorf("%q is written otherwise", data)
		}
	})
}
