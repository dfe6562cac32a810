package webshop

import (
	"errors"
	"strings"

	"github.com/hone-rl/hone/env/webshop/search"
)

// Searcher finds products by words. It may be used from many goroutines.
type Searcher interface {
	// Search returns the asins of the products that fit the words best, at most so many, the best one first. It
	// returns search.ErrTooManyTerms for words that the original's search refuses; another error ends an episode.
	Search(words string, most int) ([]string, error)
}

// search does what the search bar does. It can be said on every page.
func (s *session) search(argument string) (bool, error) {
	return s.turn(strings.Split(argument, " "), 1)
}

// find returns the products that keywords find, as places in the catalogue. Some first keywords, which the original
// keeps for itself, do not search for words: "<r>" draws products at random, "<c>" and "<q>" name a category and a
// query. It returns false where the original fails.
func (s *session) find(keywords []string) (hits []int32, ok bool, err error) {
	c := s.shop.catalogue
	switch first, rest := keywords[0], keywords[1:]; first {
	case "<a>":
		return nil, false, nil
	case "<r>":
		drawn, err := s.draw().Sample(c.Len(), kept)
		for _, at := range drawn {
			hits = append(hits, int32(at))
		}
		return hits, err == nil, nil // fewer than there are to be drawn is all that can be wrong
	case "<c>":
		if len(rest) == 0 {
			return nil, false, nil
		}
		return c.byCategory[trimmed(rest[:1])], true, nil
	case "<q>":
		return c.byQuery[trimmed(rest)], true, nil
	}
	asins, err := s.shop.cfg.Searcher.Search(strings.Join(keywords, " "), kept)
	if errors.Is(err, search.ErrTooManyTerms) {
		return nil, false, nil
	}
	for _, asin := range asins {
		if at, ok := c.byASIN[asin]; ok {
			hits = append(hits, at)
		}
	}
	return hits, err == nil, err
}
