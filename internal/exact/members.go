package exact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Check says why text is no JSON, or what of it encoding/json would mend: bytes that are not UTF-8, and halves of
// surrogate pairs.
func Check(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("not UTF-8")
	}
	if !json.Valid(text) {
		return json.Unmarshal(text, &struct{}{}) // which says where
	}
	half := false // the escape before was the first of a pair
	for at := 0; at < len(text); at++ {
		var unit uint64
		if text[at] == '\\' { // inside of a string, and not its end
			if at++; text[at] == 'u' {
				unit, _ = strconv.ParseUint(string(text[at+1:at+5]), 16, 16) // it is one
				at += 4
			}
		}
		second := unit >= 0xDC00 && unit < 0xE000
		if half != second {
			return errors.New("half a surrogate pair")
		}
		half = unit >= 0xD800 && unit < 0xDC00
	}
	return nil
}

// Members calls each for the members of a JSON object and refuses a name that stands twice. text is JSON; value is a
// part of it.
func Members(text []byte, each func(name string, value []byte) error) error {
	c := cursor{text: text}
	if !c.take('{') {
		return errors.New("expected a JSON object")
	}
	seen := map[string]bool{}
	for !c.take('}') {
		c.take(',')
		name, err := unquote(c.value())
		if err != nil {
			return err
		}
		if seen[name] {
			return fmt.Errorf("%.100q stands twice", name)
		}
		seen[name] = true
		c.take(':')
		if err := each(name, c.value()); err != nil {
			return err
		}
	}
	return nil
}

// Elements calls each for the elements of a JSON list. text is JSON; element is a part of it.
func Elements(text []byte, each func(element []byte) error) error {
	c := cursor{text: text}
	if !c.take('[') {
		return errors.New("expected a JSON list")
	}
	for !c.take(']') {
		c.take(',')
		if err := each(c.value()); err != nil {
			return err
		}
	}
	return nil
}

// cursor is a place in JSON text that is known to be right.
type cursor struct {
	text []byte
	at   int
}

// next passes blanks and is the byte that comes then, 0 at the end.
func (c *cursor) next() byte {
	for c.at < len(c.text) && blank(c.text[c.at]) {
		c.at++
	}
	if c.at == len(c.text) {
		return 0
	}
	return c.text[c.at]
}

// take passes blanks, and b if it comes then.
func (c *cursor) take(b byte) bool {
	if c.next() != b {
		return false
	}
	c.at++
	return true
}

func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// value passes a value and is its text.
func (c *cursor) value() []byte {
	if c.take('"') {
		begin := c.at - 1
		c.passString()
		return c.text[begin:c.at]
	}
	begin := c.at // behind blanks
	for depth := 0; c.at < len(c.text); c.at++ {
		switch b := c.text[c.at]; {
		case b == '"':
			c.at++
			c.passString()
			c.at--
		case b == '{' || b == '[':
			depth++
		case (b == '}' || b == ']') && depth > 0:
			if depth--; depth == 0 {
				c.at++
				return c.text[begin:c.at]
			}
		case depth == 0 && (b == ',' || b == '}' || b == ']' || blank(b)): // behind a number, true, false or null
			return c.text[begin:c.at]
		}
	}
	return c.text[begin:]
}

// passString passes the rest of a string.
func (c *cursor) passString() {
	for ; c.text[c.at] != '"'; c.at++ {
		if c.text[c.at] == '\\' {
			c.at++
		}
	}
	c.at++
}

// Text is the text of a JSON string, quoted as it stands in JSON.
func Text(quoted []byte) (string, error) { return unquote(quoted) }

func unquote(quoted []byte) (text string, err error) {
	switch {
	case quoted[0] != '"':
		return "", errors.New("expected a text")
	case bytes.IndexByte(quoted, '\\') < 0:
		return string(quoted[1 : len(quoted)-1]), nil
	}
	err = json.Unmarshal(quoted, &text)
	return text, err
}
