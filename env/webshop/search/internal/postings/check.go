package postings

import (
	"fmt"
	"math"
)

// Size is what a list takes and holds.
type Size struct {
	Bytes int   // of the packed form
	Terms int64 // the sum of the frequencies
}

// Check looks through everything in the list of count postings that b begins with, of an index of so many documents. What
// Open gives of a list that it has no error for can be read without a fault.
func Check(b []byte, count, documents int, impact Impact) (Size, error) {
	if count < 1 || count > documents {
		return Size{}, fmt.Errorf("%d postings, expected 1 to %d", count, documents)
	}
	c := checker{documents: uint64(documents), impact: impact}
	if count <= BlockSize {
		end, err := c.block(b, count)
		return Size{end, c.terms}, err
	}
	table := entrySize * blocks(count)
	if len(b)-Padding < table {
		return Size{}, fmt.Errorf("%d bytes, expected a table of %d", len(b), table)
	}
	list := Open(b, count)
	at := 0
	for i := range blocks(count) {
		c.highest = 0
		size, err := c.block(list.blocks[at:], min(BlockSize, count-i*BlockSize))
		at += size
		switch {
		case err != nil:
			return Size{}, fmt.Errorf("block %d: %w", i, err)
		case list.end(i) != at:
			return Size{}, fmt.Errorf("block %d ends at %d, expected %d", i, list.end(i), at)
		case uint64(list.last(i))+1 != c.next:
			return Size{}, fmt.Errorf("the last document of block %d is %d, expected %d", i, list.last(i), c.next-1)
		case math.Float32bits(list.impact(i)) != math.Float32bits(c.highest):
			return Size{}, fmt.Errorf("the highest impact of block %d is %v, expected %v", i, list.impact(i), c.highest)
		}
	}
	return Size{table + at, c.terms}, nil
}

type checker struct {
	documents uint64
	impact    Impact
	next      uint64  // the lowest document that may come
	terms     int64   // so far
	highest   float32 // impact so far
}

// block checks one and returns its size in bytes.
func (c *checker) block(b []byte, count int) (int, error) {
	if len(b) < 2+Padding {
		return 0, fmt.Errorf("%d bytes, expected a block", len(b))
	}
	docWidth, freqWidth := int(b[0]), int(b[1])
	size := 2 + packed(count, docWidth) + packed(count, freqWidth)
	if docWidth > 32 || freqWidth > 32 || len(b)-Padding < size {
		return 0, fmt.Errorf("%d postings of %d and %d bits in %d bytes", count, docWidth, freqWidth, len(b))
	}
	freqs, _ := frequencies(b, count)
	base := c.next
	for i := range count {
		doc := base + uint64(number(b[2:], i, docWidth))
		freq := uint64(number(freqs, i, freqWidth)) + 1
		if doc < c.next || doc >= c.documents || freq > math.MaxUint32 {
			return 0, fmt.Errorf("document %d with frequency %d after document %d of %d", doc, freq, int64(c.next)-1, c.documents)
		}
		c.next = doc + 1
		c.terms += int64(freq)
		c.highest = max(c.highest, c.impact(Posting{uint32(doc), uint32(freq)}))
	}
	return size, nil
}
