package search

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"github.com/hone-rl/hone/env/webshop/search/internal/postings"
)

// file is what an index is written to.
type file interface {
	io.Writer
	io.WriterAt
}

// write writes the index of the documents that were read.
func (b *builder) write(ctx context.Context, f file) error {
	c, ranks, err := b.rank()
	if err != nil {
		return err
	}
	if _, err := f.Write(make([]byte, headerSize)); err != nil {
		return err
	}
	w := &writer{out: bufio.NewWriterSize(f, 1<<20), at: headerSize, begin: headerSize}
	if err := b.writeLists(ctx, w, &c, ranks); err != nil {
		return err
	}
	h := header{
		documents: uint64(c.documents), counted: uint64(c.counted), length: uint64(c.length), //nolint:gosec // counts
		terms: uint64(c.terms()), postings: uint64(c.postings), //nolint:gosec // counts
	}
	w.end(&h.sections[sectionLists])
	for i, part := range [][]byte{c.entries, c.termText, c.idEnds, c.idText, c.lengths} {
		w.write(part)
		w.end(&h.sections[sectionTerms+i])
	}
	if err := errors.Join(w.err, w.out.Flush()); err != nil {
		return err
	}
	_, err = f.WriteAt(h.bytes(), 0)
	return err
}

// rank gives the documents their final numbers, by their ids: ranks has the number of each in the order in which they came.
func (b *builder) rank() (c content, ranks []uint32, err error) {
	n := len(b.ids)
	if b.idSize > math.MaxUint32 {
		return c, nil, fmt.Errorf("%d bytes of ids, expected at most %d", b.idSize, uint32(math.MaxUint32))
	}
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i) //nolint:gosec // at most 2^31-1
	}
	slices.SortStableFunc(order, func(x, y uint32) int {
		switch a, b := b.ids[x], b.ids[y]; {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	})
	c = content{documents: n, length: b.length, lengths: make([]byte, n), idText: make([]byte, 0, b.idSize), idEnds: make([]byte, 0, 4*n)}
	ranks = make([]uint32, n)
	for i, doc := range order {
		id := b.ids[doc]
		if i > 0 && id == b.ids[order[i-1]] {
			return c, nil, fmt.Errorf("documents %d and %d have the id %q", order[i-1]+1, doc+1, id)
		}
		ranks[doc] = uint32(i) //nolint:gosec // at most 2^31-1
		c.lengths[i] = b.lengths[doc]
		if c.lengths[i] > 0 {
			c.counted++
		}
		c.idText = append(c.idText, id...)
		c.idEnds = binary.LittleEndian.AppendUint32(c.idEnds, uint32(len(c.idText))) //nolint:gosec // see above
	}
	c.norms = newNorms(averageLength(c.length, c.counted))
	b.ids = b.ids[:0:0] // the longest part of what is needed no more
	return c, ranks, nil
}

// writeLists writes the postings of all terms and notes the terms in c.
func (b *builder) writeLists(ctx context.Context, w *writer, c *content, ranks []uint32) error {
	var packed []byte
	err := b.merge(func(term string, list []postings.Posting) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range list {
			list[i].Doc = ranks[list[i].Doc]
		}
		slices.SortFunc(list, func(x, y postings.Posting) int { return int(x.Doc) - int(y.Doc) })
		c.termText = append(c.termText, term...)
		if len(c.termText) > math.MaxUint32 {
			return fmt.Errorf("more than %d bytes of terms", uint32(math.MaxUint32))
		}
		c.entries = binary.LittleEndian.AppendUint32(c.entries, uint32(len(c.termText))) //nolint:gosec // see above
		c.entries = binary.LittleEndian.AppendUint32(c.entries, uint32(len(list)))       //nolint:gosec // at most one a document
		c.entries = binary.LittleEndian.AppendUint64(c.entries, w.at-headerSize)
		packed = postings.Append(packed[:0], list, c.impact)
		w.write(packed)
		c.postings += int64(len(list))
		if c.terms()%(1<<14) == 0 {
			b.tell(c.postings, 0)
		}
		return w.err
	})
	if err != nil {
		return err
	}
	b.tell(c.postings, 0)
	w.write(make([]byte, postings.Padding))
	return w.err
}

// writer writes sections and sums them up.
type writer struct {
	out   *bufio.Writer
	at    uint64 // in the file
	begin uint64 // of the section
	sum   uint32
	err   error // the first one
}

func (w *writer) write(p []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(p)
	}
	w.at += uint64(len(p))
	w.sum = crc32.Update(w.sum, castagnoli, p)
}

// end ends a section.
func (w *writer) end(s *section) {
	*s = section{w.begin, w.at - w.begin, w.sum}
	w.begin, w.sum = w.at, 0
}
