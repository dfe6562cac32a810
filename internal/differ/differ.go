// Package differ says where two values part, in the terms of their JSON.
package differ

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Difference is a place where two values part.
type Difference struct {
	Field string // "steps[2].command": places count from 0; "" is the whole
	A, B  string // as JSON, cut where they are long; "nothing" where a field is missing or null
}

// How is how values are compared. The zero value takes numbers to the last bit, and fields by name.
type How struct {
	Near  float64  // numbers may part by this share of the larger one
	Order []string // fields that are looked at before the others
}

// First is the first difference of a and b, nil for none.
func (h How) First(a, b any) (*Difference, error) {
	var values [2]any
	for i, v := range []any{a, b} {
		raw, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		if values[i], err = decoded(raw); err != nil {
			return nil, err
		}
	}
	return h.part("", values[0], values[1]), nil
}

// decoded is a document with its numbers as they stand: seeds have 64 bits.
func decoded(raw []byte) (v any, err error) {
	in := json.NewDecoder(bytes.NewReader(raw))
	in.UseNumber()
	err = in.Decode(&v)
	return v, err
}

func (h How) part(field string, a, b any) *Difference {
	switch x := a.(type) {
	case map[string]any:
		if y, same := b.(map[string]any); same {
			return h.objects(field, x, y)
		}
	case []any:
		if y, same := b.([]any); same {
			return h.lists(field, x, y)
		}
	case json.Number:
		if y, same := b.(json.Number); same && h.near(x, y) {
			return nil
		}
	}
	if reflect.DeepEqual(a, b) {
		return nil
	}
	return &Difference{field, shown(a), shown(b)}
}

func (h How) objects(field string, a, b map[string]any) *Difference {
	both := maps.Clone(a)
	maps.Copy(both, b)
	for _, name := range slices.SortedFunc(maps.Keys(both), h.before) {
		if d := h.part(strings.TrimPrefix(field+"."+name, "."), a[name], b[name]); d != nil {
			return d
		}
	}
	return nil
}

func (h How) lists(field string, a, b []any) *Difference {
	for i := range min(len(a), len(b)) {
		if d := h.part(fmt.Sprintf("%s[%d]", field, i), a[i], b[i]); d != nil {
			return d
		}
	}
	if len(a) != len(b) {
		return &Difference{field, fmt.Sprintf("%d entries", len(a)), fmt.Sprintf("%d entries", len(b))}
	}
	return nil
}

func (h How) near(a, b json.Number) bool {
	x, errX := a.Float64()
	y, errY := b.Float64()
	if h.Near == 0 || errX != nil || errY != nil {
		return a == b
	}
	return math.Abs(x-y) <= h.Near*max(math.Abs(x), math.Abs(y))
}

func (h How) before(a, b string) int {
	rank := func(name string) int {
		if i := slices.Index(h.Order, name); i >= 0 {
			return i
		}
		return len(h.Order)
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b))
}

// mostShown is how many characters are shown of a value.
const mostShown = 200

func shown(v any) string {
	if v == nil {
		return "nothing"
	}
	var text bytes.Buffer
	encode := json.NewEncoder(&text)
	encode.SetEscapeHTML(false)
	if err := encode.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%.*s", mostShown, strings.TrimSuffix(text.String(), "\n"))
}
