package mt19937

import (
	"fmt"
	"math/bits"
)

// NumPy is numpy.random.RandomState, which NumPy keeps as it was in 1.16.
type NumPy struct{ t twister }

// NewNumPy returns RandomState(seed).
func NewNumPy(seed uint32) *NumPy {
	p := new(NumPy)
	p.t.seedNumber(seed)
	return p
}

// mostShuffled is how many numbers one call shuffles at most.
const mostShuffled = 1 << 24

// Choice is choice(range(from, to), size, replace=False): it shuffles all of the range and gives the first of it.
func (p *NumPy) Choice(from, to, size int) ([]int, error) {
	n := to - from
	if from < 0 || n < 0 || n > mostShuffled {
		return nil, fmt.Errorf("choose of %d to %d: expected a range of at most %d numbers from 0 up", from, to, mostShuffled)
	}
	if size < 0 || size > n {
		return nil, fmt.Errorf("choose %d of the %d numbers from %d: expected 0 to %d", size, n, from, n)
	}
	list := numbers(from, to)
	for i := n - 1; i > 0; i-- {
		j := p.upTo(uint32(i))
		list[i], list[j] = list[j], list[i]
	}
	return list[:size:size], nil
}

// upTo is a number of 0..most, by rejection of what has too many bits left after masking.
func (p *NumPy) upTo(most uint32) uint32 {
	mask := uint32(1)<<bits.Len32(most) - 1
	for {
		if r := p.t.next() & mask; r <= most {
			return r
		}
	}
}
