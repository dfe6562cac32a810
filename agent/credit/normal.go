package credit

import (
	"math"
	"slices"
)

// spare keeps the division by a standard deviation of 0 finite (the sources' epsilon).
const spare = 1e-6

// normal is a mean and what differences to it are divided by.
type normal struct{ mean, scale float64 }

// normalOf takes the statistics of values. single is for one value alone.
func normalOf(values []float64, scale Scale, single Single) normal {
	n := normal{mean(values), 1}
	if len(values) == 1 {
		if single != ZeroSingle {
			n.mean = 0
		}
		return n
	}
	if scale == ByStd {
		n.scale = Std(values) + spare
	}
	return n
}

func (n normal) of(v float64) float64 { return (v - n.mean) / n.scale }

// mean is exact where all values are the same, so that they differ from it by 0.
func mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	if low, high := slices.Min(values), slices.Max(values); low == high {
		return low
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Std is the unbiased standard deviation (n-1), 0 for fewer than two values.
func Std(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	m, sum := mean(values), 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(values)-1))
}

// Spread is how values are distributed, for logs.
type Spread struct {
	Count int     `json:"count"`
	Mean  float64 `json:"mean"`
	Std   float64 `json:"std"` // unbiased
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
}

// SpreadOf is the spread of values, all 0 for none.
func SpreadOf(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	return Spread{len(values), mean(values), Std(values), slices.Min(values), slices.Max(values)}
}
