package catalogue

import (
	"slices"
	"strings"
)

// Query is query i over the first so many products. As in the queries recorded with the thousand products, one in five is an
// instruction, of some 24 distinct terms, and the others have 4 in the middle; their terms are as common as those of a
// product are, so they are taken from one. An instruction names a colour or a size, the commonest terms of all.
func (c Catalogue) Query(i, documents int) string {
	d := dice{^c.Seed, uint64(i)}
	ranks := c.ranks(int(d.below(uint64(documents))))
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)
	for at := len(ranks) - 1; at > 0; at-- {
		other := d.below(uint64(at) + 1)
		ranks[at], ranks[other] = ranks[other], ranks[at]
	}
	n := int(d.from(queryLengths))
	ranks = ranks[:min(n, len(ranks))]
	if n >= instruction {
		ranks[0] = uint32(d.below(2))
	}
	words := make([]string, len(ranks))
	for at, rank := range ranks {
		words[at] = word(rank)
	}
	return strings.Join(words, " ")
}

// instruction is the fewest distinct terms of an instruction.
const instruction = 17
