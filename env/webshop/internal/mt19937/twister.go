// Package mt19937 draws the numbers that Python's random module and NumPy's RandomState draw from a seed. Both are the
// Mersenne Twister of Matsumoto and Nishimura (1998), seeded in two ways. What is here are the draws that WebShop makes
// (specification, "Randomness", and "How verl-agent drives it" for NumPy). A generator belongs to one goroutine.
package mt19937

const (
	words = 624 // of the state
	ahead = 397 // how far ahead of a word the one lies that it is mixed with
)

// twister is the generator that the two kinds share: 32 bits a draw.
type twister struct {
	state [words]uint32
	at    int // the next word to give; words when all are used up
}

// seedNumber is init_genrand of the reference code.
func (t *twister) seedNumber(seed uint32) {
	t.state[0] = seed
	for i := 1; i < words; i++ {
		last := t.state[i-1]
		t.state[i] = 1812433253*(last^last>>30) + uint32(i)
	}
	t.at = words
}

// seedWords is init_by_array of the reference code; key has at least one word.
func (t *twister) seedWords(key []uint32) {
	t.seedNumber(19650218)
	i := 1
	step := func(factor, add uint32) {
		last := t.state[i-1]
		t.state[i] = (t.state[i] ^ (last^last>>30)*factor) + add
		if i++; i == words {
			t.state[0] = t.state[words-1]
			i = 1
		}
	}
	for k := range max(words, len(key)) {
		j := k % len(key)
		step(1664525, key[j]+uint32(j))
	}
	for range words - 1 {
		step(1566083941, -uint32(i))
	}
	t.state[0] = 1 << 31
}

// next is the next 32 bits.
func (t *twister) next() uint32 {
	if t.at == words {
		t.twist()
	}
	y := t.state[t.at]
	t.at++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (t *twister) twist() {
	for i := range t.state {
		y := t.state[i]&(1<<31) | t.state[(i+1)%words]&(1<<31-1)
		mixed := t.state[(i+ahead)%words] ^ y>>1
		if y&1 == 1 {
			mixed ^= 0x9908b0df
		}
		t.state[i] = mixed
	}
	t.at = 0
}
