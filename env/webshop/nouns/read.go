package nouns

import (
	"errors"
	"fmt"

	"github.com/hone-rl/hone/env/webshop/internal/python"
	"github.com/hone-rl/hone/internal/exact"
	"github.com/hone-rl/hone/internal/regular"
)

const (
	maxFile  = 1 << 29 // bytes; a table of WebShop's 1.18 million products has about 200 MB
	maxNouns = 1000    // of a title
	maxNoun  = 200     // bytes of a noun
)

// Load reads a table from a file.
func Load(path string) (*Table, error) {
	data, err := regular.Read(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("read nouns: %w", err)
	}
	return Parse(path, data)
}

// Parse reads a table: a JSON object with a list of words, in lower case, for each product's asin. The name is for
// errors.
func Parse(name string, data []byte) (*Table, error) {
	if err := exact.Check(data); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t := &Table{nouns: map[string][]string{}}
	words := map[string]string{} // one copy of each
	err := exact.Members(data, func(asin string, value []byte) error {
		if asin == "" {
			return errors.New("a product without asin, expected a name")
		}
		var list []string
		if err := exact.Unmarshal(value, &list); err != nil {
			return fmt.Errorf("%.20q: %w", asin, err)
		}
		if list == nil || len(list) > maxNouns {
			return fmt.Errorf("%.20q: %.20s… with %d nouns, expected a list of up to %d", asin, value, len(list), maxNouns)
		}
		for i, word := range list {
			if word == "" || len(word) > maxNoun || python.Lower(word) != word {
				return fmt.Errorf("%.20q: noun %d is %.40q, expected a word in lower case of up to %d bytes", asin, i+1, word, maxNoun)
			}
			if _, ok := words[word]; !ok {
				words[word] = word
			}
			list[i] = words[word]
		}
		t.nouns[asin] = list
		return nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case t.Len() == 0:
		return nil, fmt.Errorf("%s: no product, expected at least one", name)
	}
	return t, nil
}
