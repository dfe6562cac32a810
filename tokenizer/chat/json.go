package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// decode reads JSON as Python does: objects keep their order, whole numbers stay whole.
func decode(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := decodeNext(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

// maxDepth bounds values within values.
const maxDepth = 200

func decodeNext(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("JSON more than %d deep", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Number:
		return numberOf(string(t))
	case json.Delim:
		if t == '[' {
			l := &list{}
			for d.More() {
				item, err := decodeNext(d, depth+1)
				if err != nil {
					return nil, err
				}
				l.items = append(l.items, item)
			}
			_, err := d.Token()
			return l, err
		}
		o := newDict()
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			value, err := decodeNext(d, depth+1)
			if err != nil {
				return nil, err
			}
			o.set(key, value)
		}
		_, err := d.Token()
		return o, err
	}
	return token, nil // nil, bool or string
}

func numberOf(text string) (any, error) {
	if strings.ContainsAny(text, ".eE") {
		f, err := strconv.ParseFloat(text, 64)
		return f, err
	}
	i, err := strconv.Atoi(text)
	if errors.Is(err, strconv.ErrRange) {
		return bigInt(text), nil
	}
	return i, err
}

// jsonStyle is json.dumps's settings.
type jsonStyle struct {
	indent     string // of one level; none: one line
	lines      bool
	item, pair string // separators
	ascii      bool
	sorted     bool
}

// toJSON writes v as Python's json.dumps does.
func (r *run) toJSON(b *strings.Builder, v any, style *jsonStyle, depth int) error {
	if err := r.enter(); err != nil {
		return err
	}
	defer r.leave()
	if b.Len() > maxValue {
		return errTooLarge
	}
	line := func(depth int) {
		if style.lines {
			b.WriteByte('\n')
			for range depth {
				b.WriteString(style.indent)
			}
		}
	}
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case int:
		b.WriteString(strconv.Itoa(v))
	case bigInt:
		b.WriteString(string(v))
	case float64:
		b.WriteString(strings.NewReplacer("inf", "Infinity", "nan", "NaN").Replace(floatText(v)))
	case string:
		jsonString(b, v, style.ascii)
	case *list:
		if len(v.items) == 0 {
			b.WriteString("[]")
			return nil
		}
		b.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				b.WriteString(style.item)
			}
			line(depth + 1)
			if err := r.toJSON(b, item, style, depth+1); err != nil {
				return err
			}
		}
		line(depth)
		b.WriteByte(']')
	case *dict:
		if len(v.keys) == 0 {
			b.WriteString("{}")
			return nil
		}
		keys := v.keys
		if style.sorted {
			keys = slices.Clone(keys)
			slices.SortStableFunc(keys, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
		b.WriteByte('{')
		for i, key := range keys {
			if i > 0 {
				b.WriteString(style.item)
			}
			line(depth + 1)
			name, ok := key.(string)
			if !ok {
				var inner strings.Builder
				if err := r.toJSON(&inner, key, style, 0); err != nil {
					return err
				}
				name = inner.String()
			}
			jsonString(b, name, style.ascii)
			b.WriteString(style.pair)
			if err := r.toJSON(b, v.at(key), style, depth+1); err != nil {
				return err
			}
		}
		line(depth)
		b.WriteByte('}')
	default:
		return fmt.Errorf("tojson: %s is not JSON", kind(v))
	}
	return nil
}

var escapes = map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\f': `\f`, '\b': `\b`}

func jsonString(b *strings.Builder, s string, ascii bool) {
	b.WriteByte('"')
	for _, c := range s {
		escape, ok := escapes[c]
		switch {
		case ok:
			b.WriteString(escape)
		case c < 0x20 || ascii && c > 0x7E && c < 0x10000:
			fmt.Fprintf(b, `\u%04x`, c)
		case ascii && c >= utf8.RuneSelf:
			c -= 0x10000
			fmt.Fprintf(b, `\u%04x\u%04x`, 0xD800+c>>10, 0xDC00+c&0x3FF)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
}
