package analysis

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/segment"
)

// alike appends text to b as the segmenter is to see it: a character that it does not know as Lucene does is replaced
// by one of the same length that it knows so. The bounds of the words in the one are those in the other.
func alike(b []byte, text string) []byte {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			b = append(b, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if at, found := slices.BinarySearchFunc(changes, r, func(c change, r rune) int {
			switch {
			case c.last < r:
				return -1
			case c.first > r:
				return 1
			}
			return 0
		}); found {
			r = changes[at].as
		}
		b = utf8.AppendRune(b, r)
		i += n
	}
	return b
}

// extends reports whether r belongs to the character before it (UAX 29's Extend, Format and ZWJ).
func extends(r rune) bool {
	switch {
	case r < 0xAD, r == '\u200B':
		return false
	case r == '\uFF9E', r == '\uFF9F', firstModifier <= r && r <= lastModifier:
		return true
	case !unicode.In(r, unicode.M, unicode.Cf):
		return false
	}
	// Go knows a newer Unicode than Lucene: a mark that is younger than Lucene's is none.
	after := alike(nil, "a"+string(r))
	_, word, _, err := segment.SegmentWords(after, true)
	return err == nil && len(word) == len(after)
}
