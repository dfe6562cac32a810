package webshop

import (
	"fmt"
	"strings"

	"github.com/hone-rl/hone/env/webshop/internal/mt19937"
)

// Goal is what a player is asked to buy. It never changes.
type Goal struct {
	ASIN         string // of the product that it was made from
	Category     string
	Query        string
	Title        string
	CategoryPath string
	Text         string // the instruction as pages show it
	Attributes   []string
	PriceUpper   float64 // in dollars; Unbounded where the text names no price
	// Options are what is to be chosen. People ask for values and do not say of which option; their choices have no
	// name, and are compared in another way.
	Options []Choice
	Human   bool
	Weight  float64 // how often a session without a number gets this goal, in proportion
}

// Unbounded is the price bound of goals without one, in dollars.
const Unbounded = 1_000_000

// maxGoals bounds the goals of a catalogue: the options of one product may combine to any number.
const maxGoals = 1 << 23

// newGoal is a goal for a product, without options.
func newGoal(p *Product, i *Instruction, b bound) Goal {
	return Goal{
		ASIN: p.ASIN, Category: p.Category, Query: p.Query, Title: p.Title, CategoryPath: p.CategoryPath,
		Attributes: i.Attributes, PriceUpper: b.price,
	}
}

// bound is what a goal may cost at most.
type bound struct {
	price  float64
	suffix string // of the instruction
}

// Of the multiples of ten up to the highest, those near a price are candidates for its bound.
const (
	boundStep, highestBound = 10, 990
	boundCandidates         = 4
)

// drawBound draws the bound for a price: the larger of two of the next multiples of ten above it. Where there are not
// two, nothing is drawn and there is no bound.
func drawBound(price float64, r *mt19937.Python) (bound, error) {
	first := boundStep
	for first <= highestBound && float64(first) <= price {
		first += boundStep
	}
	n := min(boundCandidates, (highestBound-first)/boundStep+1)
	if n < 2 {
		return bound{price: Unbounded}, nil
	}
	two, err := r.Sample(n, 2)
	if err != nil {
		return bound{}, err
	}
	most := float64(first + boundStep*max(two[0], two[1]))
	return bound{most, fmt.Sprintf(", and price lower than %.2f dollars", most)}, nil
}

// humanGoals makes a goal of every instruction by people that asks for an attribute.
func (s *Shop) humanGoals(r *mt19937.Python) ([]Goal, error) {
	var goals []Goal
	for i := range s.catalogue.products {
		p := &s.catalogue.products[i]
		for k := range p.Human {
			in := &p.Human[k]
			if len(in.Attributes) == 0 {
				continue
			}
			b, err := drawBound(s.prices[i], r)
			if err != nil {
				return nil, err
			}
			g := newGoal(p, in, b)
			g.Human, g.Weight = true, 1
			g.Text = strings.Trim(in.Text, ".") + b.suffix
			for _, value := range in.Options {
				g.Options = append(g.Options, Choice{Value: value})
			}
			goals = append(goals, g)
		}
	}
	return goals, nil
}
