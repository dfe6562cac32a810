package webshop

import (
	"slices"

	"github.com/hone-rl/hone/env/webshop/internal/mt19937"
)

// What a search lists.
const (
	kept    = 50 // products that are found
	perPage = 10
)

// place is the kind of page that a session is on.
type place byte

const (
	front   place = iota // with the search bar
	results              // of a search
	item                 // a product
	subPage              // of a product
	thanks               // it is over
)

// session is a player in a shop: where it stands, and what it has chosen. The front page clears all of it.
type session struct {
	shop *Shop
	id   string
	goal *Goal
	draw func() *mt19937.Python // for the search that finds at random

	at       place
	keywords []string
	hits     []int32 // places in the catalogue
	number   int     // page of the results
	product  *Product
	sub      string
	visited  []string // asins opened, in upper case; never written to once a page has it
	options  []Choice // chosen, in the order in which their names first were
	parts    Parts
	page     *Page
}

// begin goes to the front page.
func (s *session) begin() {
	*s = session{shop: s.shop, id: s.id, goal: s.goal, draw: s.draw}
	s.page = s.show()
}

func (s *session) asin() string { return s.product.ASIN }

// act does what an action says and reports whether it did something. What cannot be done leaves everything as it is;
// two of these are errors of the original: the search "<a>", and "<c>" without a category.
func (s *session) act(action string) bool {
	if len(action) > maxAction {
		return false
	}
	name, argument, ok := parse(action)
	done := false
	switch {
	case !ok:
	case name == doSearch:
		done = s.search(argument)
	case name == doClick:
		done = s.click(argument)
	}
	if done {
		s.page = s.show()
	}
	return done
}

// turn goes to a page of the results for keywords, which puts the product and what was chosen for it back.
func (s *session) turn(keywords []string, number int) bool {
	hits, ok := s.find(keywords)
	if !ok {
		return false
	}
	s.at, s.keywords, s.hits, s.number = results, keywords, hits, number
	s.product, s.options = nil, nil
	return true
}

// open goes to the page of a product.
func (s *session) open(p *Product) {
	s.at, s.product = item, p
	if !slices.Contains(s.visited, p.ASIN) {
		s.visited = append(slices.Clip(s.visited), p.ASIN)
	}
}

// choose takes a value of an option in the place of another one.
func (s *session) choose(c Choice) {
	s.at = item
	options := slices.Clone(s.options)
	if i := slices.IndexFunc(options, func(o Choice) bool { return o.Name == c.Name }); i >= 0 {
		options[i] = c
	} else {
		options = append(options, c)
	}
	s.options = options
}

// buy ends the session.
func (s *session) buy() {
	s.at = thanks
	price, _ := s.shop.Price(s.asin())
	s.parts = s.shop.cfg.Reward.Reward(s.goal, s.product, s.options, price)
}
