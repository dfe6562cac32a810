package webshop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-rl/hone/env/webshop/internal/mt19937"
)

// syntheticGoals makes a goal of every combination of options of every product that has an instruction. The goals of
// one product have one bound.
func (s *Shop) syntheticGoals(r *mt19937.Python) ([]Goal, error) {
	var goals []Goal
	carried := map[string]int{} // goals by attribute
	for i := range s.catalogue.products {
		p := &s.catalogue.products[i]
		if p.Instruction == nil {
			continue
		}
		b, err := drawBound(s.prices[i], r)
		if err != nil {
			return nil, err
		}
		combined := combinations(p.Options, maxGoals-len(goals))
		if combined == nil {
			return nil, fmt.Errorf("product %q: its options bring the catalogue over %d goals", p.ASIN, maxGoals)
		}
		for _, options := range combined {
			g := newGoal(p, p.Instruction, b)
			g.Options = options
			g.Text = p.Instruction.Text + said(options) + b.suffix
			goals = append(goals, g)
		}
		for _, a := range p.Instruction.Attributes {
			carried[a] += len(combined)
		}
	}
	for i := range goals {
		goals[i].Weight = weight(goals[i].Attributes, carried)
	}
	return goals, nil
}

// weight is the mean over the attributes of their rarity.
func weight(attributes []string, carried map[string]int) float64 {
	sum := 0.0
	for _, a := range attributes {
		sum += 1 / float64(carried[a])
	}
	return sum / float64(len(attributes))
}

// combinations are all choices of one value of each option, options by name, the values of the last changing fastest.
// Without options there is one combination, of nothing. Of more than most it returns nil.
func combinations(options []Option, most int) [][]Choice {
	options = slices.Clone(options)
	slices.SortFunc(options, func(a, b Option) int { return cmp.Compare(a.Name, b.Name) })
	n := 1
	for _, o := range options {
		if n *= len(o.Values); n > most {
			return nil
		}
	}
	if n > most {
		return nil
	}
	list := make([][]Choice, n)
	for i := range list {
		choices := make([]Choice, len(options))
		rest := i
		for k := len(options) - 1; k >= 0; k-- {
			values := options[k].Values
			choices[k] = Choice{options[k].Name, values[rest%len(values)]}
			rest /= len(values)
		}
		list[i] = choices
	}
	return list
}

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
