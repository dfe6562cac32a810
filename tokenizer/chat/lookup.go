package chat

import (
	"fmt"
	"unicode/utf8"

	"github.com/nikolalohinski/gonja/v2/nodes"
)

// attribute is v.name: a method, else what is kept under the name.
func (r *run) attribute(v any, name string) (any, error) {
	switch v := v.(type) {
	case undefined:
		return nil, fmt.Errorf("%s is not defined, and has no %s", string(v), name)
	case *namespace:
		if value, ok := v.values[name]; ok {
			return value, nil
		}
	case *loop:
		return v.attribute(name), nil
	case string:
		if m, ok := textMethods[name]; ok {
			return function(func(r *run, args []any, named map[string]any) (any, error) {
				if err := r.read(len(v)); err != nil {
					return nil, err
				}
				return m(r, v, call{name, args, named})
			}), nil
		}
	case *dict:
		if m, ok := dictMethods[name]; ok {
			return function(func(r *run, args []any, named map[string]any) (any, error) {
				return m(r, v, call{name, args, named})
			}), nil
		}
		if value, ok := v.get(name); ok {
			return value, nil
		}
	}
	return undefined(kind(v) + "." + name), nil
}

// item is v[key] for a whole number.
func (r *run) item(v any, key int) (any, error) {
	switch v := v.(type) {
	case undefined:
		return nil, fmt.Errorf("%s is not defined, and has no items", string(v))
	case *list:
		if key < 0 {
			key += len(v.items)
		}
		if key >= 0 && key < len(v.items) {
			return v.items[key], nil
		}
	case *dict:
		if value, ok := v.get(key); ok {
			return value, nil
		}
	case string:
		if err := r.read(len(v)); err != nil {
			return nil, err
		}
		if key < 0 {
			key += utf8.RuneCountInString(v)
		}
		i := 0
		for _, c := range v {
			if i == key {
				return string(c), nil
			}
			i++
		}
	}
	return undefined(fmt.Sprintf("%s[%d]", kind(v), key)), nil
}

func (r *run) getItem(n *nodes.GetItem) (any, error) {
	v, err := r.eval(n.Node)
	if err != nil {
		return nil, err
	}
	key, err := r.eval(n.Arg)
	if err != nil {
		return nil, err
	}
	if d, ok := v.(*dict); ok {
		if value, ok := d.get(key); ok {
			return value, nil
		}
	}
	switch key := key.(type) {
	case int:
		return r.item(v, key)
	case string:
		return r.attribute(v, key)
	}
	if u, ok := v.(undefined); ok {
		return nil, fmt.Errorf("%s is not defined, and has no items", string(u))
	}
	return undefined("an item of " + kind(v)), nil
}

// slice is v[start:end:step].
func (r *run) slice(n *nodes.GetSlice) (any, error) {
	v, err := r.eval(n.Node)
	if err != nil {
		return nil, err
	}
	var bounds [3]*int
	for i, e := range []nodes.Node{n.Start, n.End, n.Step} {
		if e == nil {
			continue
		}
		b, err := r.eval(e)
		if err != nil {
			return nil, err
		}
		if b == nil {
			continue
		}
		whole, ok := b.(int)
		if !ok {
			return nil, fmt.Errorf("a slice's bound is %s, expected int", kind(b))
		}
		bounds[i] = &whole
	}
	switch v := v.(type) {
	case string:
		runes := []rune(v)
		picked, err := pick(runes, bounds)
		if err != nil {
			return nil, err
		}
		return string(picked), r.made(4 * len(runes))
	case *list:
		picked, err := pick(v.items, bounds)
		if err != nil {
			return nil, err
		}
		return r.newList(picked, v.tuple)
	}
	return nil, fmt.Errorf("%s has no slices", kind(v))
}

// pick is Python's slice.
func pick[T any](items []T, bounds [3]*int) ([]T, error) {
	n, step := len(items), 1
	if bounds[2] != nil {
		step = *bounds[2]
	}
	if step == 0 {
		return nil, fmt.Errorf("a slice's step is 0")
	}
	low, high := 0, n
	if step < 0 {
		low, high = -1, n-1
	}
	at := func(b *int, missing int) int {
		if b == nil {
			return missing
		}
		i := *b
		if i < 0 {
			i += n
		}
		return min(high, max(low, i))
	}
	var out []T
	if step > 0 {
		for i, end := at(bounds[0], 0), at(bounds[1], n); i < end; i += min(step, n) {
			out = append(out, items[i])
		}
		return out, nil
	}
	for i, end := at(bounds[0], n-1), at(bounds[1], -1); i > end; i += max(step, -n) {
		out = append(out, items[i])
	}
	return out, nil
}
