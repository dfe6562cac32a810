package pddl

import (
	"fmt"
)

// parser reads one text by recursive descent. Its first error sticks; after it every token is the end of the text,
// so that the loops below end by themselves.
type parser struct {
	file     string
	lex      lexer
	tok      token // the next token, not yet consumed
	depth    int
	err      *Error
	warnings []Warning
}

func newParser(file, text string) *parser {
	p := &parser{file: file, lex: newLexer(text)}
	p.advance()
	return p
}

func (p *parser) fail(line int, format string, args ...any) {
	if p.err == nil {
		p.err = &Error{p.file, line, fmt.Sprintf(format, args...)}
	}
	p.tok = token{"", line}
}

func (p *parser) warn(line int, format string, args ...any) {
	if len(p.warnings) < MaxWarnings {
		p.warnings = append(p.warnings, Warning{p.file, line, fmt.Sprintf(format, args...)})
	}
}

func (p *parser) advance() {
	if p.err != nil {
		return
	}
	t, ok := p.lex.next()
	if !ok {
		p.fail(t.line, "%q holds a character outside ASCII, expected ASCII outside comments", t.text)
		return
	}
	p.tok = t
	if len(t.text) > MaxWord {
		p.fail(t.line, "got %s, a name of %d bytes, expected at most %d", p.got(), len(t.text), MaxWord)
	}
}

// got is the next token as an error shows it.
func (p *parser) got() string {
	if p.tok.text == "" {
		return "the end of the text"
	}
	if len(p.tok.text) > 60 {
		return fmt.Sprintf("%q…", p.tok.text[:60])
	}
	return fmt.Sprintf("%q", p.tok.text)
}

// open consumes "(".
func (p *parser) open(what string) {
	if p.tok.text != "(" {
		p.fail(p.tok.line, "got %s, expected %s", p.got(), what)
		return
	}
	if p.depth++; p.depth > MaxDepth {
		p.fail(p.tok.line, "expressions nest deeper than %d", MaxDepth)
		return
	}
	p.advance()
}

// more reports whether the list that was opened last goes on, and consumes its ")" if not.
func (p *parser) more(what string) bool {
	switch p.tok.text {
	case ")":
		p.depth--
		p.advance()
		return false
	case "":
		p.fail(p.tok.line, "the text ends within %s, expected \")\"", what)
		return false
	}
	return true
}

// close consumes ")".
func (p *parser) close(what string) {
	if p.more(what) {
		p.fail(p.tok.line, "got %s, expected \")\" at the end of %s", p.got(), what)
	}
}

// word consumes a word that is no parenthesis.
func (p *parser) word(what string) string {
	if t := p.tok.text; t == "(" || t == ")" || t == "" {
		p.fail(p.tok.line, "got %s, expected %s", p.got(), what)
		return ""
	}
	w := p.tok.text
	p.advance()
	return w
}

// keyword consumes the word want.
func (p *parser) keyword(want string) {
	if p.tok.text != want {
		p.fail(p.tok.line, "got %s, expected %q", p.got(), want)
		return
	}
	p.advance()
}

// skip consumes one expression without looking at it.
func (p *parser) skip(what string) {
	if p.tok.text != "(" {
		p.word(what)
		return
	}
	depth := 0
	for {
		switch p.tok.text {
		case "(":
			depth++
		case ")":
			depth--
		case "":
			p.fail(p.tok.line, "the text ends within %s, expected \")\"", what)
			return
		}
		p.advance()
		if depth == 0 {
			return
		}
	}
}

// rest skips to the end of the list that was opened last.
func (p *parser) rest(what string) {
	for p.more(what) {
		p.skip(what)
	}
}

// named is one entry of a typed list.
type named struct {
	name string
	line int
	typ  int // index into Domain.Types
}

// typedList reads "a b - t c" up to the closing parenthesis. Entries without a type are objects. Names are parts of
// the text, which stays in memory as long as they do.
func (p *parser) typedList(what string, typeOf func(name string, line int) int) []named {
	var list []named
	from := 0
	for p.more(what) {
		if p.tok.text != "-" {
			line := p.tok.line
			if len(list) == MaxObjects {
				p.fail(line, "%s has more than %d entries", what, MaxObjects)
				return nil
			}
			list = append(list, named{p.word(what), line, typeObject})
			continue
		}
		p.advance()
		t := p.typeRef(typeOf)
		for i := from; i < len(list); i++ {
			list[i].typ = t
		}
		from = len(list)
	}
	return list
}

// eitherType is what "(either a b)" is called where it may stand; ALFWorld's engine reads it as a type of that name,
// which nothing has.
const eitherType = "(either)"

func (p *parser) typeRef(typeOf func(string, int) int) int {
	line := p.tok.line
	if p.tok.text != "(" {
		return typeOf(p.word("the name of a type"), line)
	}
	p.open("a type")
	p.keyword("either")
	for p.more("either") {
		typeOf(p.word("the name of a type"), p.tok.line)
	}
	return typeOf(eitherType, line)
}
