package postings

import (
	"encoding/binary"
	"math"
)

// List is a packed list that Check has found to be well.
type List struct {
	table  []byte // empty where there is one block
	blocks []byte // from the first block on
	count  int    // of postings
}

// Open is the list of count postings that b begins with.
func Open(b []byte, count int) List {
	l := List{blocks: b, count: count}
	if count > BlockSize {
		size := entrySize * blocks(count)
		l.table, l.blocks = b[:size:size], b[size:]
	}
	return l
}

func (l *List) last(block int) uint32 {
	return binary.LittleEndian.Uint32(l.table[entrySize*block:])
}

// end is where a block ends in blocks.
func (l *List) end(block int) int {
	return int(binary.LittleEndian.Uint32(l.table[entrySize*block+4:]))
}

func (l *List) impact(block int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(l.table[entrySize*block+8:]))
}

// block is where one begins, the document that its own are counted from, and how many postings it has.
func (l *List) block(i int) (b []byte, base uint32, count int) {
	if i == 0 {
		return l.blocks, 0, min(BlockSize, l.count)
	}
	return l.blocks[l.end(i-1):], l.last(i-1) + 1, min(BlockSize, l.count-i*BlockSize)
}

// frequencies are those of a block of count postings.
func frequencies(block []byte, count int) (b []byte, width int) {
	return block[2+packed(count, int(block[0])):], int(block[1])
}
