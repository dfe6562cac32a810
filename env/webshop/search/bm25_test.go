package search

import (
	"math"
	"testing"
)

// TestLength: Lucene's byte keeps short lengths and the highest four bits of what long ones exceed 24 by.
func TestLength(t *testing.T) {
	for _, c := range []struct{ length, want int }{
		{0, 0},
		{1, 1},
		{23, 23},
		{24, 24},
		{39, 39},
		{40, 40},
		{41, 40},
		{42, 42},
		{55, 54},
		{56, 56},
		{59, 56},
		{60, 60},
		{88, 88},
		{95, 88},
		{107, 104},
		{1000, 984},
		{1919, 1816},
		{math.MaxInt32, 15<<27 + 24},
	} {
		if got := decodeLength(encodeLength(c.length)); got != c.want {
			t.Errorf("%d: got %d, want %d", c.length, got, c.want)
		}
	}
	for code := range 256 {
		if got := encodeLength(decodeLength(byte(code))); code <= int(encodeLength(math.MaxInt32)) && got != byte(code) {
			t.Errorf("code %d has length %d with code %d", code, decodeLength(byte(code)), got)
		}
	}
}

// TestExact: sums that may be rounded are not called exact.
func TestExact(t *testing.T) {
	for _, c := range []struct {
		weights []float32
		want    bool
	}{
		{nil, true},
		{[]float32{7, 0.5}, true},
		{[]float32{1, 1 << 28}, true},
		{[]float32{1, 1 << 29}, false},
		{[]float32{1 << 29, 1}, false},
		{[]float32{4.2e-7, 120}, true},
		{[]float32{4.2e-7, 130}, false},
	} {
		if got := exact(c.weights); got != c.want {
			t.Errorf("%v: got %v, want %v", c.weights, got, c.want)
		}
	}
}
