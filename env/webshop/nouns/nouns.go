// Package nouns says which words of a product's title are nouns, by which WebShop judges whether two products are of
// one kind (specification, "Reward"). There they are what a model of spaCy tags so. Here is a table made with it once,
// and for titles that the table has not a guess that learns from it.
package nouns

import (
	"errors"
	"fmt"
)

// Tagger gives the nouns of titles. It may be used from many goroutines.
type Tagger interface {
	// Nouns are those of a product's title. A title without text has none. ErrUnknown where the tagger has nothing to
	// say about it.
	Nouns(asin, title string) (Nouns, error)
}

// Nouns are the nouns of a title, in lower case, in its order and with repeats. The list is shared: do not change it.
type Nouns struct {
	List    []string
	Guessed bool // not spaCy's
}

// ErrUnknown marks a title that is not in the table.
var ErrUnknown = errors.New("nouns of its title are not known")

// Table is spaCy's nouns by product. It never changes.
type Table struct{ nouns map[string][]string }

// Len is how many titles the table has.
func (t *Table) Len() int { return len(t.nouns) }

// Nouns implements Tagger. The table knows a title by its product: one that the shop has changed since is not noticed.
func (t *Table) Nouns(asin, title string) (Nouns, error) {
	if list, ok := t.nouns[asin]; ok {
		return Nouns{List: list}, nil
	}
	if title == "" {
		return Nouns{}, nil
	}
	return Nouns{}, fmt.Errorf("product %.20q: %w", asin, ErrUnknown)
}
