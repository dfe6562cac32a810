// Package charset is what Python's tokenizers know of characters. Ids follow from it, so it is written down here and
// does not change with the Unicode version of Go or of golang.org/x/text.
package charset

import "unicode/utf8"

// span is characters from first to last.
type span struct{ first, last rune }

// shift is characters from first to last in steps, whose lower case is delta away.
type shift struct{ first, last, step, delta rune }

// Class is what split patterns ask of a character.
type Class uint8

// The classes; no character is in two of them.
const (
	Other  Class = iota
	Letter       // \p{L}
	Mark         // \p{M}
	Number       // \p{N}
	Space        // \s
)

// Traits is what BERT's normalization asks of a character.
type Traits uint8

// The traits.
const (
	Dropped     Traits = 1 << iota // goes when text is cleaned
	Blanked                        // becomes a blank when text is cleaned
	Ideograph                      // stands alone
	Accent                         // goes after decomposition
	Gap                            // parts words and goes
	Punctuation                    // parts words and stays
	Cased                          // has another lower case
	Canonical                      // canonical normalization takes it apart, moves it or makes it of others
)

// table is a byte for each character. Pages of 256 that are alike are often one.
type table struct {
	page  [(utf8.MaxRune + 1) >> 8]uint16
	pages [][256]uint8
}

var (
	classes = newTable(
		set{letters[:], uint8(Letter)}, set{marks[:], uint8(Mark)}, set{numbers[:], uint8(Number)}, set{spaces[:], uint8(Space)},
	)
	traits = newTable(
		set{dropped[:], uint8(Dropped)}, set{blanked[:], uint8(Blanked)}, set{ideographs[:], uint8(Ideograph)},
		set{accents[:], uint8(Accent)}, set{gaps[:], uint8(Gap)}, set{punctuation[:], uint8(Punctuation)},
		set{cased(), uint8(Cased)}, set{canonical[:], uint8(Canonical)},
	)
)

type set struct {
	spans []span
	bits  uint8
}

func newTable(sets ...set) *table {
	t := &table{pages: make([][256]uint8, 1, 256)}
	alone := make(map[uint16]bool) // pages that stand in one place and may be changed there
	for _, s := range sets {
		whole := map[uint16]uint16{} // pages that lie in a span of this set: by what they were before
		for _, at := range s.spans {
			for page := at.first >> 8; page <= at.last>>8; page++ {
				first, last := max(at.first, page<<8), min(at.last, page<<8+255)
				to := t.page[page]
				if shared, ok := whole[to]; ok && last-first == 255 {
					t.page[page] = shared
					continue
				}
				if !alone[to] {
					to = uint16(len(t.pages))
					t.pages = append(t.pages, t.pages[t.page[page]])
					if last-first == 255 {
						whole[t.page[page]] = to
					} else {
						alone[to] = true
					}
					t.page[page] = to
				}
				for c := first; c <= last; c++ {
					t.pages[to][c&255] |= s.bits
				}
			}
		}
	}
	return t
}

func (t *table) at(r rune) uint8 {
	if uint32(r) > utf8.MaxRune {
		return 0
	}
	return t.pages[t.page[r>>8]][r&255]
}

// ClassOf is the class of a character.
func ClassOf(r rune) Class { return Class(classes.at(r)) }

// TraitsOf is the traits of a character.
func TraitsOf(r rune) Traits { return Traits(traits.at(r)) }

func cased() []span {
	spans := []span{{0x130, 0x130}}
	for _, s := range lowered {
		for c := s.first; c <= s.last; c += s.step {
			spans = append(spans, span{c, c})
		}
	}
	return spans
}

// Lower is the lower case of a character, without a look at its neighbours; of U+0130 the first of two.
func Lower(r rune) rune {
	if r == 0x130 {
		return 'i'
	}
	low, high := 0, len(lowered)
	for low < high {
		mid := (low + high) / 2
		if lowered[mid].last < r {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == len(lowered) {
		return r
	}
	if s := lowered[low]; r >= s.first && (r-s.first)%s.step == 0 {
		return r + s.delta
	}
	return r
}
