package webshop

import "strings"

// Search finds products by words. It may be used from many goroutines.
type Search interface {
	// Search returns the asins of the n products that fit the words best, the best one first, or of fewer.
	Search(words string, n int) []string
}

// search does what the search bar does. It can be said on every page.
func (s *session) search(argument string) bool {
	return s.turn(strings.Split(argument, " "), 1)
}

// find returns the products that keywords find, as places in the catalogue. Some first keywords, which the original
// keeps for itself, do not search for words: "<r>" draws products at random, "<c>" and "<q>" name a category and a
// query. It returns false where the original fails.
func (s *session) find(keywords []string) ([]int32, bool) {
	c := s.shop.catalogue
	switch first, rest := keywords[0], keywords[1:]; first {
	case "<a>":
		return nil, false
	case "<r>":
		drawn, err := s.draw().Sample(c.Len(), kept)
		if err != nil {
			return nil, false
		}
		hits := make([]int32, len(drawn))
		for i, at := range drawn {
			hits[i] = int32(at)
		}
		return hits, true
	case "<c>":
		if len(rest) == 0 {
			return nil, false
		}
		return c.byCategory[trimmed(rest[:1])], true
	case "<q>":
		return c.byQuery[trimmed(rest)], true
	}
	var hits []int32
	for _, asin := range s.shop.cfg.Search.Search(strings.Join(keywords, " "), kept) {
		if at, ok := c.byASIN[asin]; ok {
			hits = append(hits, at)
		}
	}
	return hits, true
}
