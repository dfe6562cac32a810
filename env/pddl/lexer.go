package pddl

import (
	"encoding/binary"
	"strings"
)

// A token is "(", ")", a word in lower case, or "" at the end of the text.
type token struct {
	text string
	line int
}

// lexer cuts a text into tokens: each line up to ";", white space and parentheses apart, "?" beginning a new word.
type lexer struct {
	text string // with ASCII letters in lower case
	pos  int
	line int
}

func newLexer(text string) lexer { return lexer{text: lower(text), line: 1} }

// lower is text with ASCII letters in lower case.
func lower(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	var buf [512]byte
	for len(text) > 0 {
		part := buf[:copy(buf[:], text)]
		text = text[len(part):]
		lowerASCII(part)
		out.Write(part)
	}
	return out.String()
}

// lowerASCII looks at eight bytes at a time.
func lowerASCII(b []byte) {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		low := x &^ tops // so that no sum reaches into the next byte
		upper := (low + ones*(0x80-'A')) &^ (low + ones*(0x80-'Z'-1)) &^ x & tops
		binary.LittleEndian.PutUint64(b[i:], x|upper>>2)
	}
	for ; i < len(b); i++ {
		if 'A' <= b[i] && b[i] <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
}

// isBlank is Python's white space within ASCII, which the reference reader splits at.
func isBlank(c byte) bool {
	return c == ' ' || '\t' <= c && c <= '\r' || 0x1c <= c && c <= 0x1f
}

// ends marks the bytes that end a word.
var ends = func() (is [256]bool) {
	for c := range is {
		is[c] = isBlank(byte(c)) || c == '(' || c == ')' || c == ';' || c == '?'
	}
	return is
}()

// next returns the next token; ok is false when it holds a byte outside ASCII.
func (l *lexer) next() (t token, ok bool) {
	for l.pos < len(l.text) {
		switch c := l.text[l.pos]; {
		case c == '\n':
			l.line++
			l.pos++
		case isBlank(c):
			l.pos++
		case c == ';':
			for l.pos < len(l.text) && l.text[l.pos] != '\n' {
				l.pos++
			}
		case c == '(' || c == ')':
			l.pos++
			return token{l.text[l.pos-1 : l.pos], l.line}, true
		default:
			return l.word()
		}
	}
	return token{"", l.line}, true
}

func (l *lexer) word() (token, bool) {
	start, all := l.pos, byte(0)
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		if ends[c] && (c != '?' || l.pos > start) {
			break
		}
		all |= c
		l.pos++
	}
	return token{l.text[start:l.pos], l.line}, all < 0x80
}
