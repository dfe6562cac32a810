// Package analysis makes index terms of text exactly as Lucene's English analysis does, in the form that Anserini uses
// for WebShop: words by Unicode's rules (UAX 29) and emoji as tokens, a final 's taken off, lower case, stop words left
// out, Porter's stems.
package analysis

import "strings"

// Analyzer makes terms. It remembers what became of the words that it has seen, so it belongs to one goroutine.
type Analyzer struct {
	known map[string]string // a word as it stands in the text, and its term; "" is a stop word
	words words
}

// mostKnown bounds what an Analyzer remembers, in words. The thousand products have some 12,000.
const mostKnown = 1 << 16

// Append appends the terms of text in their order, with repeats.
func (a *Analyzer) Append(terms []string, text string) []string {
	if a.known == nil || len(a.known) >= mostKnown {
		a.known = make(map[string]string)
	}
	a.words.reset(text)
	for {
		word, ok := a.words.next()
		if !ok {
			return terms
		}
		term, ok := a.known[word]
		if !ok {
			word = strings.Clone(word) // else the whole text would be kept
			term = Term(word)
			a.known[word] = term
		}
		if term != "" {
			terms = append(terms, term)
		}
	}
}

// Terms is Append for a single text.
func Terms(text string) []string {
	return new(Analyzer).Append(nil, text)
}
