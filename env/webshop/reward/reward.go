// Package reward says how well what was bought fits what was wanted, as WebShop does at "Buy Now" (specification,
// "Reward"; Yao et al. 2022, section 3.2). It is a function of the two and knows nothing of the shop.
package reward

import (
	"github.com/hone-rl/hone/env/webshop/internal/fuzzy"
	"github.com/hone-rl/hone/env/webshop/nouns"
)

// Goal is what is wanted. It is made from a product, whose title, query and path it bears.
type Goal struct {
	ASIN, Title  string
	Query        string // in lower case, as products have it
	CategoryPath string // its parts set off by ›
	Attributes   []string
	Options      []Option
	// Named says that options are wanted by name and value, as goals are that were made from a product. Without, as
	// with those that people wrote, only the values count.
	Named    bool
	MaxPrice float64 // dollars
}

// Option is one that is wanted.
type Option struct{ Name, Value string }

// Purchase is what was bought.
type Purchase struct {
	ASIN, Title, Description string
	Bullets                  []string
	Query, CategoryPath      string   // as in Goal
	Attributes               []string // of the product
	Options                  []string // the values that were chosen
	Price                    float64  // dollars
}

// Reward is a purchase judged, part by part.
type Reward struct {
	Total      float64 // from 0 to 1: the hits of all parts by all there are, times Kind.Share
	Kind       Kind
	Attributes Part
	Options    Part // of none where the goal has no options
	Price      Part // of one
}

// Part is how many wanted things were got.
type Part struct {
	Hits, Of int
	Weight   float64 // of the part in the total: Of by the sum of all
}

// Share is the part that was got, from 0 to 1; 0 of none.
func (p Part) Share() float64 {
	if p.Of == 0 {
		return 0
	}
	return float64(p.Hits) / float64(p.Of)
}

// near is what the token-set score of two texts must be above for them to count as one.
const near = 85

// Of judges a purchase. An error says what of goal or purchase makes no sense, or that the nouns of a title are not known.
func Of(goal *Goal, bought *Purchase, tagger nouns.Tagger) (Reward, error) {
	if err := check(goal, bought); err != nil {
		return Reward{}, err
	}
	kind, err := kindOf(goal, bought, tagger)
	if err != nil {
		return Reward{}, err
	}
	r := Reward{
		Kind:       kind,
		Attributes: Part{Hits: attributes(goal, bought), Of: len(goal.Attributes)},
		Options:    Part{Hits: options(goal, bought), Of: len(goal.Options)},
		Price:      Part{Of: 1},
	}
	if bought.Price <= goal.MaxPrice {
		r.Price.Hits = 1
	}
	hits, of := 0, 0
	for _, p := range r.parts() {
		hits, of = hits+p.Hits, of+p.Of
	}
	for _, p := range r.parts() {
		p.Weight = float64(p.Of) / float64(of)
	}
	r.Total = float64(hits) / float64(of) * kind.Share
	return r, nil
}

func (r *Reward) parts() []*Part { return []*Part{&r.Attributes, &r.Options, &r.Price} }

// options counts the wanted options that are near a chosen value.
func options(goal *Goal, bought *Purchase) int {
	chosen := make([]fuzzy.Words, len(bought.Options))
	for i, value := range bought.Options {
		chosen[i] = fuzzy.New(normal(value))
	}
	hits := 0
	for _, o := range goal.Options {
		if anyNear(chosen, wanted(o, goal.Named)) {
			hits++
		}
	}
	return hits
}

// Compare is how near a chosen value is to a wanted option, on the scale of the token-set score, and what the two are
// compared as: the wanted one a text, or a pair of name and value. Named is as in Goal.
func Compare(o Option, named bool, chosen string) (as []string, value string, score int) {
	as, value = []string{o.Name, o.Value}, normal(chosen)
	if !named {
		as = []string{normal(o.Value)}
	} else if colour, ok := colourAmong(o.Name, o.Value); ok {
		as = []string{colour}
	}
	return as, value, fuzzy.Score(fuzzy.New(value), wanted(o, named))
}

// wanted is what chosen values are compared with. A pair that is not about a colour by itself is compared as a pair, so
// that words of its name may count, too.
func wanted(o Option, named bool) fuzzy.Words {
	if !named {
		return fuzzy.New(normal(o.Value))
	}
	if colour, ok := colourAmong(o.Name, o.Value); ok {
		return fuzzy.New(colour)
	}
	return fuzzy.Pair(o.Name, o.Value)
}

func anyNear(got []fuzzy.Words, want fuzzy.Words) bool {
	for _, g := range got {
		if fuzzy.Above(g, want, near) {
			return true
		}
	}
	return false
}
