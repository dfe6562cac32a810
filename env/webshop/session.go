package webshop

import (
	"fmt"
	"slices"

	"github.com/hone-rl/hone/env/webshop/internal/mt19937"
	"github.com/hone-rl/hone/env/webshop/reward"
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
	hits     []int32    // places in the catalogue
	listed   []*Product // those of the page
	number   int        // page of the results
	product  *Product
	sub      string
	visited  []string // asins opened, in upper case; never written to once a page has it
	options  []Choice // chosen, in the order in which their names first were
	reward   reward.Reward
	page     *Page
}

// begin goes to the front page.
func (s *session) begin() {
	*s = session{shop: s.shop, id: s.id, goal: s.goal, draw: s.draw}
	s.page = s.show()
}

func (s *session) asin() string { return s.product.ASIN }

// act does what an action says and reports whether it did something. What cannot be done leaves everything as it is;
// some of that are errors of the original: the search "<a>", "<c>" without a category, "<r>" in a catalogue of fewer
// products than it draws, and more words than the search takes. An error is one of what the shop is made of.
func (s *session) act(action string) (did bool, err error) {
	if len(action) > maxAction {
		return false, nil
	}
	name, argument, ok := parse(action)
	switch {
	case !ok:
	case name == doSearch:
		did, err = s.search(argument)
	case name == doClick:
		did, err = s.click(argument)
	}
	if err != nil {
		return false, fmt.Errorf("webshop: %.100q: %w", action, err)
	}
	if did {
		s.page = s.show()
	}
	return did, nil
}

// turn goes to a page of the results for keywords, which puts the product and what was chosen for it back.
func (s *session) turn(keywords []string, number int) (bool, error) {
	hits, ok, err := s.find(keywords)
	if !ok || err != nil {
		return false, err
	}
	listed, err := s.listing(hits, number)
	if err != nil {
		return false, err
	}
	s.at, s.keywords, s.hits, s.listed, s.number = results, keywords, hits, listed, number
	s.product, s.options = nil, nil
	return true, nil
}

// listing are the products on a page of results.
func (s *session) listing(hits []int32, number int) ([]*Product, error) {
	from := min(max(0, (number-1)*perPage), len(hits))
	to := min(max(0, number*perPage), len(hits))
	list := make([]*Product, to-from)
	for i, at := range hits[from:to] {
		var err error
		if list[i], err = s.shop.catalogue.At(int(at)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// open goes to the page of the product at a place of the catalogue.
func (s *session) open(at int) (bool, error) {
	p, err := s.shop.catalogue.At(at)
	if err != nil {
		return false, err
	}
	s.at, s.product = item, p
	if !slices.Contains(s.visited, p.ASIN) {
		s.visited = append(slices.Clip(s.visited), p.ASIN)
	}
	return true, nil
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
func (s *session) buy() (bool, error) {
	r, err := s.judge(s.options)
	if err != nil {
		return false, err
	}
	s.at, s.reward = thanks, r
	return true, nil
}

// judge is the reward for buying the product with some options.
func (s *session) judge(options []Choice) (reward.Reward, error) {
	price, _ := s.shop.Price(s.asin())
	return s.shop.cfg.Judge.Judge(s.goal, s.product, options, price)
}
