package chat

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nikolalohinski/gonja/v2/tokens"
)

// bind makes gonja's parser read expressions in Jinja2's order: what stands behind in is all of a sum with its filters,
// for which brackets are set; gonja takes the first name and applies the filters to the result. What it would read
// otherwise in other places is an error: comparisons in a row, a test of what an operator stands before, which in
// Jinja2 is one of the last operand, and a filter behind a test.
func bind(stream *tokens.Stream) (*tokens.Stream, error) {
	b := &binder{open: []operand{{}}}
	for !stream.End() {
		if err := b.take(stream.Next(), stream.Current()); err != nil {
			return nil, err
		}
	}
	return tokens.NewStream(append(b.out, stream.Current())), nil
}

type binder struct {
	out    []*tokens.Token
	open   []operand // of the brackets around
	loop   bool      // the next in is that of a for
	before [2]tokens.Type
}

// operand is what has been seen since the last and, or, comma and the like.
type operand struct {
	compared bool // there was a comparison
	computed bool // there was an operator
	tested   bool // there was an is
	bracket  bool // one of ours is open
}

// take writes a token, with the bracket that belongs before or behind it.
func (b *binder) take(t, next *tokens.Token) error {
	o := &b.open[len(b.open)-1]
	last := b.before[1]
	inTest := last == tokens.Is || last == tokens.Not && b.before[0] == tokens.Is
	b.before = [2]tokens.Type{last, t.Type}
	switch t.Type {
	case tokens.BlockBegin, tokens.VariableBegin:
		b.open, b.loop = []operand{{}}, t.Type == tokens.BlockBegin && next.Val == "for"
	case tokens.And, tokens.Or, tokens.Comma, tokens.Colon, tokens.Assign, tokens.BlockEnd, tokens.VariableEnd:
		b.end(t)
	case tokens.LeftParenthesis, tokens.LeftBracket, tokens.LeftBrace:
		b.open = append(b.open, operand{})
	case tokens.RightParenthesis, tokens.RightBracket, tokens.RightBrace:
		b.end(t)
		b.open = b.open[:max(1, len(b.open)-1)]
	case tokens.Name:
		if t.Val == "if" || t.Val == "else" {
			b.end(t)
		}
	case tokens.Equals, tokens.Ne, tokens.LowerThan, tokens.LowerThanOrEqual, tokens.GreaterThan, tokens.GreaterThanOrEqual:
		return b.compare(t)
	case tokens.In:
		switch {
		case b.loop:
			b.loop = false
		case !inTest:
			return b.compare(t)
		}
	case tokens.Addition, tokens.Subtraction:
		o.computed = o.computed || value(last)
	case tokens.Multiply, tokens.Division, tokens.FloorDivision, tokens.Modulo, tokens.Power, tokens.Tilde:
		o.computed = true
	case tokens.Is:
		if o.computed || o.compared && !o.bracket {
			return unclear(t, "a test of what an operator stands before")
		}
		o.tested = true
	case tokens.Pipe:
		if o.tested {
			return unclear(t, "a filter behind a test")
		}
	case tokens.String:
		t.Val = characters(t.Val)
	}
	b.out = append(b.out, t)
	return nil
}

// compare writes a comparison; behind in begins a bracket.
func (b *binder) compare(t *tokens.Token) error {
	o := &b.open[len(b.open)-1]
	if o.compared {
		return unclear(t, "a comparison behind another")
	}
	*o = operand{compared: true, computed: true, bracket: t.Type == tokens.In}
	b.out = append(b.out, t)
	if o.bracket {
		o.computed = false
		b.out = append(b.out, bracket(tokens.LeftParenthesis, "(", t))
	}
	return nil
}

// end closes our bracket before t, which ends an operand.
func (b *binder) end(t *tokens.Token) {
	o := &b.open[len(b.open)-1]
	if o.bracket {
		b.out = append(b.out, bracket(tokens.RightParenthesis, ")", t))
	}
	*o = operand{}
}

func bracket(kind tokens.Type, text string, at *tokens.Token) *tokens.Token {
	return &tokens.Token{Type: kind, Val: text, Pos: at.Pos, Line: at.Line, Col: at.Col}
}

// value is whether a token ends a value, so that a sign behind it is an operator.
func value(t tokens.Type) bool {
	switch t {
	case tokens.Name, tokens.String, tokens.Integer, tokens.Float, tokens.RightParenthesis, tokens.RightBracket, tokens.RightBrace:
		return true
	}
	return false
}

func unclear(t *tokens.Token, what string) error {
	return fmt.Errorf("line %d: %q: %s is not supported without brackets", t.Line, t.Val, what)
}

// escaped finds escapes of a string, so that none begins with the backslash that another ends with.
var escaped = regexp.MustCompile(`\\(?:x[0-9A-Fa-f]{2}|[0-3][0-7]{2}|(?s:.))`)

// characters writes the escapes \x80 to \xff and \200 to \377, which are characters in Python and bytes in Go, as
// \u0080 to \u00ff, and takes away line breaks behind a backslash.
func characters(text string) string {
	return escaped.ReplaceAllStringFunc(text, func(e string) string {
		digits, base := strings.TrimPrefix(e[1:], "x"), 8
		if len(digits) < len(e)-1 {
			base = 16
		}
		switch code, err := strconv.ParseUint(digits, base, 8); {
		case e == "\\\n":
			return ""
		case len(e) == 4 && err == nil && code >= utf8.RuneSelf:
			return fmt.Sprintf(`\u%04x`, code)
		}
		return e
	})
}
