package webshop

import (
	"fmt"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/webshop/internal/mt19937"
)

// maxGoals bounds the goals of a shop: the options of one product may combine to any number.
const maxGoals = 1 << 25

// syntheticWishes makes a goal of every combination of options of every product that has an instruction. The goals of
// one product have one price bound.
func (s *Shop) syntheticWishes(r *mt19937.Python) error {
	carried := map[string]int{} // goals by attribute
	for i, one := range s.catalogue.rows {
		if !one.asked {
			continue
		}
		p, err := s.catalogue.At(i)
		if err != nil {
			return err
		}
		bound, err := drawBound(s.prices[i], r)
		if err != nil {
			return err
		}
		n := combinations(p.Options, maxGoals)
		if len(s.wishes)+n > maxGoals {
			return fmt.Errorf("%w: product %q: its options bring the catalogue over %d goals", env.ErrBadGame, p.ASIN, maxGoals)
		}
		for k := range n {
			s.wishes = append(s.wishes, wish{product: int32(i), variant: int32(k), bound: bound})
		}
		for _, a := range p.Instruction.Attributes {
			carried[a] += n
		}
	}
	for i := 0; i < len(s.wishes); {
		at := s.wishes[i].product
		p, err := s.catalogue.At(int(at))
		if err != nil {
			return err
		}
		each := weight(p.Instruction.Attributes, carried)
		for ; i < len(s.wishes) && s.wishes[i].product == at; i++ {
			s.wishes[i].weight = each
		}
	}
	return nil
}

// weight is the mean over the attributes of their rarity.
func weight(attributes []string, carried map[string]int) float64 {
	sum := 0.0
	for _, a := range attributes {
		sum += 1 / float64(carried[a])
	}
	return sum / float64(len(attributes))
}

// humanWishes makes a goal of every instruction by people that asks for an attribute.
func (s *Shop) humanWishes(r *mt19937.Python) error {
	for i, one := range s.catalogue.rows {
		if !one.byPeople {
			continue
		}
		p, err := s.catalogue.At(i)
		if err != nil {
			return err
		}
		for k, in := range p.Human {
			if len(in.Attributes) == 0 {
				continue
			}
			bound, err := drawBound(s.prices[i], r)
			if err != nil {
				return err
			}
			s.wishes = append(s.wishes, wish{product: int32(i), variant: int32(k), bound: bound, weight: 1})
		}
	}
	return nil
}

// Of the multiples of ten up to the highest, those near a price are candidates for its bound.
const (
	boundStep, highestBound = 10, 990
	boundCandidates         = 4
)

// drawBound draws the bound for a price, in dollars: the larger of two of the next multiples of ten above it. Where
// there are not two, nothing is drawn and the bound is 0, for none.
func drawBound(price float64, r *mt19937.Python) (int32, error) {
	first := boundStep
	for first <= highestBound && float64(first) <= price {
		first += boundStep
	}
	n := min(boundCandidates, (highestBound-first)/boundStep+1)
	if n < 2 {
		return 0, nil
	}
	two, err := r.Sample(n, 2)
	if err != nil {
		return 0, err
	}
	return int32(first + boundStep*max(two[0], two[1])), nil
}
