package webshop

import (
	"cmp"
	"slices"
)

// byName are options in the order of instructions.
func byName(options []Option) []Option {
	return slices.SortedFunc(slices.Values(options), func(a, b Option) int { return cmp.Compare(a.Name, b.Name) })
}

// combinations is in how many ways one value of each option can be chosen: one without options. More than most count
// as most+1.
func combinations(options []Option, most int) int {
	n := 1
	for _, o := range options {
		if len(o.Values) == 0 {
			return 0
		}
		n = min(n*len(o.Values), most+1)
	}
	return n
}

// combination is one of them, options by name, the values of the last changing fastest.
func combination(options []Option, which int) []Choice {
	options = byName(options)
	choices := make([]Choice, len(options))
	for k, o := range slices.Backward(options) {
		choices[k] = Choice{o.Name, o.Values[which%len(o.Values)]}
		which /= len(o.Values)
	}
	return choices
}

// firstCombination is the first one with the same choices.
func firstCombination(options []Option, which int) int {
	first, size := 0, 1
	for _, o := range slices.Backward(byName(options)) {
		n := len(o.Values)
		first += size * slices.Index(o.Values, o.Values[which%n])
		which, size = which/n, size*n
	}
	return first
}
