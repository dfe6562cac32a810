package differ_test

import (
	"math"
	"testing"

	"github.com/hone-rl/hone/internal/differ"
)

// TestShare: the largest share by which numbers part, and whether nothing else does.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		a, b    string
		want    float64
		numbers bool
	}{
		{`{"a":1}`, `{"a":1}`, 0, true},
		{`{"a":[1,2.0]}`, `{"a":[1,2]}`, 0, true},
		{`{"a":[1,{"b":4}],"c":10}`, `{"a":[1,{"b":3}],"c":9}`, 0.25, true},
		{`-1`, `1`, 2, true},
		{`0`, `1e-9`, 1, true},
		{`9007199254740993`, `9007199254740992`, math.SmallestNonzeroFloat64, true},
		{`{"a":1}`, `{"a":"1"}`, 0, false},
		{`{"a":1}`, `{"b":1}`, 0, false},
		{`{"a":1}`, `{"a":1,"b":1}`, 0, false},
		{`{"a":null}`, `{"b":null}`, 0, false},
		{`[1]`, `[1,1]`, 0, false},
		{`["x"]`, `["y"]`, 0, false},
		{`true`, `false`, 0, false},
		{`{`, `{`, 0, false},
	} {
		if got, numbers := differ.Share([]byte(c.a), []byte(c.b)); numbers != c.numbers || numbers && got != c.want {
			t.Errorf("%s and %s: got %g, %v, want %g, %v", c.a, c.b, got, numbers, c.want, c.numbers)
		}
	}
}
