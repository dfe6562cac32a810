// Package python writes and trims text as Python does, whose forms WebShop's pages, URLs and instructions bear.
package python

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// Float is repr of a float: the shortest digits that read back as f, with a decimal point or an exponent, which
// stands from 1e+16 on and below 1e-04.
func Float(f float64) string {
	text := strconv.FormatFloat(f, 'e', -1, 64)
	_, exponent, ok := strings.Cut(text, "e")
	if !ok { // no number at all
		return strings.ToLower(strings.TrimPrefix(text, "+"))
	}
	if e, err := strconv.Atoi(exponent); err == nil && (e < -4 || e >= 16) {
		return text
	}
	text = strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// Lower is str.lower, which knows more of Unicode than strings.ToLower: a capital I with a dot becomes two
// characters, and a sigma at the end of a word its final form.
func Lower(s string) string {
	if strings.ContainsAny(s, "İΣ") {
		return cases.Lower(language.Und).String(s)
	}
	return strings.ToLower(s)
}

// Strip is str.strip.
func Strip(s string) string { return strings.TrimFunc(s, IsSpace) }

// IsSpace is str.isspace of one character: Unicode's white space and the four separators of ASCII.
func IsSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }
