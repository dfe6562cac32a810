package tokenizer

import (
	"unicode/utf8"

	"github.com/hone-rl/hone/tokenizer/internal/charset"
)

// What BERT makes of an ASCII character, cleaning and small letters on: the character itself, or
const (
	asciiDropped = 0x80 + iota // it goes
	asciiGap                   // it parts words and goes
	asciiPunct                 // it parts words and stays
)

var asciiBERT = func() (table [utf8.RuneSelf]byte) {
	for c := range rune(utf8.RuneSelf) {
		switch t := charset.TraitsOf(c); {
		case t&charset.Dropped != 0:
			table[c] = asciiDropped
		case t&(charset.Blanked|charset.Gap) != 0:
			table[c] = asciiGap
		case t&charset.Punctuation != 0:
			table[c] = asciiPunct
		default:
			table[c] = byte(charset.Lower(c))
		}
	}
	return table
}()

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// plain is normalize and cut in one, for ASCII. Words that are as they will be are looked up where they stand.
func (w *WordPiece) plain(ids []int32, text string) []int32 {
	var changed []byte // the word so far, where it differs from the text
	start := 0
	end := func(i int) {
		if changed != nil {
			ids = w.word(ids, string(changed))
			changed = nil
		} else {
			ids = w.word(ids, text[start:i])
		}
	}
	var room [64]byte
	for i := range len(text) {
		c := text[i]
		to := asciiBERT[c]
		switch {
		case to == asciiGap || to == asciiPunct:
			end(i)
			if to == asciiPunct {
				ids = w.word(ids, text[i:i+1])
			}
			start = i + 1
		case to == asciiDropped:
			if changed == nil {
				changed = append(room[:0], text[start:i]...)
			}
		case changed != nil:
			changed = append(changed, to)
		case to != c:
			changed = append(append(room[:0], text[start:i]...), to)
		}
	}
	end(len(text))
	return ids
}
