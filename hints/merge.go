package hints

import (
	"fmt"
	"io"
	"iter"
)

// numbered is a record with its line as written.
type numbered struct {
	record Record
	text   []byte // with its line break; good until the next of its chunk
}

// merged yields the records of all chunks sorted by game. In each chunk games must stand sorted by id, each with its
// steps from 1 on without a gap, then its detours by number, with steps without a gap. No game may be in two chunks.
// Errors name chunk and line, both from 1.
func merged(chunks []io.Reader) iter.Seq2[numbered, error] {
	return func(yield func(numbered, error) bool) {
		heads := make([]*head, len(chunks))
		for i, c := range chunks {
			h := &head{chunk: i + 1}
			next, stop := iter.Pull2(lines(c))
			defer stop()
			h.next = next
			if err := h.advance(); err != nil {
				yield(numbered{}, err)
				return
			}
			heads[i] = h
		}
		last := ""
		for {
			at := lowest(heads)
			if at == nil {
				return
			}
			if at.now.record.Step == 1 && at.now.record.Game == last {
				yield(numbered{}, fmt.Errorf("chunk %d line %d: game %s is in another chunk, too", at.chunk, at.line, last))
				return
			}
			last = at.now.record.Game
			if !yield(at.now, nil) {
				return
			}
			if err := at.advance(); err != nil {
				yield(numbered{}, err)
				return
			}
		}
	}
}

// head is the next record of a chunk.
type head struct {
	chunk, line int
	next        func() (line, error, bool)
	now         numbered
	ended       bool
}

func (h *head) advance() error {
	before := h.now.record
	l, err, ok := h.next()
	if !ok {
		h.ended = true
		return nil
	}
	h.line = l.number
	var r Record
	if err == nil {
		r, err = decode(l.text)
	}
	switch {
	case err != nil:
	case r.Game == before.Game && r.Detour > before.Detour: // a detour begins where it left the plan
	case r.Game == before.Game && r.Detour < before.Detour:
		err = fmt.Errorf("detour %d of %s after detour %d: expected them sorted by number", r.Detour, r.Game, before.Detour)
	case r.Game == before.Game && r.Step != before.Step+1, r.Game != before.Game && (r.Step != 1 || r.Detour != 0):
		err = fmt.Errorf("step %d of %s after step %d of %q: expected a game's steps from 1 on, one by one", r.Step, r.Game, before.Step, before.Game)
	case r.Game < before.Game:
		err = fmt.Errorf("game %s after %s: expected games sorted by id", r.Game, before.Game)
	}
	if err != nil {
		return fmt.Errorf("chunk %d line %d: %w", h.chunk, l.number, err)
	}
	h.now = numbered{r, l.text}
	return nil
}

func lowest(heads []*head) *head {
	var least *head
	for _, h := range heads {
		if !h.ended && (least == nil || h.now.record.Game < least.now.record.Game) {
			least = h
		}
	}
	return least
}
