package exact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// told is an error of encoding/json in the words of the file's format, with the line.
type told struct {
	line int
	what string
	err  error // encoding/json's
}

func (t *told) Error() string { return fmt.Sprintf("line %d: %s", t.line, t.what) }
func (t *told) Unwrap() error { return t.err }

// tell is err, of encoding/json about text, for somebody who knows the file and not our types.
func tell(text []byte, err error) error {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch { // a type that reads itself says more than these, and is left its own words
	case errors.As(err, &syntax) && err.Error() == syntax.Error():
		return &told{line(text, syntax.Offset), syntax.Error(), err}
	case errors.As(err, &typ) && err.Error() == typ.Error():
		if typ.Field == "" {
			return &told{line(text, typ.Offset), fmt.Sprintf("%s, expected %s", Value(typ), Kind(typ.Type)), err}
		}
		return &told{line(text, typ.Offset), fmt.Sprintf("%s is %s, expected %s", typ.Field, Value(typ), Kind(typ.Type)), err}
	}
	return err
}

// line is the line, counted from 1, of the byte at offset.
func line(text []byte, offset int64) int {
	return 1 + bytes.Count(text[:min(int(offset), len(text))], []byte("\n"))
}

// Kind is what JSON calls the values of a type.
func Kind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return Kind(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	}
	return "an object"
}

// Value is what stands in the place of a value of another type.
func Value(err *json.UnmarshalTypeError) string {
	switch kind, number, _ := strings.Cut(err.Value, " "); {
	case number != "":
		return "the number " + number
	case kind == "bool":
		return "true or false"
	case kind == "array":
		return "a list"
	case kind == "object":
		return "an object"
	default:
		return "a " + kind
	}
}
