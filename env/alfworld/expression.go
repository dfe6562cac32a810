package alfworld

import (
	"fmt"
	"strconv"
	"strings"
)

// sum is one alternative of "a or b": terms joined. The first alternative that comes to any text is taken.
type sum []exprTerm

// exprTerm is a literal, or a property of a variable.
type exprTerm struct {
	text     string
	name     int // of a variable, -1 for a literal
	property property
}

type property uint8

const (
	propName property = iota
	propIndefinite
	propDefinite
	propID
	propType
	propNone // ALFWorld's engine knows it, and it is nothing
	propSelf // of a variable by itself: its name
)

var properties = map[string]property{
	"name": propName, "indefinite": propIndefinite, "definite": propDefinite, "id": propID, "type": propType,
	"noun": propNone, "adj": propNone, "desc": propNone, "room_type": propNone, "synonyms": propNone,
}

// expression reads terms with "+" and "or". In ALFWorld's engine it can be anything in Python; what is no more than
// texts and properties of variables is understood here, and anything else a fault where it is told.
func (g *grammar) expression(text string) ([]sum, string) {
	e := exprReader{rest: text, g: g}
	var list []sum
	for {
		var s sum
		for {
			t, ok := e.term()
			if !ok {
				return nil, fmt.Sprintf("expression %q is not understood at %q, expected texts in quotation marks and x.name, x.indefinite, x.definite, x.id or x.type, joined by + and or",
					text[:min(len(text), shownText)], e.rest[:min(len(e.rest), shownText)])
			}
			s = append(s, t)
			if !e.sign("+") {
				break
			}
		}
		list = append(list, s)
		if !e.sign("or") {
			break
		}
	}
	if e.rest != "" {
		return nil, fmt.Sprintf("expression %q is not understood at %q, expected + or or", text[:min(len(text), shownText)], e.rest[:min(len(e.rest), shownText)])
	}
	return list, ""
}

type exprReader struct {
	rest string
	g    *grammar
}

func (e *exprReader) sign(s string) bool {
	e.rest = strings.TrimLeft(e.rest, blanks)
	after, ok := strings.CutPrefix(e.rest, s)
	if !ok || s == "or" && after != "" && isNameByte(after[0]) {
		return false
	}
	e.rest = strings.TrimLeft(after, blanks)
	return true
}

func (e *exprReader) word() string {
	i := 0
	for i < len(e.rest) && isNameByte(e.rest[i]) && e.rest[i] != '.' && e.rest[i] != '-' {
		i++
	}
	w := e.rest[:i]
	e.rest = strings.TrimLeft(e.rest[i:], blanks)
	return w
}

func (e *exprReader) term() (exprTerm, bool) {
	e.rest = strings.TrimLeft(e.rest, blanks)
	if strings.HasPrefix(e.rest, "'") || strings.HasPrefix(e.rest, `"`) {
		t := exprTerm{name: -1}
		for strings.HasPrefix(e.rest, "'") || strings.HasPrefix(e.rest, `"`) { // one after the other are one
			text, ok := e.quoted()
			if !ok {
				return t, false
			}
			t.text += text
			e.rest = strings.TrimLeft(e.rest, blanks)
		}
		return t, true
	}
	name := e.word()
	if name == "" || name[0] >= '0' && name[0] <= '9' || name == "or" {
		return exprTerm{}, false
	}
	t := exprTerm{name: e.g.name(name), property: propSelf}
	if e.sign(".") {
		var ok bool
		if t.property, ok = properties[e.word()]; !ok {
			return t, false
		}
	}
	return t, true
}

// quoted reads a text in quotation marks, with Python's escapes.
func (e *exprReader) quoted() (string, bool) {
	mark := e.rest[0]
	var b strings.Builder
	for i := 1; i < len(e.rest); i++ {
		switch c := e.rest[i]; {
		case c == mark:
			e.rest = e.rest[i+1:]
			return b.String(), true
		case c != '\\':
			b.WriteByte(c)
		default:
			n := e.escape(&b, e.rest[i:])
			if n == 0 {
				return "", false
			}
			i += n - 1
		}
	}
	return "", false
}

// escapes of one character; others stand for themselves, with the backslash.
var escapes = map[byte]string{'\\': "\\", '\'': "'", '"': "\"", 'n': "\n", 't': "\t", 'r': "\r", 'a': "\a", 'b': "\b", 'f': "\f", 'v': "\v"}

// escape appends what text, which begins with a backslash, begins with, and returns its length; 0 if that is no text.
func (e *exprReader) escape(b *strings.Builder, text string) int {
	if len(text) < 2 {
		return 0
	}
	if s, ok := escapes[text[1]]; ok {
		b.WriteString(s)
		return 2
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[1]]
	switch {
	case text[1] >= '0' && text[1] <= '7' || text[1] == 'N':
		return 0
	case digits == 0:
		b.WriteByte('\\')
		return 1
	case len(text) < 2+digits:
		return 0
	}
	v, err := strconv.ParseUint(text[2:2+digits], 16, 32)
	if err != nil || v > 0x10ffff || v >= 0xd800 && v < 0xe000 {
		return 0
	}
	b.WriteRune(rune(v))
	return 2 + digits
}
