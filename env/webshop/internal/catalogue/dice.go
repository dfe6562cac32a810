package catalogue

import (
	"math/bits"
	"sort"
)

// dice are drawn by SplitMix64 (Steele, Lea and Flood 2014), a stream for each number at.
type dice struct {
	seed, at uint64
}

func (d *dice) next() uint64 {
	d.seed += 0x9E3779B97F4A7C15
	z := d.seed ^ d.at*0xD1342543DE82EF95
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// below draws from 0 to before n.
func (d *dice) below(n uint64) uint64 {
	high, _ := bits.Mul64(d.next(), n)
	return high
}

// knot is a point of a distribution: so many of its table's last share are below value.
type knot struct {
	value, share uint64
}

// from draws from a distribution that is even between its knots.
func (d *dice) from(table []knot) uint64 {
	at := d.below(table[len(table)-1].share)
	i := sort.Search(len(table), func(i int) bool { return table[i].share > at })
	return table[i-1].value + d.below(table[i].value-table[i-1].value)
}
