package differ_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/hone-rl/hone/internal/differ"
)

func TestFirst(t *testing.T) {
	for name, tt := range map[string]struct {
		how          differ.How
		a, b         string
		field        string
		saysA, saysB string
	}{
		"the same":        {a: `{"a":[1,"x",null,{"b":true}]}`, b: `{"a":[1,"x",null,{"b":true}]}`},
		"missing is null": {a: `{"a":null}`, b: `{}`},
		"a number":        {a: `{"a":[{"b":1}]}`, b: `{"a":[{"b":2}]}`, field: "a[0].b", saysA: "1", saysB: "2"},
		"64 bits":         {a: `[18446744073709551615]`, b: `[18446744073709551614]`, field: "[0]", saysA: "18446744073709551615", saysB: "18446744073709551614"},
		"by name":         {a: `{"b":1,"a":1}`, b: `{"b":2,"a":2}`, field: "a", saysA: "1", saysB: "2"},
		"by order":        {how: differ.How{Order: []string{"b"}}, a: `{"b":1,"a":1}`, b: `{"b":2,"a":2}`, field: "b", saysA: "1", saysB: "2"},
		"one is missing":  {a: `{"a":"<x>"}`, b: `{}`, field: "a", saysA: `"<x>"`, saysB: "nothing"},
		"longer":          {a: `{"a":[1,2]}`, b: `{"a":[1]}`, field: "a", saysA: "2 entries", saysB: "1 entries"},
		"another kind":    {a: `{"a":[1]}`, b: `{"a":{"0":1}}`, field: "a", saysA: "[1]", saysB: `{"0":1}`},
		"the whole":       {a: `1`, b: `"1"`, saysA: "1", saysB: `"1"`},
		"near":            {how: differ.How{Near: 1e-9}, a: `[0.1,0]`, b: `[0.10000000000000002,0]`},
		"not near":        {how: differ.How{Near: 1e-9}, a: `[0.1]`, b: `[0.1000001]`, field: "[0]", saysA: "0.1", saysB: "0.1000001"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := tt.how.First(json.RawMessage(tt.a), json.RawMessage(tt.b))
			if err != nil {
				t.Fatal(err)
			}
			if d == nil {
				d = &differ.Difference{}
			}
			if want := (differ.Difference{Field: tt.field, A: tt.saysA, B: tt.saysB}); *d != want {
				t.Errorf("got %+v, want %+v", *d, want)
			}
		})
	}
	if d, err := (differ.How{}).First(strings.Repeat("x", 1000), ""); err != nil || len(d.A) != 200 {
		t.Errorf("got %+v, %v, want 200 characters", d, err)
	}
	if _, err := (differ.How{}).First(math.NaN(), 1); err == nil {
		t.Error("what JSON cannot say is compared")
	}
}
