package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// class is what Qwen2's pattern asks of a character. A byte that is not UTF-8 counts as other.
type class uint8

const (
	other  class = iota // [^\s\p{L}\p{N}]
	letter              // \p{L}
	number              // \p{N}
	space               // \s
)

var asciiClass = func() (table [utf8.RuneSelf]class) {
	for r := range rune(utf8.RuneSelf) {
		table[r] = slowClass(r)
	}
	return table
}()

func slowClass(r rune) class {
	switch {
	case unicode.IsLetter(r):
		return letter
	case unicode.IsNumber(r):
		return number
	case unicode.IsSpace(r):
		return space
	}
	return other
}

// classAt returns the class of the character at i and how many bytes it has; 0 bytes at the end.
func classAt(text string, i int) (class, int) {
	if i >= len(text) {
		return other, 0
	}
	if b := text[i]; b < utf8.RuneSelf {
		return asciiClass[b], 1
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	return slowClass(r), size
}

// run returns where the characters of class c from i on end.
func run(text string, i int, c class) int {
	for {
		at, size := classAt(text, i)
		if size == 0 || at != c {
			return i
		}
		i += size
	}
}

func isBreak(b byte) bool { return b == '\r' || b == '\n' }

// nextQwen2 is Qwen2's pattern by hand, for Go's regexp has no look-ahead. The alternatives are numbered in the
// pattern's order, the first that matches counts:
//
//	1 (?i:'s|'t|'re|'ve|'m|'ll|'d)   2 [^\r\n\p{L}\p{N}]?\p{L}+   3 \p{N}   4  ?[^\s\p{L}\p{N}]+[\r\n]*
//	5 \s*[\r\n]+                     6 \s+(?!\S)                  7 \s+
func nextQwen2(text string, from int) int {
	if text[from] == '\'' {
		if n := contraction(text[from+1:]); n > 0 { // 1
			return from + 1 + n
		}
	}
	c, size := classAt(text, from)
	switch {
	case c == letter: // 2
		return run(text, from+size, letter)
	case c == number: // 3
		return from + size
	case !isBreak(text[from]):
		if next, n := classAt(text, from+size); n > 0 && next == letter { // 2
			return run(text, from+size+n, letter)
		}
	}
	start := from
	if text[from] == ' ' {
		start++
	}
	if end := run(text, start, other); end > start { // 4
		for end < len(text) && isBreak(text[end]) {
			end++
		}
		return end
	}
	return whitespace(text, from)
}

// whitespace is alternatives 5 to 7: up to the last line break of the run; else to the text's end; else all but
// the last character, which goes with the word that follows; else that one character.
func whitespace(text string, from int) int {
	afterBreak, last, end := 0, from, from
	for {
		c, size := classAt(text, end)
		if size == 0 || c != space {
			break
		}
		last = end
		end += size
		if isBreak(text[last]) {
			afterBreak = end
		}
	}
	switch {
	case afterBreak > 0:
		return afterBreak
	case end == len(text) || last == from:
		return end
	}
	return last
}

// contraction returns how many bytes of an English contraction text starts with, the apostrophe gone before.
// Ignoring case, ſ (long s, U+017F) is an s.
func contraction(text string) int {
	if text == "" {
		return 0
	}
	if strings.HasPrefix(text, "ſ") {
		return len("ſ")
	}
	switch text[0] | 0x20 {
	case 's', 't', 'm', 'd':
		return 1
	case 'r', 'v', 'l':
		second := byte('e')
		if text[0]|0x20 == 'l' {
			second = 'l'
		}
		if len(text) > 1 && text[1]|0x20 == second {
			return 2
		}
	}
	return 0
}
