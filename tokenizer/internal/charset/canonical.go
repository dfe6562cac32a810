package charset

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Hangul syllables are made of leading consonant, vowel and trailing consonant by counting (Unicode, section 3.12).
const (
	hangulL, hangulV, hangulT, hangulS = 0x1100, 0x1161, 0x11A7, 0xAC00
	countL, countV, countT             = 19, 21, 28
	countS                             = countL * countV * countT
)

// NFC is text in normalization form C as Python's tokenizers have it. Where x/text cuts a long row of combining marks
// by a joiner (the stream-safe form), this does not. Bytes that are not UTF-8 stay as they are.
func NFC(text string) string {
	i := 0
	for i < len(text) && text[i] < 0xCC { // nothing below U+0300 changes or is made from what is below U+0300
		i++
	}
	if i == len(text) || normal(norm.NFC, text) {
		return text
	}
	return rewrite(text, i, true)
}

// NFD is text in normalization form D, in the same way.
func NFD(text string) string {
	i := 0
	for i < len(text) && text[i] < 0xC3 {
		i++
	}
	if i == len(text) || normal(norm.NFD, text) {
		return text
	}
	return rewrite(text, i, false)
}

// normal says whether nothing is to be done. Of text behind bytes that are not UTF-8, such as "\xf5Å", x/text says so
// without looking.
func normal(form norm.Form, text string) bool {
	return utf8.ValidString(text) && form.IsNormalString(text)
}

// rewrite normalizes from the character before byte i on.
func rewrite(text string, i int, compose bool) string {
	if i > 0 {
		_, size := utf8.DecodeLastRuneInString(text[:i])
		i -= size
	}
	var out strings.Builder
	out.Grow(len(text) + len(text)/4)
	out.WriteString(text[:i])
	var run []part // a starter and the marks behind it
	settle := func() {
		slices.SortStableFunc(run, func(a, b part) int { return int(a.class) - int(b.class) })
		if compose {
			run = composed(run)
		}
	}
	flush := func() {
		settle()
		for _, p := range run {
			out.WriteRune(p.r)
		}
		run = run[:0]
	}
	add := func(p part) {
		if p.class == 0 && len(run) > 0 {
			settle()
			if compose && len(run) == 1 && run[0].class == 0 {
				if c := composite(run[0].r, p.r); c >= 0 {
					run[0].r = c
					return
				}
			}
			flush()
		}
		run = append(run, p)
	}
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			flush()
			out.WriteByte(text[i])
			i++
			continue
		}
		i += size
		decompose(r, add)
	}
	flush()
	return out.String()
}

// part is a character and its canonical combining class.
type part struct {
	r     rune
	class uint8
}

// decompose gives the full canonical decomposition of a character.
func decompose(r rune, give func(part)) {
	switch {
	case TraitsOf(r)&Canonical == 0:
		give(part{r, 0})
	case hangulS <= r && r < hangulS+countS:
		s := r - hangulS
		give(part{hangulL + s/(countV*countT), 0})
		give(part{hangulV + s%(countV*countT)/countT, 0})
		if t := s % countT; t > 0 {
			give(part{hangulT + t, 0})
		}
	default:
		var raw [utf8.UTFMax]byte
		p := norm.NFD.Properties(raw[:utf8.EncodeRune(raw[:], r)])
		whole := p.Decomposition()
		if whole == nil {
			give(part{r, p.CCC()})
			return
		}
		for len(whole) > 0 {
			c, size := utf8.DecodeRune(whole)
			give(part{c, norm.NFD.Properties(whole).CCC()})
			whole = whole[size:]
		}
	}
}

// composed puts marks together with the starter they follow: all but those behind a mark of the same or a higher
// class that stays (Unicode, definition D117).
func composed(run []part) []part {
	if len(run) < 2 || run[0].class != 0 {
		return run
	}
	kept := run[:1]
	last := -1 // class of the last mark that stays
	for _, p := range run[1:] {
		if int(p.class) > last {
			if c := composite(kept[0].r, p.r); c >= 0 {
				kept[0].r = c
				continue
			}
		}
		last = int(p.class)
		kept = append(kept, p)
	}
	return kept
}

// composite is the character that two become, or -1.
func composite(first, second rune) rune {
	switch {
	case hangulL <= first && first < hangulL+countL && hangulV <= second && second < hangulV+countV:
		return hangulS + ((first-hangulL)*countV+second-hangulV)*countT
	case hangulS <= first && first < hangulS+countS && (first-hangulS)%countT == 0 &&
		hangulT < second && second < hangulT+countT:
		return first + second - hangulT
	case second < 0x300:
		return -1
	}
	var raw [2 * utf8.UTFMax]byte
	n := utf8.EncodeRune(raw[:], first)
	n += utf8.EncodeRune(raw[n:], second)
	both := norm.NFC.Bytes(raw[:n])
	c, size := utf8.DecodeRune(both)
	if size != len(both) || TraitsOf(c)&Canonical == 0 { // where the library's tables lack it, it stays two
		return -1
	}
	return c
}
