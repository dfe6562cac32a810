package nouns

import (
	"fmt"
	"iter"

	"github.com/hone-rl/hone/env/webshop/internal/python"
)

// Guess is a table and, for titles that it has not, what its own titles teach. A word is a noun where it mostly is one
// between such neighbours, or else before such a neighbour, by itself, among words that end like it, or among words of
// its shape: what tells, in this order.
//
// With each of the 1,000 products judged by the other 999, the guess gives another r_type than spaCy's nouns for 1.4 % of
// all pairs and 3.7 % of the pairs for one query; 0.6 % and 1.2 % where only the bought title is guessed
// (HONE_ALL_GAMES=1 go test ./env/webshop/nouns -run LeftOut -v). The specification has 1.3 % and 2.1 % for an older model
// of spaCy, 3.5 % and 8 % for the tagger of jdkato/prose. The guess does not depend on the order of the titles.
type Guess struct {
	table *Table
	seen  map[clue]tally
}

// tally is how often a clue was seen, on nouns and on others.
type tally struct{ nouns, others int }

// maxTokens bounds the work on one title. What is further back in a longer one is taken for no noun.
const maxTokens = 1000

// NewGuess learns from a table and the titles of products, of which those count that the table has.
func NewGuess(table *Table, titles iter.Seq2[string, string]) (*Guess, error) {
	g := &Guess{table: table, seen: map[clue]tally{}}
	for asin, title := range titles {
		if nouns, ok := table.nouns[asin]; ok {
			g.learn(title, nouns, 1)
		}
	}
	if len(g.seen) == 0 {
		return nil, fmt.Errorf("learn nouns: none of the table's %d products has a title among those given", table.Len())
	}
	return g, nil
}

// Nouns implements Tagger, and never fails.
func (g *Guess) Nouns(asin, title string) (Nouns, error) {
	if known, err := g.table.Nouns(asin, title); err == nil {
		return known, nil
	}
	return Nouns{List: g.guess(title), Guessed: true}, nil
}

// learn counts a title as often as times says; -1 takes it back.
func (g *Guess) learn(title string, nouns []string, times int) {
	left := map[string]int{}
	for _, n := range nouns {
		left[n]++
	}
	words := cut(title)
	for i, word := range words {
		lower := python.Lower(word)
		noun := left[lower] > 0
		if noun {
			left[lower]--
		}
		for _, c := range clues(words, i) {
			t := g.seen[c]
			if noun {
				t.nouns += times
			} else {
				t.others += times
			}
			g.seen[c] = t
		}
	}
}

func (g *Guess) guess(title string) []string {
	var list []string
	words := cut(title)
	for i, word := range words {
		if g.noun(clues(words, i)) {
			list = append(list, python.Lower(word))
		}
	}
	return list
}

// noun asks the clues, the most telling first, until one has been seen often enough and more on one side.
func (g *Guess) noun(clues [rungs]clue) bool {
	for rung, c := range clues {
		if t := g.seen[c]; t.nouns+t.others >= least[rung] && t.nouns != t.others {
			return t.nouns > t.others
		}
	}
	return true
}

func cut(title string) []string {
	words := tokens(title)
	return words[:min(len(words), maxTokens)]
}
