package pddl

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

func newLexer(text string) lexer {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return lexer{text: string(b), line: 1}
}

// isBlank is Python's white space within ASCII, which the reference reader splits at.
func isBlank(c byte) bool {
	return c == ' ' || '\t' <= c && c <= '\r' || 0x1c <= c && c <= 0x1f
}

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
	start, ok := l.pos, true
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		if isBlank(c) || c == '(' || c == ')' || c == ';' || c == '?' && l.pos > start {
			break
		}
		ok = ok && c < 0x80
		l.pos++
	}
	return token{l.text[start:l.pos], l.line}, ok
}
