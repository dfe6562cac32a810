package webshop

import (
	"fmt"
	"slices"
	"strings"
)

// Goal is what a player is asked to buy.
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

// wish is a goal in short: a catalogue may have millions, in an order for every seed.
type wish struct {
	product int32 // place in the catalogue
	variant int32 // which combination of options, or which instruction by people
	bound   int32 // in dollars, 0 for none
	weight  float64
}

// Goals is how many goals there are.
func (s *Shop) Goals() int { return len(s.wishes) }

// Goal is a goal by its number, the place in the shuffled order, counted from 0. It is made for the caller; its lists
// are the catalogue's. An error is the catalogue's.
func (s *Shop) Goal(number int) (*Goal, error) {
	w := s.wishes[number]
	p, err := s.catalogue.At(int(w.product))
	if err != nil {
		return nil, err
	}
	g := &Goal{
		ASIN: p.ASIN, Category: p.Category, Query: p.Query, Title: p.Title, CategoryPath: p.CategoryPath,
		PriceUpper: Unbounded, Human: s.cfg.Human, Weight: w.weight,
	}
	if s.cfg.Human {
		in := p.Human[w.variant]
		g.Text, g.Attributes = strings.Trim(in.Text, "."), in.Attributes
		for _, value := range in.Options {
			g.Options = append(g.Options, Choice{Value: value})
		}
	} else {
		g.Attributes, g.Options = p.Instruction.Attributes, combination(p.Options, int(w.variant))
		g.Text = p.Instruction.Text + said(g.Options)
	}
	if w.bound > 0 {
		g.PriceUpper = float64(w.bound)
		g.Text += fmt.Sprintf("%s%.2f dollars", priced, g.PriceUpper)
	}
	return g, nil
}

// priced is what the end of an instruction begins with, where it names a price.
const priced = ", and price lower than "

// said are options in the words of an instruction.
func said(options []Choice) string {
	var b strings.Builder
	for i, c := range options {
		if i == 0 {
			b.WriteString(" with ")
		} else {
			b.WriteString(", and ")
		}
		b.WriteString(c.Name)
		b.WriteString(": ")
		b.WriteString(c.Value)
	}
	return b.String()
}

// first is the variant of the same product that asks for the same as w and comes first: w's own, but where a value or
// an instruction stands twice.
func (s *Shop) first(w wish) (int32, error) {
	if one := s.catalogue.rows[w.product]; !s.cfg.Human && !one.repeats {
		return w.variant, nil
	}
	p, err := s.catalogue.At(int(w.product))
	switch {
	case err != nil:
		return 0, err
	case !s.cfg.Human:
		return int32(firstCombination(p.Options, int(w.variant))), nil
	}
	return int32(slices.IndexFunc(p.Human, func(in Instruction) bool { return in.asks(&p.Human[w.variant]) })), nil
}
