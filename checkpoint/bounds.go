package checkpoint

import (
	"errors"
	"fmt"
	"strconv"
)

// mostParameters is more than any model has, and few enough for sums of their bytes to fit into 64 bits.
const mostParameters = 1 << 50

// between says what is wrong with a number outside of least to most, or with one that is none.
func between(name string, v, least, most float64) error {
	if v >= least && v <= most {
		return nil
	}
	return fmt.Errorf("%s %v: expected %v to %v", name, v, least, most)
}

// Ranges of rope_theta, published from 10,000 to 10,000,000, and of initializer_range, published as 0.02: beyond them
// fp32 holds no angles or weights that compute anything.
const (
	MinRopeTheta = 1
	MaxRopeTheta = 1e12
	MinInitStd   = 1e-6
	MaxInitStd   = 10
)

// numbers checks those that the families have alike. The published rms_norm_eps is 1e-6.
func numbers(eps, theta, deviation float64) error {
	return errors.Join(
		between("rms_norm_eps", eps, 1e-30, 1),
		between("rope_theta", theta, MinRopeTheta, MaxRopeTheta),
		between("initializer_range", deviation, MinInitStd, MaxInitStd),
	)
}

// countable says whether all tensors together have at most mostParameters elements; sizes names the fields that they
// follow from.
func countable(m Model, sizes string) error {
	total := int64(0)
	for _, t := range m.Tensors() {
		n := int64(1)
		for _, d := range t.Shape {
			if d > mostParameters/n {
				n = mostParameters
				break
			}
			n *= d
		}
		if total += n; total > mostParameters {
			return fmt.Errorf("%s: expected at most %d parameters, which %s %v goes beyond", sizes, int64(mostParameters), t.Name, t.Shape)
		}
	}
	return nil
}

// said is a size as an error shows it: 0 is mostly a key that is not there.
func said(size int) string {
	if size == 0 {
		return "0 or missing"
	}
	return strconv.Itoa(size)
}
