package analysis

import (
	"strings"
	"unicode"
	"unicode/utf16"

	porter "github.com/blevesearch/go-porterstemmer"
)

// Term is the term of one word, "" for a stop word.
func Term(word string) string {
	word = lower(possessive(word))
	if stopWords[word] {
		return ""
	}
	return stem(word)
}

// possessive takes a final 's off, with any of three apostrophes.
func possessive(word string) string {
	if n := len(word) - 1; n > 0 && (word[n] == 's' || word[n] == 'S') {
		for _, apostrophe := range []string{"'", "\u2019", "\uFF07"} {
			if owner, ok := strings.CutSuffix(word[:n], apostrophe); ok {
				return owner
			}
		}
	}
	return word
}

// lower is in lower case, each character for itself.
func lower(word string) string {
	return strings.Map(unicode.ToLower, word)
}

// stopWords are Lucene's.
var stopWords = func() map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(`a an and are as at be but by for if in into is it no not of on or such that the
		their then there these they this to was will with`) {
		set[word] = true
	}
	return set
}()

// stem is Porter's. Like Lucene's it counts in UTF-16.
func stem(word string) string {
	if len(word) <= 2 {
		return word
	}
	if short, ok := wholeSuffixes[word]; ok {
		return short
	}
	runes := []rune(word)
	if !wide(word) {
		return string(porter.StemWithoutLowerCasing(runes))
	}
	units := make([]rune, 0, 2*len(runes))
	for _, u := range utf16.Encode(runes) {
		units = append(units, rune(u))
	}
	units = porter.StemWithoutLowerCasing(units)
	short := make([]uint16, len(units))
	for i, u := range units {
		short[i] = uint16(u) //nolint:gosec // they were, and the stemmer adds letters alone
	}
	return string(utf16.Decode(short))
}

// wide reports whether a character of s takes more than one unit of UTF-16.
func wide(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r > 0xFFFF })
}

// wholeSuffixes are the words that Lucene takes for a suffix with nothing before it, which the stemmer does not. They were
// searched for among 900,000 words made of all of Porter's suffixes.
var wholeSuffixes = map[string]string{"eed": "eed", "eeds": "eed", "ies": "i", "sses": "ss"}
