package exact

import (
	"reflect"
	"strings"
)

// field is what encoding/json fills from a key.
type field struct {
	name string
	to   reflect.Type
}

// field is the one of a struct type that a key names. One that encoding/json would take the key for, though it has
// other letters, is not found.
func (r *reader) field(of reflect.Type, name string) (f field, found bool) {
	all, known := r.fields[of]
	if !known {
		all = fieldsOf(of)
		r.fields[of] = all
	}
	for _, one := range all {
		if one.name == name {
			return one, true
		}
		if strings.EqualFold(one.name, name) {
			f = one
		}
	}
	return f, false
}

func fieldsOf(of reflect.Type) []field {
	var all []field
	for f := range of.Fields() {
		tag := f.Tag.Get("json")
		name, _, _ := strings.Cut(tag, ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case tag == "-":
		case f.Anonymous && name == "" && inner.Kind() == reflect.Struct:
			all = append(all, fieldsOf(inner)...)
		case !f.IsExported():
		case name == "":
			all = append(all, field{f.Name, f.Type})
		default:
			all = append(all, field{name, f.Type})
		}
	}
	return all
}
