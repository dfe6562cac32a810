package alfworld

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// part is a piece of a right-hand side.
type part struct {
	text   string  // literal, where symbol and expr are nil
	symbol *symbol // #symbol#, or {#symbol# | query}
	expr   []sum   // {expr | query}
	query  *query  // nil: once
	list   bool    // [{expr | query}]: joined as a list
	fault  string  // why it cannot be told, "" if it can
}

// rhsReader reads a right-hand side. The reference reader stops silently at the first character that fits nothing;
// so does this one, but it leaves a warning.
type rhsReader struct {
	text string
	pos  int
	g    *grammar
}

// notText are the characters that literal text cannot hold.
const notText = `;|"<>[]#{}`

// shownText is how much of a text a warning shows, in bytes.
const shownText = 80

func (g *grammar) rhs(text, of string) []part {
	if strings.ContainsRune(text, utf8.RuneError) {
		g.wrong("%s holds bytes or escapes that are no text, expected UTF-8", of)
	}
	r := &rhsReader{text: text, g: g}
	r.begin()
	var parts []part
	for r.pos < len(r.text) {
		before := r.pos
		p, ok := r.part()
		if !ok {
			g.warnings = append(g.warnings, fmt.Sprintf("grammar: %s: the text is cut before %q", of, r.text[before:min(len(r.text), before+shownText)]))
			break
		}
		if p.fault != "" {
			p.fault = of + ": " + p.fault
			g.warnings = append(g.warnings, "grammar: "+p.fault)
		}
		parts = append(parts, p)
	}
	return parts
}

// begin passes white space and lines that begin with "//".
func (r *rhsReader) begin() {
	for before := -1; before != r.pos; {
		before = r.pos
		r.tabs()
		switch {
		case r.pos > 0 && r.text[r.pos-1] != '\n':
		case strings.HasPrefix(r.text[r.pos:], "//"):
			if i := strings.IndexByte(r.text[r.pos:], '\n'); i >= 0 {
				r.pos += i + 1
			} else {
				r.pos = len(r.text)
			}
		default:
			r.pos = len(r.text) - len(strings.TrimLeftFunc(r.text[r.pos:], isSpace))
		}
	}
}

// tabs passes tabs, which stand for nothing before a piece.
func (r *rhsReader) tabs() { r.run(func(c rune) bool { return c == '\t' }) }

// run passes the characters that fit and returns them.
func (r *rhsReader) run(fits func(rune) bool) string {
	start := r.pos
	rest := strings.TrimLeftFunc(r.text[start:], fits)
	r.pos = len(r.text) - len(rest)
	return r.text[start:r.pos]
}

func isLiteral(c rune) bool { return !strings.ContainsRune(notText, c) }

func (r *rhsReader) part() (part, bool) {
	r.tabs()
	if r.pos == len(r.text) {
		return part{}, true
	}
	switch r.text[r.pos] {
	case '"':
		r.pos++
		text := r.run(isLiteral)
		return part{text: text}, r.sign('"')
	case '#':
		s := r.reference()
		return part{symbol: s}, s != nil
	case '{':
		return r.braces()
	case '[':
		r.pos++
		p, ok := r.braces()
		p.list = true
		return p, ok && r.sign(']')
	}
	text := r.run(isLiteral)
	return part{text: text}, text != ""
}

// sign passes one character, and tabs before it.
func (r *rhsReader) sign(c byte) bool {
	r.tabs()
	if r.pos < len(r.text) && r.text[r.pos] == c {
		r.pos++
		return true
	}
	return false
}

// isTag reports whether a character may stand in a symbol's name.
func isTag(c rune) bool {
	return c == '_' || unicode.IsLetter(c) || unicode.IsNumber(c) || strings.ContainsRune("()/!<>-,.", c) || isSpace(c)
}

// reference reads #symbol#; nil, and the place stays, if there is none.
func (r *rhsReader) reference() *symbol {
	before := r.pos
	if r.sign('#') {
		r.tabs()
		if name := r.run(isTag); name != "" && r.sign('#') {
			return r.g.symbol(name)
		}
	}
	r.pos = before
	return nil
}

// braces reads {expr} or {expr | query}.
func (r *rhsReader) braces() (part, bool) {
	var p part
	if !r.sign('{') {
		return p, false
	}
	if p.symbol = r.reference(); p.symbol == nil {
		r.tabs()
		statement := r.run(func(c rune) bool { return !strings.ContainsRune("|[]{}\n<>", c) })
		if statement == "" {
			return p, false
		}
		p.expr, p.fault = r.g.expression(statement)
	}
	before := r.pos
	r.run(isSpace)
	if !strings.HasPrefix(r.text[r.pos:], "|") {
		r.pos = before
		return p, r.sign('}')
	}
	r.pos++
	r.run(isSpace)
	r.tabs()
	given := r.run(func(c rune) bool { return !strings.ContainsRune(";|{}\n[]#", c) })
	if given == "" {
		return p, false
	}
	p.query = r.g.query(given, fmt.Sprintf("the query %q", given[:min(len(given), shownText)]))
	return p, r.sign('}')
}
