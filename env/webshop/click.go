package webshop

import (
	"slices"
	"strings"

	"github.com/hone-rl/hone/env/webshop/internal/python"
)

func trimmed(words []string) string { return python.Strip(strings.Join(words, " ")) }

// click does what clicking something does, by its text in lower case. What a text stands for is decided in the
// original's order, so that a value that is called like a button is that button.
func (s *session) click(text string) bool {
	if text == "search" || !slices.Contains(s.page.Available().Clickables, text) {
		return false
	}
	at := shown(s.page.url)
	switch {
	case text == "buy now":
		if s.product == nil {
			return false
		}
		s.buy()
		return true
	case text == "back to search":
		s.begin()
		return true
	case text == "next >" && at == results:
		return s.turn(s.keywords, s.number+1)
	case text == "< prev" && at == results:
		return s.turn(s.keywords, s.number-1)
	case text == "< prev" && at == item:
		return s.turn(s.keywords, s.number)
	case text == "< prev" && at == subPage:
		s.at = item
		return true
	}
	for _, sub := range []string{description, features, reviews, attributes} {
		if text == strings.ToLower(sub) {
			if s.product == nil {
				return false
			}
			s.at, s.sub = subPage, sub
			return true
		}
	}
	return s.follow(text)
}

// follow chooses the value or opens the product that text is. A value of two options is the later one's.
func (s *session) follow(text string) bool {
	if s.at == item {
		for _, o := range slices.Backward(s.product.Options) {
			if slices.Contains(o.Values, text) {
				s.choose(Choice{o.Name, text})
				return true
			}
		}
	}
	p := s.shop.catalogue.Product(strings.ToUpper(text))
	if s.at != results || p == nil {
		return false
	}
	s.open(p)
	return true
}
