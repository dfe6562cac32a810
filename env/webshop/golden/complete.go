package golden

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/hone-rl/hone/internal/exact"
)

// complete says which field a JSON value lacks that its type has. A field that may be left out says omitempty, one that
// may be null is a pointer. What a type reads itself it looks through itself.
func complete(text []byte, of reflect.Type) error {
	if reflect.PointerTo(of).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil
	}
	if of.Kind() != reflect.Pointer && string(text) == "null" {
		return errors.New("null, expected a value")
	}
	switch of.Kind() {
	case reflect.Pointer:
		if string(text) == "null" {
			return nil
		}
		return complete(text, of.Elem())
	case reflect.Slice:
		if kind := of.Elem().Kind(); kind != reflect.Struct && kind != reflect.Slice {
			return nil
		}
		n := 0
		return exact.Elements(text, func(element []byte) error {
			n++
			if err := complete(element, of.Elem()); err != nil {
				return fmt.Errorf("number %d: %w", n, err)
			}
			return nil
		})
	case reflect.Struct:
		return completeStruct(text, of)
	}
	return nil
}

func completeStruct(text []byte, of reflect.Type) error {
	there := map[string][]byte{}
	if err := exact.Members(text, func(name string, value []byte) error {
		there[name] = value
		return nil
	}); err != nil {
		return err
	}
	for f := range of.Fields() {
		if f.Anonymous {
			if err := completeStruct(text, f.Type); err != nil {
				return err
			}
			continue
		}
		name, flags, _ := strings.Cut(f.Tag.Get("json"), ",")
		value, ok := there[name]
		switch {
		case !ok && flags == "omitempty":
			continue
		case !ok:
			return fmt.Errorf("no %q, expected one", name)
		}
		if err := complete(value, f.Type); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
