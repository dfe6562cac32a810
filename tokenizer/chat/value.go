package chat

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Values are Python's: nil is None; bool, int, float64 and string; bigInt, *list, *dict, *namespace, *loop and function;
// undefined is what is not there.
type (
	// bigInt is a whole number that an int does not hold, as written. It can be shown only.
	bigInt string
	// undefined is the value of what does not exist, by name.
	undefined string
	// list is a list, or a tuple, which is shown otherwise.
	list struct {
		items []any
		tuple bool
	}
	// dict keeps the order in which keys were put in; values are found by what hashed makes of them.
	dict struct {
		keys   []any
		values map[any]any
	}
	// namespace is what set may change from inside a loop.
	namespace struct{ values map[string]any }
	// function is a macro, a method or one of Jinja's own.
	function func(r *run, args []any, named map[string]any) (any, error)
)

func newDict() *dict { return &dict{values: map[any]any{}} }

// hashed is what a key is found by: 1, 1.0 and True are one. False where a value is no key.
func hashed(key any) (any, bool) {
	switch key := key.(type) {
	case nil, int, string:
		return key, true
	case bool:
		_, i, _, _ := number(key)
		return i, true
	case float64:
		if i := int(key); key == math.Trunc(key) && math.Abs(key) < 1<<53 {
			return i, true
		}
		return key, key == key
	}
	return nil, false
}

func (d *dict) set(key, value any) bool {
	h, ok := hashed(key)
	if !ok {
		return false
	}
	if _, ok := d.values[h]; !ok {
		d.keys = append(d.keys, key)
	}
	d.values[h] = value
	return true
}

func (d *dict) get(key any) (any, bool) {
	h, ok := hashed(key)
	if !ok {
		return nil, false
	}
	v, ok := d.values[h]
	return v, ok
}

// at is the value of a key that is there.
func (d *dict) at(key any) any {
	v, _ := d.get(key)
	return v
}

// truth is bool(v).
func truth(v any) bool {
	switch v := v.(type) {
	case nil, undefined:
		return false
	case bool:
		return v
	case int:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case *list:
		return len(v.items) > 0
	case *dict:
		return len(v.keys) > 0
	}
	return true
}

// kind names a value's type for errors.
func kind(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case undefined:
		return "what is not defined: " + string(v)
	case bool:
		return "bool"
	case int, bigInt:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case *list:
		return "list"
	case *dict:
		return "dict"
	case *namespace:
		return "namespace"
	case *loop:
		return "loop"
	}
	return "function"
}

// number returns a number as float64 and whether it is a whole one, as int.
func number(v any) (f float64, i int, whole, ok bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return 1, 1, true, true
		}
		return 0, 0, true, true
	case int:
		return float64(v), v, true, true
	case float64:
		return v, 0, false, true
	}
	return 0, 0, false, false
}

// equal is a == b.
func (r *run) equal(a, b any) (bool, error) {
	if err := r.step(); err != nil {
		return false, err
	}
	if fa, ia, wa, ok := number(a); ok {
		fb, ib, wb, ok := number(b)
		if wa && wb {
			return ok && ia == ib, nil
		}
		return ok && fa == fb, nil
	}
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		return ok && len(a) == len(b) && a == b, r.read(len(a))
	case *list:
		b, ok := b.(*list)
		if !ok || len(a.items) != len(b.items) || a.tuple != b.tuple {
			return false, nil
		}
		for i := range a.items {
			if same, err := r.equal(a.items[i], b.items[i]); !same || err != nil {
				return false, err
			}
		}
		return true, nil
	case *dict:
		b, ok := b.(*dict)
		if !ok || len(a.keys) != len(b.keys) {
			return false, nil
		}
		for key, value := range a.values {
			other, ok := b.values[key]
			if !ok {
				return false, nil
			}
			if same, err := r.equal(value, other); !same || err != nil {
				return false, err
			}
		}
		return true, nil
	case undefined:
		_, ok := b.(undefined)
		return ok, nil
	case function:
		return false, nil
	}
	if _, ok := b.(function); ok {
		return false, nil
	}
	return a == b, nil
}

// show is str(v).
func (r *run) show(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case undefined:
		return "", nil
	}
	var b strings.Builder
	if err := r.repr(&b, v); err != nil {
		return "", err
	}
	return b.String(), r.made(b.Len())
}

// repr writes repr(v).
func (r *run) repr(b *strings.Builder, v any) error {
	if err := r.enter(); err != nil {
		return err
	}
	defer r.leave()
	if b.Len() > maxValue {
		return errTooLarge
	}
	switch v := v.(type) {
	case nil:
		b.WriteString("None")
	case undefined:
		b.WriteString("Undefined")
	case bool:
		if v {
			b.WriteString("True")
		} else {
			b.WriteString("False")
		}
	case int:
		b.WriteString(strconv.Itoa(v))
	case bigInt:
		b.WriteString(string(v))
	case float64:
		b.WriteString(floatText(v))
	case string:
		b.WriteString(quote(v))
	case *list:
		open, end := "[", "]"
		if v.tuple {
			open, end = "(", ")"
			if len(v.items) == 1 {
				end = ",)"
			}
		}
		b.WriteString(open)
		for i, item := range v.items {
			if i > 0 {
				b.WriteString(", ")
			}
			if err := r.repr(b, item); err != nil {
				return err
			}
		}
		b.WriteString(end)
	case *dict:
		b.WriteByte('{')
		for i, key := range v.keys {
			if i > 0 {
				b.WriteString(", ")
			}
			if err := r.repr(b, key); err != nil {
				return err
			}
			b.WriteString(": ")
			if err := r.repr(b, v.at(key)); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	default:
		return fmt.Errorf("a %s cannot be shown", kind(v))
	}
	return nil
}

// quote is repr of a string: single quotes, unless it has those alone.
func quote(s string) string {
	q := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		q = '"'
	}
	var b strings.Builder
	b.WriteByte(q)
	for _, r := range s {
		switch {
		case r == rune(q) || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case strconv.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte(q)
	return b.String()
}

// floatText is repr of a float: the shortest digits that give it back, with an exponent below 1e-4 and from 1e16 on.
func floatText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64) // two digits of exponent or more, as Python
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
