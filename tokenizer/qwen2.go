package tokenizer

import (
	"strings"
	"unicode/utf8"

	"github.com/hone-rl/hone/tokenizer/internal/charset"
)

// class is what the patterns ask of a character. A byte that is not UTF-8 counts as other.
type class = charset.Class

const (
	other  = charset.Other // [^\s\p{L}\p{N}]
	letter = charset.Letter
	number = charset.Number
	space  = charset.Space
)

var asciiClass = func() (table [utf8.RuneSelf]class) {
	for r := range rune(utf8.RuneSelf) {
		table[r] = charset.ClassOf(r)
	}
	return table
}()

// classAt returns the class of the character at i and how many bytes it has; 0 bytes at the end. marks is the class
// that combining marks count as.
func classAt(text string, i int, marks class) (class, int) {
	if i >= len(text) {
		return other, 0
	}
	if b := text[i]; b < utf8.RuneSelf {
		return asciiClass[b], 1
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	c := charset.ClassOf(r)
	if c == charset.Mark {
		c = marks
	}
	return c, size
}

// run returns where the characters of class c from i on end.
func run(text string, i int, c, marks class) int {
	for {
		at, size := classAt(text, i, marks)
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
func nextQwen2(text string, from int) int { return nextQwen(text, from, other) }

// nextQwen35 is Qwen3.5's pattern, in which \p{M} stands beside \p{L} in 2, where it is taken, and in 4, where it is
// not: Qwen2's with marks as letters. That 2 also takes a mark for its first character changes nothing.
func nextQwen35(text string, from int) int { return nextQwen(text, from, letter) }

func nextQwen(text string, from int, marks class) int {
	if text[from] == '\'' {
		if n := contraction(text[from+1:]); n > 0 { // 1
			return from + 1 + n
		}
	}
	c, size := classAt(text, from, marks)
	switch {
	case c == letter: // 2
		return run(text, from+size, letter, marks)
	case c == number: // 3
		return from + size
	case !isBreak(text[from]):
		if next, n := classAt(text, from+size, marks); n > 0 && next == letter { // 2
			return run(text, from+size+n, letter, marks)
		}
	}
	start := from
	if text[from] == ' ' {
		start++
	}
	if end := run(text, start, other, marks); end > start { // 4
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
		c, size := classAt(text, end, other)
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
