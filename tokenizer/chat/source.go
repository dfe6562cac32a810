package chat

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a template's source, in bytes and in brackets within brackets: published ones have some 10 kB.
const (
	maxSource  = 1 << 20
	maxNesting = 64
)

// source cuts a template into tags and the text between them, and decides of white space as Jinja2 does with
// trim_blocks and lstrip_blocks, which transformers sets. What comes out is a template of tags alone: text number n is
// {% text n %}. That leaves nothing of white space to the parser.
type source struct {
	in        string
	at        int
	out       strings.Builder
	texts     []string
	lineStart bool // what came last ended a line
	trimNext  bool // the last tag takes the white space behind it
	eatLine   bool // the last tag takes the line break behind it
}

// prepare returns the tags and the texts.
func prepare(template string) (string, []string, error) {
	if len(template) > maxSource {
		return "", nil, fmt.Errorf("%d bytes, expected at most %d", len(template), maxSource)
	}
	if !utf8.ValidString(template) {
		return "", nil, errors.New("not UTF-8")
	}
	template = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(template)
	s := &source{in: strings.TrimSuffix(template, "\n"), lineStart: true}
	for s.at < len(s.in) {
		if err := s.step(); err != nil {
			return "", nil, fmt.Errorf("line %d: %w", 1+strings.Count(s.in[:min(s.at, len(s.in))], "\n"), err)
		}
	}
	return s.out.String(), s.texts, nil
}

// step takes the text up to the next tag, and the tag.
func (s *source) step() error {
	start, kind := len(s.in), byte(0)
	for i := s.at; i+1 < len(s.in); i++ {
		if s.in[i] == '{' && strings.IndexByte("{%#", s.in[i+1]) >= 0 {
			start, kind = i, s.in[i+1]
			break
		}
	}
	text := s.in[s.at:start]
	if kind == 0 {
		s.text(text, 0, 0)
		s.at = len(s.in)
		return nil
	}
	sign := byte(0)
	if start+2 < len(s.in) && (s.in[start+2] == '-' || s.in[start+2] == '+') {
		sign = s.in[start+2]
	}
	s.text(text, kind, sign)
	s.at = start + 2
	if sign != 0 {
		s.at++
	}
	if kind == '#' {
		return s.comment()
	}
	inner, err := s.tag(kind)
	if err != nil {
		return err
	}
	if kind == '%' && strings.TrimFunc(inner, space) == "raw" {
		return s.raw()
	}
	s.out.WriteString("{" + string(kind) + " " + inner + " " + closing(kind))
	return nil
}

func closing(kind byte) string {
	if kind == '{' {
		return "}}"
	}
	return string(kind) + "}"
}

// text writes what stands before a tag of a kind and sign; kind 0 is the end.
func (s *source) text(text string, kind, sign byte) {
	lines := strings.Count(text, "\n")
	start := s.lineStart
	switch {
	case s.trimNext:
		rest := strings.TrimLeftFunc(text, space)
		if gone := text[:len(text)-len(rest)]; gone != "" {
			start = strings.HasSuffix(gone, "\n")
		} else {
			start = false
		}
		text = rest
	case s.eatLine:
		rest, ate := strings.CutPrefix(text, "\n")
		start, text = ate, rest
	}
	s.trimNext, s.eatLine = false, false
	switch {
	case sign == '-':
		text = strings.TrimRightFunc(text, space)
	case kind != 0 && kind != '{' && sign == 0:
		if line := strings.LastIndexByte(text, '\n') + 1; (line > 0 || start) && strings.TrimFunc(text[line:], space) == "" {
			text = text[:line]
		}
	}
	if text != "" || lines > 0 {
		fmt.Fprintf(&s.out, "{%% text %d %s%%}", len(s.texts), strings.Repeat("\n", lines)) // lines stay numbered
		s.texts = append(s.texts, text)
	}
	s.lineStart = false
}

// tag returns what stands in a tag and goes behind its end, which is not looked for in strings and brackets.
func (s *source) tag(kind byte) (string, error) {
	from, depth := s.at, 0
	end := closing(kind)
	for s.at < len(s.in) {
		c := s.in[s.at]
		switch {
		case depth == 0 && strings.HasPrefix(s.in[s.at:], end):
			inner := s.in[from:s.at]
			s.at += len(end)
			s.after(kind, &inner)
			return inner, nil
		case c == '"' || c == '\'':
			if err := s.quoted(c); err != nil {
				return "", err
			}
			continue
		case strings.IndexByte("([{", c) >= 0:
			if depth++; depth > maxNesting {
				return "", fmt.Errorf("more than %d brackets within each other", maxNesting)
			}
		case strings.IndexByte(")]}", c) >= 0:
			depth = max(0, depth-1)
		}
		s.at++
	}
	s.at = from
	return "", fmt.Errorf("a tag does not end, expected %s", end)
}

// quoted goes behind a string.
func (s *source) quoted(quote byte) error {
	from := s.at
	for s.at++; s.at < len(s.in); s.at++ {
		switch s.in[s.at] {
		case '\\':
			s.at++
		case quote:
			s.at++
			return nil
		}
	}
	s.at = from
	return errors.New("a string does not end")
}

// after takes the sign at a tag's end off and remembers what it does to the text that follows.
func (s *source) after(kind byte, inner *string) {
	rest, trim := strings.CutSuffix(*inner, "-")
	if trim {
		*inner, s.trimNext = rest, true
		return
	}
	rest, keep := strings.CutSuffix(*inner, "+")
	if keep {
		*inner = rest
	}
	s.eatLine = kind != '{' && !keep
}

func (s *source) comment() error {
	n := strings.Index(s.in[s.at:], "#}")
	if n < 0 {
		return errors.New("a comment does not end, expected #}")
	}
	inner := s.in[s.at : s.at+n]
	s.at += n + 2
	s.after('#', &inner)
	s.out.WriteString("{% text " + fmt.Sprint(len(s.texts)) + strings.Repeat("\n", strings.Count(inner, "\n")) + " %}")
	s.texts = append(s.texts, "")
	return nil
}

// raw takes the text up to {% endraw %} as it is.
func (s *source) raw() error {
	for i := s.at; ; i++ {
		n := strings.Index(s.in[i:], "{%")
		if n < 0 {
			return errors.New("raw does not end, expected {% endraw %}")
		}
		i += n
		inner, ok := strings.CutPrefix(strings.TrimLeftFunc(strings.TrimLeft(s.in[i+2:], "-+"), space), "endraw")
		if !ok {
			continue
		}
		tail := strings.TrimLeftFunc(inner, space)
		end := strings.Index(tail, "%}")
		if end < 0 || end > 1 {
			continue
		}
		sign := byte(0)
		if c := s.in[i+2]; c == '-' || c == '+' {
			sign = c
		}
		s.text(s.in[s.at:i], '%', sign)
		s.at = len(s.in) - len(tail) + end + 2
		mark := tail[:end]
		s.after('%', &mark)
		return nil
	}
}

// space is what Python's str.strip takes off.
func space(r rune) bool { return unicode.IsSpace(r) || 0x1C <= r && r <= 0x1F }
