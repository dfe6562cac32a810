package search

import (
	"math"
	"math/bits"

	"github.com/hone-rl/hone/env/webshop/search/internal/postings"
)

// BM25 as Lucene 9 computes it: each step in the precision that Lucene has there, so that scores agree to the last bit. A
// conversion around a product keeps Go from adding to it without rounding it first.

// Anserini's parameters. They are variables so that what is made of them is rounded as at run time.
var (
	k1 float32 = 0.9
	b  float32 = 0.4
)

// norms is the factor of a frequency by the encoded length of its document.
type norms [256]float32

func newNorms(average float32) (n norms) {
	for code := range n {
		length := float32(decodeLength(byte(code)))
		n[code] = 1 / float32(k1*((1-b)+float32(b*length)/average))
	}
	return n
}

// averageLength is of the documents that have a term.
func averageLength(length int64, counted int) float32 {
	if counted == 0 {
		return 1
	}
	return float32(float64(length) / float64(counted))
}

// impact is what the score of a posting depends on apart from its term's weight. A higher one never scores lower, since
// each step of score rounds, and rounding keeps the order.
func (n *norms) impact(p postings.Posting, lengths []byte) float32 {
	return float32(float32(p.Freq) * n[lengths[p.Doc]])
}

// score is what a posting adds to a document.
func score(weight, impact float32) float32 {
	return weight - weight/(1+impact)
}

// weight is that of a term which count times stands in the query and which found of all documents have.
func weight(count, found, all int) float32 {
	idf := float32(math.Log(1 + (float64(all)-float64(found)+0.5)/(float64(found)+0.5)))
	return float32(float32(count) * idf)
}

// exact reports whether the scores that postings of these weights can have are added without rounding, in float64, so that
// their order does not matter.
//
// Let u be the distance from a weight w, a float32, to the next below its power of two: 2^(e-23) where w is in [2^e, 2^(e+1)).
// In w - q, q = w/(1+x) is at most w. Where q >= w/2 the difference is exact, and both are multiples of u/2. Where q < w/2
// the result is at least w/2, so it is a float32 whose last place is u/2 or more. So each score is a multiple of u/2 of the
// smallest weight, and sums of them are exact as long as the sum of all weights is at most 2^53 times that.
func exact(weights []float32) bool {
	if len(weights) == 0 {
		return true
	}
	smallest, sum := weights[0], 0.0
	for _, w := range weights {
		smallest = min(smallest, w)
		sum += float64(w)
	}
	_, exponent := math.Frexp(float64(smallest)) // in [2^(exponent-1), 2^exponent)
	return sum <= math.Ldexp(1, exponent-1-24+53)
}

// exactLengths is how many lengths Lucene's byte keeps as they are: beyond, each code stands for the highest four bits
// of what the length exceeds them by (SmallFloat).
const exactLengths = 24

func encodeLength(n int) byte {
	if n < exactLengths {
		return byte(n)
	}
	above := uint32(min(n, math.MaxInt32) - exactLengths)
	if shift := bits.Len32(above) - 4; shift >= 0 {
		above = above>>shift&7 | uint32(shift+1)<<3
	}
	return exactLengths + byte(above)
}

// decodeLength is the lowest length with this code.
func decodeLength(code byte) int {
	if code < exactLengths {
		return int(code)
	}
	above := int(code - exactLengths)
	if shift := above>>3 - 1; shift >= 0 {
		above = (above&7 | 8) << shift
	}
	return exactLengths + above
}
