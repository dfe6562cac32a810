// Package postings packs, for each term of an index, which documents have it and how often, in blocks of 128 that can be
// passed over: each says its last document and the highest impact in it.
//
// A list of more than one block begins with a table, 12 bytes a block: the last document, the end of the block counted from
// the first block's first byte (both 32 bits), the highest impact (32-bit float). A block is a byte with the width of
// a document in bits, another with that of a frequency, the documents, each counted from the one after the last document
// of the block before (from 0 in the first block), and the frequencies, each less 1. Both start at a byte; numbers are
// little-endian. After the last list there must be Padding bytes.
package postings

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// BlockSize is the number of postings in every block of a list but the last.
const BlockSize = 128

// Padding is how many bytes there must be after the last list, so that a number may be read by 8 bytes anywhere.
const Padding = 8

const entrySize = 12

// Posting says that a document has a term.
type Posting struct {
	Doc  uint32 // counted from 0
	Freq uint32 // how often, at least 1
}

// Impact is what a posting counts for in a score: the higher it is, the higher the score.
type Impact func(Posting) float32

// Append appends the packed form of list, which is sorted by document, each at most once, and not empty.
func Append(b []byte, list []Posting, impact Impact) []byte {
	if len(list) <= BlockSize {
		return appendBlock(b, list, 0)
	}
	table := len(b)
	b = append(b, make([]byte, entrySize*blocks(len(list)))...)
	first, base := len(b), uint32(0)
	for at := table; len(list) > 0; at += entrySize {
		block := list[:min(BlockSize, len(list))]
		list = list[len(block):]
		b = appendBlock(b, block, base)
		highest := float32(0)
		for _, p := range block {
			highest = max(highest, impact(p))
		}
		last := block[len(block)-1].Doc
		binary.LittleEndian.PutUint32(b[at:], last)
		binary.LittleEndian.PutUint32(b[at+4:], uint32(len(b)-first)) //nolint:gosec // below 2^31 documents of 8 bytes, packed
		binary.LittleEndian.PutUint32(b[at+8:], math.Float32bits(highest))
		base = last + 1
	}
	return b
}

func appendBlock(b []byte, block []Posting, base uint32) []byte {
	var docs, freqs [BlockSize]uint32
	var widest uint32
	for i, p := range block {
		docs[i], freqs[i] = p.Doc-base, p.Freq-1
		widest |= freqs[i]
	}
	docWidth, freqWidth := bits.Len32(docs[len(block)-1]), bits.Len32(widest)
	b = append(b, byte(docWidth), byte(freqWidth))
	b = pack(b, docs[:len(block)], docWidth)
	return pack(b, freqs[:len(block)], freqWidth)
}

func blocks(count int) int { return (count + BlockSize - 1) / BlockSize }
