package webshop

import (
	"slices"
	"strings"

	"github.com/hone-rl/hone/env/webshop/internal/python"
)

func trimmed(words []string) string { return python.Strip(strings.Join(words, " ")) }

// click does what clicking something on the page does.
func (s *session) click(text string) (bool, error) {
	if !slices.Contains(s.page.Available().Clickables, text) {
		return false, nil
	}
	do := s.clicked(text)
	if do == nil {
		return false, nil
	}
	return do()
}

// clicked is what clicking something on the page does, by its text in lower case, nil for nothing. What a text stands
// for is decided in the original's order, so that a value that is called like a button is that button.
func (s *session) clicked(text string) func() (bool, error) {
	at := shown(s.page.url)
	switch {
	case text == "search":
		return nil
	case text == "buy now" && s.product != nil:
		return s.buy
	case text == "back to search":
		return does(s.begin)
	case text == "next >" && at == results:
		return func() (bool, error) { return s.turn(s.keywords, s.number+1) }
	case text == "< prev" && at == results:
		return func() (bool, error) { return s.turn(s.keywords, s.number-1) }
	case text == "< prev" && at == item:
		return func() (bool, error) { return s.turn(s.keywords, s.number) }
	case text == "< prev" && at == subPage:
		return does(func() { s.at = item })
	}
	for _, sub := range []string{description, features, reviews, attributes} {
		if text == strings.ToLower(sub) && s.product != nil {
			return does(func() { s.at, s.sub = subPage, sub })
		}
	}
	if s.at == item {
		for _, o := range slices.Backward(s.product.Options) {
			if slices.Contains(o.Values, text) { // the later one's, where two have it
				return does(func() { s.choose(Choice{o.Name, text}) })
			}
		}
	}
	if at, ok := s.shop.catalogue.byASIN[strings.ToUpper(text)]; ok && s.at == results {
		return func() (bool, error) { return s.open(int(at)) }
	}
	return nil
}

// does is something that always can be done.
func does(do func()) func() (bool, error) {
	return func() (bool, error) {
		do()
		return true, nil
	}
}
