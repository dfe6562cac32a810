package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/hone-rl/hone/internal/exact"
	"github.com/hone-rl/hone/internal/regular"
)

// maxFile bounds a file, in bytes. The largest of the 1,000 products has 1.2 MB.
const maxFile = 256 << 20

func (f Folder) read(name string) ([]byte, error) {
	return regular.Read(filepath.Join(string(f), filepath.FromSlash(name)), maxFile)
}

// lines reads a file with a value on each line.
func lines[T any](f Folder, name string) ([]At[T], error) {
	data, err := f.read(name)
	if err != nil {
		return nil, err
	}
	var list []At[T]
	for line := range bytes.Lines(data) {
		one := At[T]{Place: Place{name, len(list) + 1}}
		if err := one.decode(bytes.TrimRight(line, "\r\n")); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return some(list, name)
}

// elements reads a file that is a list of values.
func elements[T any](f Folder, name string) ([]At[T], error) {
	data, err := f.read(name)
	if err != nil {
		return nil, err
	}
	if err := (&At[json.RawMessage]{Place: Place{name, 1}}).decode(data); err != nil {
		return nil, err
	}
	var list []At[T]
	at := 0 // only blanks and commas stand between it and the next element
	err = exact.Elements(data, func(element []byte) error {
		at += bytes.Index(data[at:], element)
		one := At[T]{Place: Place{name, 1 + bytes.Count(data[:at], []byte("\n"))}}
		at += len(element)
		list = append(list, one)
		return list[len(list)-1].decode(element)
	})
	if err != nil {
		return nil, err
	}
	return some(list, name)
}

// value reads a file that is one value.
func value[T any](f Folder, name string) (one At[T], err error) {
	data, err := f.read(name)
	if err != nil {
		return one, err
	}
	one.Place = Place{name, 1}
	return one, one.decode(data)
}

func some[T any](list []At[T], name string) ([]At[T], error) {
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: nothing is recorded in it, expected one case at least", name)
	}
	return list, nil
}

// decode reads the value, which must have every field of its type but those that may be left out.
func (a *At[T]) decode(text []byte) error {
	err := exact.Unmarshal(text, &a.Value)
	if err == nil {
		err = exact.Check(text)
	}
	if err == nil {
		err = complete(text, reflect.TypeFor[T]())
	}
	if err == nil {
		return nil
	}
	return a.fail(err)
}

// fail says where an error is. One that names a line of the value is on a line of the file.
func (a *At[T]) fail(err error) error {
	at, text := a.Place, err.Error()
	if _, says, ok := strings.Cut(text, ": "); ok {
		var line int
		if n, _ := fmt.Sscanf(text, "line %d: ", &line); n == 1 {
			at.Line, text = at.Line+line-1, says
		}
	}
	return fmt.Errorf("%s: %s", at, text)
}
