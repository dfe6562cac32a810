package chart

import (
	"math"
	"strconv"
)

// scale maps values of an axis to pixels.
type scale struct {
	low, high float64 // values at the ends
	from, to  float64 // pixels there
	step      float64 // between marks
}

// newScale is an axis for values, with about so many marks.
func newScale(a Axis, values []float64, from, to float64, marks int) scale {
	s := scale{high: a.Max, from: from, to: to}
	for _, v := range values {
		s.low, s.high = min(s.low, v), max(s.high, v)
	}
	if !(s.high > s.low) {
		s.high = s.low + 1
	}
	s.step = nice((s.high - s.low) / float64(marks))
	if a.Whole {
		s.step = max(s.step, 1)
	}
	s.low = math.Floor(s.low/s.step) * s.step
	if end := math.Ceil(s.high/s.step-1e-9) * s.step; !a.Fixed || s.high > a.Max {
		s.high = end
	}
	return s
}

// nice is the least of 1, 2 and 5 by a power of ten that is no less than step.
func nice(step float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(step)))
	if power == 0 || math.IsInf(power, 0) {
		return step // at the ends of what a float64 holds
	}
	for _, m := range []float64{1, 2, 5} {
		if m*power >= step*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// at is a value's pixel. The product is rounded before the sum everywhere, where a compiler might fuse the two.
func (s scale) at(v float64) float64 {
	return s.from + float64((v-s.low)/(s.high-s.low)*(s.to-s.from))
}

// marks are the values that have one.
func (s scale) marks() []float64 {
	n := int(math.Floor((s.high-s.low)/s.step + 1e-9))
	values := make([]float64, 0, n+1)
	for i := range n + 1 {
		values = append(values, s.low+float64(float64(i)*s.step))
	}
	return values
}

// label is a mark's text: with as many digits as tell it from its neighbours.
func (s scale) label(v float64) string {
	if math.Abs(v) < s.step/2 {
		return "0"
	}
	digits := max(0, -int(math.Floor(math.Log10(s.step)+1e-9)))
	if digits > 4 || math.Abs(v) >= 1e7 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// mostValue is beyond what anyone draws, and well within what can be counted with.
const mostValue = 1e15

// drawable says whether a point's numbers are finite, and no larger than mostValue.
func drawable(p Point) bool {
	for _, v := range []float64{p.X, p.Y, p.Low, p.High} {
		if !(math.Abs(v) <= mostValue) { // nor NaN
			return false
		}
	}
	return true
}
