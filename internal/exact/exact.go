// Package exact reads JSON that others wrote as Python's readers do, for whom keys count to the letter. encoding/json
// takes LORA_ALPHA for lora_alpha, the last of a key that stands twice, and null in a list of numbers for 0. Here the
// first is a key like any other that nobody asks for, and the others are errors.
package exact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Unmarshal is json.Unmarshal, to the letter. What is not asked for is not checked, nor what a type reads itself (a
// [json.Unmarshaler], a [json.RawMessage]): that is for whoever reads it.
func Unmarshal(text []byte, v any) error { return unmarshal(text, v, false) }

// UnmarshalKnown is Unmarshal, and refuses keys that v has no field for.
func UnmarshalKnown(text []byte, v any) error { return unmarshal(text, v, true) }

func unmarshal(text []byte, v any, known bool) error {
	to := reflect.TypeOf(v)
	if !json.Valid(text) || to == nil || to.Kind() != reflect.Pointer {
		return tell(text, json.Unmarshal(text, v)) // which says what is wrong
	}
	r := reader{cursor: cursor{text: text}, known: known, fields: map[reflect.Type][]field{}}
	if err := r.check(to.Elem()); err != nil {
		return err
	}
	for i, key := range r.others {
		if i == 0 {
			text = bytes.Clone(text)
		}
		for at := key[0]; at < key[1]; at++ {
			text[at] = '~' // of the same length, so that errors name the right byte
		}
	}
	return tell(text, json.Unmarshal(text, v))
}

// reader goes along JSON and the types that it is to be read into.
type reader struct {
	cursor
	known  bool
	fields map[reflect.Type][]field
	others [][2]int // from where to where in the text keys stand that only encoding/json takes for known ones
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

func ownReader(to reflect.Type) bool {
	if kind := to.Kind(); to.PkgPath() == "" && kind != reflect.Struct && kind != reflect.Pointer {
		return false // no methods: those of most values, and quickly known
	}
	return to.Implements(unmarshaler) || reflect.PointerTo(to).Implements(unmarshaler)
}

// check passes a value. One of another kind than its type is left for encoding/json to refuse.
func (r *reader) check(to reflect.Type) error {
	for to.Kind() == reflect.Pointer && !ownReader(to) {
		to = to.Elem()
	}
	if !ownReader(to) {
		switch kind := to.Kind(); {
		case (kind == reflect.Struct || kind == reflect.Map || kind == reflect.Interface) && r.take('{'):
			return r.object(to)
		case (kind == reflect.Slice || kind == reflect.Array || kind == reflect.Interface) && r.take('['):
			return r.list(to)
		}
	}
	r.value()
	return nil
}

func (r *reader) object(to reflect.Type) error {
	seen := map[string]bool{}
	for !r.take('}') {
		r.take(',')
		quoted := r.value()
		from, end := r.at-len(quoted)+1, r.at-1 // within the quotation marks
		name, err := unquote(quoted)
		if err != nil {
			return err
		}
		r.take(':')
		var f field
		if to.Kind() == reflect.Struct {
			found := false
			if f, found = r.field(to, name); !found {
				if r.known {
					return fmt.Errorf("%.100q is not known", name)
				}
				if f.to != nil {
					r.others = append(r.others, [2]int{from, end})
				}
				r.value()
				continue
			}
		}
		if seen[name] {
			return fmt.Errorf("%.100q stands twice", name)
		}
		seen[name] = true
		switch to.Kind() {
		case reflect.Struct:
			err = r.check(f.to)
		case reflect.Map:
			err = r.element(to.Elem())
		default:
			err = r.check(to)
		}
		if err != nil {
			return within(name, err)
		}
	}
	return nil
}

func (r *reader) list(to reflect.Type) error {
	if to.Kind() != reflect.Interface {
		to = to.Elem()
	}
	for i := 0; !r.take(']'); i++ {
		r.take(',')
		if err := r.element(to); err != nil {
			return within("["+strconv.Itoa(i)+"]", err)
		}
	}
	return nil
}

// element passes a value of a list or map. A missing one is none of them.
func (r *reader) element(to reflect.Type) error {
	kinds := []reflect.Kind{reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice}
	if r.next() == 'n' && !slices.Contains(kinds, to.Kind()) && !ownReader(to) {
		return errors.New("null: expected a value")
	}
	return r.check(to)
}

// inside is an error with the path of where it is.
type inside struct {
	path string
	error
}

func (i *inside) Error() string { return i.path + ": " + i.error.Error() }
func (i *inside) Unwrap() error { return i.error }

func within(name string, err error) error {
	var in *inside
	if !errors.As(err, &in) {
		return &inside{fmt.Sprintf("%.100s", name), err}
	}
	if strings.HasPrefix(in.path, "[") {
		in.path = name + in.path
	} else {
		in.path = name + "." + in.path
	}
	return in
}
