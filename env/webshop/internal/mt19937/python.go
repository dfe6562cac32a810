package mt19937

import "math/bits"

// Python is random.Random of Python 3.11.
type Python struct{ t twister }

// NewPython returns random.Random(seed). A seed and its negative give the same numbers, as there.
func NewPython(seed int64) *Python {
	size := uint64(seed)
	if seed < 0 {
		size = -size
	}
	key := []uint32{uint32(size), uint32(size >> 32)}
	if key[1] == 0 {
		key = key[:1]
	}
	p := new(Python)
	p.t.seedWords(key)
	return p
}

// Float is random(): a number in [0, 1).
func (p *Python) Float() float64 {
	high, low := uint64(p.t.next()>>5), uint64(p.t.next()>>6)
	return float64(high<<26|low) / (1 << 53)
}

// Uniform is uniform(a, b).
func (p *Python) Uniform(a, b float64) float64 {
	return a + float64((b-a)*p.Float()) // the conversion keeps the two roundings where a machine could fuse them
}

// Bits is getrandbits(k) for k from 1 to 64. A lower k draws nothing and gives 0, a higher one counts as 64.
func (p *Python) Bits(k int) uint64 {
	if k <= 0 {
		return 0
	}
	k = min(k, 64)
	if k <= 32 {
		return uint64(p.t.next() >> (32 - k))
	}
	low := uint64(p.t.next())
	return low | uint64(p.t.next()>>(64-k))<<32
}

// Below is randrange(n): a number of 0..n-1. With n of 0 or less, which is an error in Python, it draws nothing and
// gives 0.
func (p *Python) Below(n int) int {
	if n <= 0 {
		return 0
	}
	k := bits.Len(uint(n))
	for {
		if r := p.Bits(k); r < uint64(n) {
			return int(r)
		}
	}
}

// Shuffle is shuffle of a list of n things; swap exchanges two of them. With fewer than two it draws nothing.
func (p *Python) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, p.Below(i+1))
	}
}
