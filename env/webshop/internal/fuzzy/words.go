// Package fuzzy says how much two short texts have in common: the token-set score of thefuzz 0.19.0 as it is without
// its library in C, with which WebShop compares attributes and options (specification, "Token-set score").
package fuzzy

import (
	"slices"
	"strings"

	"github.com/hone-rl/hone/env/webshop/internal/python"
)

// Words is a text as the score sees it: its distinct words in lower case, sorted. What parts words are all characters
// but letters, numbers and _; of those, the ones from U+0080 to U+00FF are taken out first, so that they part nothing.
type Words struct{ list []string }

// New reads a text. Bytes that are no UTF-8 part words.
func New(text string) Words {
	text = strings.Map(func(r rune) rune {
		switch {
		case 0x80 <= r && r <= 0xff:
			return -1
		case python.IsWord(r):
			return r
		}
		return ' '
	}, text)
	list := strings.Fields(python.Lower(text))
	slices.Sort(list)
	return Words{slices.Compact(list)}
}

// Pair reads a pair of texts, which counts as what Python prints for it, ('name', 'value'), the letters of its escapes
// included.
func Pair(name, value string) Words {
	return New("(" + python.Repr(name) + ", " + python.Repr(value) + ")")
}

// split parts the words of two texts into those they share and those that one of them has alone. Their order is kept.
func split(a, b Words) (shared, onlyA, onlyB []string) {
	i, j := 0, 0
	for i < len(a.list) && j < len(b.list) {
		switch order := strings.Compare(a.list[i], b.list[j]); {
		case order < 0:
			onlyA = append(onlyA, a.list[i])
			i++
		case order > 0:
			onlyB = append(onlyB, b.list[j])
			j++
		default:
			shared = append(shared, a.list[i])
			i, j = i+1, j+1
		}
	}
	return shared, append(onlyA, a.list[i:]...), append(onlyB, b.list[j:]...)
}
