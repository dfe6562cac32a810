package household

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
)

// dice draws numbers that depend on its name alone, on every machine and with every release of Go. The generator
// is SplitMix64 (Steele, Lea and Flood 2014), seeded by the name's SHA-256.
type dice struct{ state uint64 }

// newDice returns the dice of a name such as ("game", seed, split, index, attempt).
func newDice(name ...any) *dice {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", name))
	return &dice{state: binary.BigEndian.Uint64(sum[:])}
}

func (d *dice) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number of 0..n-1; n must be positive. The bias, n/2^64, is of no account here.
func (d *dice) below(n int) int {
	if n <= 0 {
		panic(fmt.Sprintf("household: draw below %d", n))
	}
	high, _ := bits.Mul64(d.next(), uint64(n))
	return int(high)
}

// unit returns a number in [0, 1).
func (d *dice) unit() float64 { return float64(d.next()>>11) / (1 << 53) }

// percent is true in p of 100 draws.
func (d *dice) percent(p int) bool { return d.below(100) < p }

// weighted returns an index drawn in proportion to weights; their sum must be positive.
func (d *dice) weighted(weights []int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	at := d.below(total)
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	panic("household: unreachable")
}

// order returns 0..n-1 shuffled.
func (d *dice) order(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := d.below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// curve is a distribution told by its deciles: the least, 10 %, 20 % … and the greatest value.
type curve [11]float64

// at returns the value below which the share u of the distribution lies, rounded.
func (c curve) at(u float64) int {
	x := min(max(u, 0), 1) * 10
	i := min(int(x), 9)
	return int(c[i] + (x-float64(i))*(c[i+1]-c[i]) + 0.5)
}
