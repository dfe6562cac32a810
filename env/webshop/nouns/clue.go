package nouns

import (
	"unicode"
	"unicode/utf8"

	"github.com/hone-rl/hone/env/webshop/internal/python"
)

// rungs is how many clues there are to a word, from the one that says most to the one that most words share.
const rungs = 5

// least is how often a clue must have been seen to count.
var least = [rungs]int{2, 2, 1, 3, 1}

// clue is something that a word may have in common with others.
type clue struct {
	rung          int
	text          string
	before, after rune // of what kind the neighbours are
	shape         rune
	capital       bool
}

// clues are those to the word at i.
func clues(words []string, i int) [rungs]clue {
	word, lower := words[i], python.Lower(words[i])
	before, after := edge, edge
	if i > 0 {
		before = kind(words[i-1])
	}
	if i+1 < len(words) {
		after = kind(words[i+1])
	}
	first, _ := utf8.DecodeRuneInString(word)
	shape, capital := shape(word), unicode.IsUpper(first)
	return [rungs]clue{
		{rung: 0, text: word, before: before, after: after},
		{rung: 1, text: word, after: after},
		{rung: 2, text: lower},
		{rung: 3, text: ending3(lower), shape: shape, capital: capital},
		{rung: 4, shape: shape, capital: capital},
	}
}

// The kinds of words besides signs, which are a kind each.
const (
	edge  rune = 0 // no word: the title ends
	plain rune = 'w'
	count rune = 'd'
	mixed rune = 'm' // a shape only: letters and digits
	none  rune = '.' // a shape only: neither
)

// kind is a word by its first character.
func kind(word string) rune {
	switch r, _ := utf8.DecodeRuneInString(word); {
	case letter(r):
		return plain
	case digit(r):
		return count
	default:
		return r
	}
}

// shape is a word by all of its characters.
func shape(word string) rune {
	letters, digits := false, false
	for _, r := range word {
		letters, digits = letters || letter(r), digits || digit(r)
	}
	switch {
	case letters && digits:
		return mixed
	case letters:
		return plain
	case digits:
		return count
	}
	return none
}

// ending3 is the last three characters.
func ending3(word string) string {
	at := len(word)
	for range 3 {
		_, size := utf8.DecodeLastRuneInString(word[:at])
		at -= size
	}
	return word[at:]
}
