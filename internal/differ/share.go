package differ

import (
	"encoding/json"
	"math"
	"reflect"
)

// Share is the largest difference of two numbers at the same place of two JSON documents, by the larger one's absolute value.
// False if anything but numbers differs, or one of both is no JSON.
func Share(a, b []byte) (float64, bool) {
	x, errX := decoded(a)
	y, errY := decoded(b)
	if errX != nil || errY != nil {
		return 0, false
	}
	return share(x, y)
}

func share(a, b any) (most float64, numbers bool) {
	switch x := a.(type) {
	case map[string]any:
		y, same := b.(map[string]any)
		if !same || len(x) != len(y) {
			return 0, false
		}
		for name, value := range x {
			other, there := y[name]
			part, numbers := share(value, other)
			if !there || !numbers {
				return 0, false
			}
			most = max(most, part)
		}
		return most, true
	case []any:
		y, same := b.([]any)
		if !same || len(x) != len(y) {
			return 0, false
		}
		for i := range x {
			part, numbers := share(x[i], y[i])
			if !numbers {
				return 0, false
			}
			most = max(most, part)
		}
		return most, true
	case json.Number:
		y, same := b.(json.Number)
		if !same {
			return 0, false
		}
		if x == y {
			return 0, true
		}
		p, errP := x.Float64()
		q, errQ := y.Float64()
		if errP != nil || errQ != nil {
			return 0, false
		}
		if p == q { // written otherwise, or two integers that a float takes for one
			i, errI := x.Int64()
			j, errJ := y.Int64()
			if errI == nil && errJ == nil && i != j {
				return math.SmallestNonzeroFloat64, true
			}
			return 0, true
		}
		return math.Abs(p-q) / max(math.Abs(p), math.Abs(q)), true
	}
	return 0, reflect.DeepEqual(a, b)
}
