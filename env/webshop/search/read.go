package search

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/hone-rl/hone/env/webshop/search/internal/postings"
)

// read takes the bytes of an index apart and looks through all of them, so that no search meets a fault: 1.18 million
// documents take about a second.
func read(data []byte) (c content, err error) {
	h, err := readHeader(data)
	if err != nil {
		return content{}, err
	}
	var parts [sections][]byte
	for i, s := range h.sections {
		parts[i] = data[s.offset : s.offset+s.length : s.offset+s.length]
		if got := crc32.Checksum(parts[i], castagnoli); got != s.sum {
			return content{}, fmt.Errorf("%s: checksum %08x, expected %08x", sectionNames[i], got, s.sum)
		}
	}
	c = content{
		lists: parts[sectionLists], entries: parts[sectionTerms], termText: parts[sectionTermText],
		idEnds: parts[sectionIDs], idText: parts[sectionIDText], lengths: parts[sectionLengths],
		length: int64(h.length), postings: int64(h.postings), //nolint:gosec // compared below with what is there
	}
	if err := c.count(h); err != nil {
		return content{}, err
	}
	if err := ascending("id", c.documents, c.idEnds, 4, c.idText); err != nil {
		return content{}, err
	}
	if err := ascending("term", c.terms(), c.entries, entrySize, c.termText); err != nil {
		return content{}, err
	}
	return c, c.checkLists()
}

// count compares the header's numbers with the sizes of the sections, and sets what follows from them.
func (c *content) count(h header) error {
	switch {
	case h.documents > maxDocuments || h.documents != uint64(len(c.lengths)) || 4*h.documents != uint64(len(c.idEnds)):
		return fmt.Errorf("%d documents, with %d bytes of ids and %d of lengths", h.documents, len(c.idEnds), len(c.lengths))
	case len(c.entries)%entrySize != 0 || h.terms != uint64(len(c.entries)/entrySize):
		return fmt.Errorf("%d terms in %d bytes", h.terms, len(c.entries))
	case h.length > math.MaxInt64 || h.postings > math.MaxInt64:
		return fmt.Errorf("%d postings and a length of %d", h.postings, h.length)
	}
	c.documents = len(c.lengths)
	c.counted = c.documents - bytes.Count(c.lengths, []byte{0})
	if h.counted != uint64(c.counted) { //nolint:gosec // at least 0
		return fmt.Errorf("%d documents with a term, expected %d", h.counted, c.counted)
	}
	c.norms = newNorms(averageLength(c.length, c.counted))
	return nil
}

// ascending checks texts that must be in ascending order, each at most once and none empty. The end of each in text stands
// at the beginning of every so many bytes of ends.
func ascending(what string, count int, ends []byte, size int, text []byte) error {
	var before []byte
	from := uint32(0)
	for i := range count {
		end := binary.LittleEndian.Uint32(ends[size*i:])
		if end <= from || uint64(end) > uint64(len(text)) {
			return fmt.Errorf("%s %d ends at %d, expected more than %d and at most %d", what, i, end, from, len(text))
		}
		now := text[from:end]
		if bytes.Compare(before, now) >= 0 {
			return fmt.Errorf("%s %d is %q after %q, expected ascending order", what, i, now, before)
		}
		before, from = now, end
	}
	if uint64(from) != uint64(len(text)) {
		return fmt.Errorf("%d bytes of %s text, expected %d", len(text), what, from)
	}
	return nil
}

func (c *content) checkLists() error {
	var sum postings.Size
	total := int64(0)
	for i := range c.terms() {
		count, offset := c.list(i)
		if offset != uint64(sum.Bytes) { //nolint:gosec // at least 0
			return fmt.Errorf("the postings of %q are at %d, expected %d", c.term(i), offset, sum.Bytes)
		}
		size, err := postings.Check(c.lists[sum.Bytes:], count, c.documents, c.impact)
		if err != nil {
			return fmt.Errorf("the postings of %q: %w", c.term(i), err)
		}
		sum.Bytes += size.Bytes
		sum.Terms += size.Terms
		total += int64(count)
	}
	if sum.Bytes+postings.Padding != len(c.lists) || total != c.postings || sum.Terms != c.length {
		return fmt.Errorf("%d postings of %d terms in %d bytes, expected %d, %d, %d", total, sum.Terms, sum.Bytes+postings.Padding,
			c.postings, c.length, len(c.lists))
	}
	return nil
}
