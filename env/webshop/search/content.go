package search

import (
	"encoding/binary"
	"sort"

	"github.com/hone-rl/hone/env/webshop/search/internal/postings"
)

// content is the bytes of an index, taken apart.
type content struct {
	lists, entries, termText, idEnds, idText, lengths []byte

	documents, counted int
	length, postings   int64
	norms              norms
}

func (c *content) terms() int { return len(c.entries) / entrySize }

// term is the text of the term at i.
func (c *content) term(i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = binary.LittleEndian.Uint32(c.entries[entrySize*(i-1):])
	}
	return c.termText[from:binary.LittleEndian.Uint32(c.entries[entrySize*i:])]
}

// list is the number of postings of the term at i, and where they begin.
func (c *content) list(i int) (count int, offset uint64) {
	entry := c.entries[entrySize*i:]
	return int(binary.LittleEndian.Uint32(entry[4:])), binary.LittleEndian.Uint64(entry[8:])
}

// find is the postings of a term, and in how many documents it is.
func (c *content) find(term string) (list postings.List, count int, ok bool) {
	i := sort.Search(c.terms(), func(i int) bool { return string(c.term(i)) >= term })
	if i == c.terms() || string(c.term(i)) != term {
		return postings.List{}, 0, false
	}
	count, offset := c.list(i)
	return postings.Open(c.lists[offset:], count), count, true
}

// id is that of the document at i.
func (c *content) id(i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = binary.LittleEndian.Uint32(c.idEnds[4*(i-1):])
	}
	return c.idText[from:binary.LittleEndian.Uint32(c.idEnds[4*i:])]
}

func (c *content) impact(p postings.Posting) float32 { return c.norms.impact(p, c.lengths) }
