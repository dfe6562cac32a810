package alfworld

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// part is a piece of a right-hand side.
type part struct {
	text   string  // literal, where symbol and expr are nil
	symbol *symbol // #symbol#, or {#symbol# | query}
	expr   []sum   // {expr | query}
	query  *query  // nil: once
	list   bool    // [{expr | query}]: joined as a list
}

// sum is one alternative of "a or b": terms joined. The first alternative that comes to any text is taken.
type sum []exprTerm

// exprTerm is a literal, or a property of a variable.
type exprTerm struct {
	text     string
	slot     int // -1 for a literal
	property property
}

type property uint8

const (
	propName property = iota
	propIndefinite
	propDefinite
	propID
)

var properties = map[string]property{"name": propName, "indefinite": propIndefinite, "definite": propDefinite, "id": propID}

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
	r := &rhsReader{text: strings.TrimLeft(text, " \t\n\v\f\r"), g: g}
	var parts []part
	for r.pos < len(r.text) {
		before := r.pos
		p, ok := r.part()
		if !ok {
			g.warnings = append(g.warnings, fmt.Sprintf("grammar: %s: the text is cut before %q", of, r.text[before:min(len(r.text), before+shownText)]))
			break
		}
		parts = append(parts, p)
	}
	return parts
}

func (r *rhsReader) part() (part, bool) {
	switch c := r.text[r.pos]; {
	case !strings.ContainsRune(notText, rune(c)):
		start := r.pos
		for r.pos < len(r.text) && !strings.ContainsRune(notText, rune(r.text[r.pos])) {
			r.pos++
		}
		return part{text: r.text[start:r.pos]}, true
	case c == '"':
		text, ok := r.between('"', '"')
		return part{text: text}, ok
	case c == '#':
		name, ok := r.between('#', '#')
		if !ok || name == "" {
			return part{}, false
		}
		for r.pos < len(r.text) && r.text[r.pos] == '\t' {
			r.pos++
		}
		return part{symbol: r.g.symbol(name)}, true
	case c == '{':
		return r.braces()
	case c == '[':
		r.pos++
		r.blanks()
		p, ok := r.braces()
		p.list = true
		r.blanks()
		return p, ok && r.sign(']')
	}
	return part{}, false
}

func (r *rhsReader) between(open, end byte) (string, bool) {
	if r.pos >= len(r.text) || r.text[r.pos] != open {
		return "", false
	}
	i := strings.IndexByte(r.text[r.pos+1:], end)
	if i < 0 {
		return "", false
	}
	s := r.text[r.pos+1 : r.pos+1+i]
	r.pos += i + 2
	return s, true
}

func (r *rhsReader) blanks() {
	for r.pos < len(r.text) && strings.IndexByte(" \t\n\v\f\r", r.text[r.pos]) >= 0 {
		r.pos++
	}
}

func (r *rhsReader) sign(c byte) bool {
	if r.pos < len(r.text) && r.text[r.pos] == c {
		r.pos++
		return true
	}
	return false
}

// braces reads {expr} or {expr | query}.
func (r *rhsReader) braces() (part, bool) {
	var p part
	if !r.sign('{') {
		return p, false
	}
	r.blanks()
	if name, ok := r.between('#', '#'); ok && name != "" {
		p.symbol = r.g.symbol(name)
	} else if p.expr, ok = r.expr(); !ok {
		return p, false
	}
	r.blanks()
	if r.sign('|') {
		q, rest, ok := r.g.query(r.text[r.pos:])
		if !ok {
			return p, false
		}
		p.query = q
		r.pos = len(r.text) - len(rest)
		r.blanks()
	}
	return p, r.sign('}')
}

// expr reads terms with "+" and "or".
func (r *rhsReader) expr() ([]sum, bool) {
	var list []sum
	for {
		var s sum
		for {
			t, ok := r.term()
			if !ok {
				return nil, false
			}
			s = append(s, t)
			r.blanks()
			if !r.sign('+') {
				break
			}
		}
		list = append(list, s)
		rest := r.text[r.pos:]
		if !strings.HasPrefix(rest, "or") || len(rest) > 2 && isNameByte(rest[2]) {
			return list, true
		}
		r.pos += 2
	}
}

func (r *rhsReader) term() (exprTerm, bool) {
	r.blanks()
	if r.pos >= len(r.text) {
		return exprTerm{}, false
	}
	if c := r.text[r.pos]; c == '\'' || c == '"' {
		text, ok := r.between(c, c)
		return exprTerm{text: text, slot: -1}, ok
	}
	start := r.pos
	for r.pos < len(r.text) && isNameByte(r.text[r.pos]) {
		r.pos++
	}
	name, prop, dotted := strings.Cut(r.text[start:r.pos], ".")
	t := exprTerm{}
	if dotted {
		p, ok := properties[prop]
		if !ok {
			return t, false
		}
		t.property = p
	}
	if name == "" {
		return t, false
	}
	t.slot = r.g.slot(name)
	return t, true
}
