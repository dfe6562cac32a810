package skills

import (
	"fmt"
	"math"
)

// MaxDimension bounds the vectors of a library.
const MaxDimension = 1 << 14

// lengthTolerance is how far from 1 a vector's length may be: a float32 vector that was divided by its length is within
// 1e-6.
const lengthTolerance = 1e-5

// checkVector refuses what is not of that many numbers and of length 1: a product of two would be no cosine.
func checkVector(v []float32, dimension int) error {
	if len(v) != dimension {
		return fmt.Errorf("vector: %d numbers, expected %d", len(v), dimension)
	}
	square := 0.0
	for _, x := range v {
		square += float64(float64(x) * float64(x))
	}
	if length := math.Sqrt(square); !(math.Abs(length-1) <= lengthTolerance) { // nor NaN
		return fmt.Errorf("vector: length %v, expected 1", length)
	}
	return nil
}

// dot is the product of two vectors of one length. The order of additions is fixed: eight running sums, of the places
// that leave the same remainder by 8, then the sums in pairs.
func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	for len(a) >= 16 && len(b) >= 16 { // two rounds at once: the loop itself costs as much as one
		x, y := (*[16]float32)(a), (*[16]float32)(b)
		s0 += float32(x[0] * y[0])
		s1 += float32(x[1] * y[1])
		s2 += float32(x[2] * y[2])
		s3 += float32(x[3] * y[3])
		s4 += float32(x[4] * y[4])
		s5 += float32(x[5] * y[5])
		s6 += float32(x[6] * y[6])
		s7 += float32(x[7] * y[7])
		s0 += float32(x[8] * y[8])
		s1 += float32(x[9] * y[9])
		s2 += float32(x[10] * y[10])
		s3 += float32(x[11] * y[11])
		s4 += float32(x[12] * y[12])
		s5 += float32(x[13] * y[13])
		s6 += float32(x[14] * y[14])
		s7 += float32(x[15] * y[15])
		a, b = a[16:], b[16:]
	}
	sums := [8]float32{s0, s1, s2, s3, s4, s5, s6, s7} // not addressed before, so that they stay in registers
	for i, x := range a {
		sums[i%8] += float32(x * b[i])
	}
	return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
}
