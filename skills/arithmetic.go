package skills

import "math"

// The numbers here choose skills, so they are the same on every machine. A compiler may turn x*y + z into one rounding
// (Go does on arm64, and on amd64 at GOAMD64=v3); a product that is converted to its own type stays rounded, which is
// why the conversions are there. math.Log and math.Exp have bodies in assembly that differ between processors.

// moved is U moved towards target: (1−rate)·U + rate·target (Skill1, eq. 5).
func moved(utility, target, rate float64) float64 {
	return float64((1-rate)*utility) + float64(rate*target)
}

// mixed is w·a + (1−w)·b.
func mixed(w, a, b float64) float64 { return float64(w*a) + float64((1-w)*b) }

// Coefficients of s³, s⁷, … and of s⁵, s⁹, … below, the highest first.
var (
	thirds = [...]float64{1. / 23, 1. / 19, 1. / 15, 1. / 11, 1. / 7, 1. / 3}
	fifths = [...]float64{1. / 25, 1. / 21, 1. / 17, 1. / 13, 1. / 9, 1. / 5}
)

// split is x > 0 as m·2^e, and the natural logarithm of m, m from √½ to √2.
func split(x float64) (e int, ln float64) {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = float64(m*2), e-1
	}
	// ln m = 2·artanh(s) = 2·(s + s³/3 + s⁵/5 + …), s = (m−1)/(m+1). |s| is below 0.172: what is left out after s²⁵
	// is less than a rounding.
	s := (m - 1) / (m + 1)
	square := float64(s * s)
	fourth := float64(square * square)
	a, b := 0.0, 0.0 // side by side: one chain of twelve takes twice as long
	for i, c := range thirds {
		a = float64(fourth*a) + c
		b = float64(fourth * (b + fifths[i]))
	}
	return e, float64(2 * (s + float64(s*(float64(square*a)+b))))
}

// ln is the natural logarithm of x > 0.
func ln(x float64) float64 {
	e, rest := split(x)
	return float64(float64(e)*math.Ln2) + rest
}

// log2 is exact for powers of two.
func log2(x float64) float64 {
	e, rest := split(x)
	return float64(e) + float64(rest/math.Ln2)
}
