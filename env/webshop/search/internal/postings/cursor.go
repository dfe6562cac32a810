package postings

import "slices"

// Cursor goes through a list, forwards only. It is large and meant to be used again.
type Cursor struct {
	list    List
	highest float32 // impact in a list of one block
	block   int     // the first whose last document has not been passed
	loaded  int     // the block that is unpacked, -1 for none
	count   int     // of postings in it
	docs    [BlockSize]uint32
	freqs   [BlockSize]uint32
}

// Reset sets the cursor before the first posting of list.
func (c *Cursor) Reset(list List, impact Impact) {
	c.list, c.block, c.loaded = list, 0, -1
	if len(list.table) > 0 {
		return
	}
	c.load()
	c.highest = 0
	for i, doc := range c.docs[:c.count] {
		c.highest = max(c.highest, impact(Posting{doc, c.freqs[i]}))
	}
}

func (c *Cursor) blocks() int { return blocks(c.list.count) }

func (c *Cursor) last(block int) uint32 {
	if len(c.list.table) == 0 {
		return c.docs[c.count-1]
	}
	return c.list.last(block)
}

func (c *Cursor) impact(block int) float32 {
	if len(c.list.table) == 0 {
		return c.highest
	}
	return c.list.impact(block)
}

// Seek goes to the block that would hold doc and returns the highest impact in it, 0 where all blocks have been passed.
func (c *Cursor) Seek(doc uint32) float32 {
	n := c.blocks()
	if c.block < n && c.last(c.block) < doc { // leap ahead, twice as far each time, then halve what is between
		low, step := c.block, 1
		for low+step < n && c.last(low+step) < doc {
			low += step
			step *= 2
		}
		high := min(low+step, n)
		for low++; low < high; {
			if mid := (low + high) / 2; c.last(mid) < doc {
				low = mid + 1
			} else {
				high = mid
			}
		}
		c.block = low
	}
	if c.block == n {
		return 0
	}
	return c.impact(c.block)
}

// Bound is the highest impact in the blocks that may hold documents from low to before high, 0 where there is none.
func (c *Cursor) Bound(low, high uint32) float32 {
	bound := c.Seek(low)
	if len(c.list.table) == 0 {
		if bound > 0 && c.docs[c.search(low)] >= high {
			return 0
		}
		return bound
	}
	n := c.blocks()
	if c.block > 0 && c.block < n && c.list.last(c.block-1) >= high-1 {
		return 0
	}
	for i := c.block; i+1 < n && c.list.last(i) < high-1; i++ {
		bound = max(bound, c.list.impact(i+1))
	}
	return bound
}

// Take gives the postings from low to before high that are in one block, the first that has any. They are the cursor's own,
// good until it moves.
func (c *Cursor) Take(low, high uint32) (docs, freqs []uint32) {
	c.Seek(low)
	if c.block == c.blocks() {
		return nil, nil
	}
	if c.loaded != c.block {
		c.load()
	}
	from, to := c.search(low), c.count
	if c.docs[to-1] >= high {
		to = from + lower(c.docs[from:to], high)
	}
	return c.docs[from:to], c.freqs[from:to]
}

// Freq is how often doc has the term. The cursor must be at its block, by Seek.
func (c *Cursor) Freq(doc uint32) uint32 {
	if c.block == c.blocks() {
		return 0
	}
	if c.loaded == c.block {
		if i := c.search(doc); i < c.count && c.docs[i] == doc {
			return c.freqs[i]
		}
		return 0
	}
	b, base, count := c.list.block(c.block)
	if doc < base {
		return 0
	}
	width := int(b[0])
	low, high := 0, count
	for low < high {
		if mid := (low + high) / 2; number(b[2:], mid, width) < doc-base {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == count || number(b[2:], low, width) != doc-base {
		return 0
	}
	freqs, width := frequencies(b, count)
	return number(freqs, low, width) + 1
}

func (c *Cursor) load() {
	b, base, count := c.list.block(c.block)
	unpack(c.docs[:count], b[2:], int(b[0]), base)
	freqs, width := frequencies(b, count)
	unpack(c.freqs[:count], freqs, width, 1)
	c.loaded, c.count = c.block, count
}

// search is where doc is, or would be, in the block that is unpacked.
func (c *Cursor) search(doc uint32) int { return lower(c.docs[:c.count], doc) }

func lower(docs []uint32, doc uint32) int {
	i, _ := slices.BinarySearch(docs, doc)
	return i
}
