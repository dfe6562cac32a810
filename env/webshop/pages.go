package webshop

import (
	"fmt"

	"github.com/hone-rl/hone/env/webshop/internal/python"
)

// The sub pages of a product, by their buttons.
const (
	description = "Description"
	features    = "Features"
	reviews     = "Reviews"
	attributes  = "Attributes"
)

// show makes the page where the session stands (specification, "Pages as a list of text pieces").
func (s *session) show() *Page {
	p := &Page{url: s.address(), visited: s.visited, bar: s.at == front}
	switch s.at {
	case front:
		p.texts("WebShop", "Instruction: ", s.goal.Text)
		p.add(button, "Search")
		return p
	case thanks:
		s.thank(p)
		return p
	}
	p.texts("Instruction:", s.goal.Text)
	p.add(button, "Back to Search")
	switch s.at {
	case results:
		s.list(p)
	case item:
		s.present(p)
	case subPage:
		s.detail(p)
	}
	return p
}

// list shows a page of search results.
func (s *session) list(p *Page) {
	p.texts(fmt.Sprintf("Page %d (Total results: %d)", s.number, len(s.hits)))
	if s.number > 1 {
		p.add(button, "< Prev")
	}
	p.add(button, "Next >")
	for _, hit := range s.listed {
		p.add(link, hit.ASIN)
		p.texts(hit.Title, hit.Tag)
	}
}

// present shows the product.
func (s *session) present(p *Page) {
	p.add(button, "< Prev")
	for _, o := range s.product.Options {
		p.texts(o.Name)
		for _, v := range o.Values {
			p.add(choice, v)
		}
	}
	p.texts(s.product.Title, "Price: "+s.product.Tag, "Rating: N.A.")
	for _, name := range []string{description, features, reviews, attributes, "Buy Now"} {
		if name != attributes || s.shop.cfg.ShowAttributes {
			p.add(button, name)
		}
	}
}

// detail shows a sub page of the product.
func (s *session) detail(p *Page) {
	p.add(button, "< Prev")
	switch s.sub {
	case description:
		p.texts(s.product.Description)
	case features:
		for _, b := range s.product.Bullets {
			p.texts(" " + b)
		}
	case attributes:
		for _, a := range s.product.Attributes {
			p.texts(" " + a)
		}
		p.texts(s.product.Category, s.product.Query, s.product.CategoryPath)
	}
}

// thank shows the end. Most of it is made for workers of a survey, and says None to players.
func (s *session) thank(p *Page) {
	const none = "None"
	p.texts("Thank you for shopping with us!", "Your code: ", none, " (Paste it in your MTurk interface.)", "Purchased",
		"asin", s.asin(), "options", inPage(s.options), "attrs", none, "category", none, "query", none, "product category", none,
		"Target", "asin", "options", "attrs", "price upper", "instuction text", "category", "product category", "query", "Goal ", none, //nolint:misspell // so on the page
		"Reward", "Your score (min 0.0, max 1.0)", python.Float(s.reward.Total), "Reward Details ", none)
}
