package tokenizer

import "sync"

// pair is two neighbouring tokens.
type pair struct{ left, right int32 }

// merge says that a pair becomes one token. Its place in the list is its rank: the lowest is done first.
type merge struct {
	pair
	id int32
}

// result is a merge as the encoder looks it up.
type result struct{ rank, id int32 }

// encodePiece appends the ids of one piece.
func (t *Tokenizer) encodePiece(ids []int32, piece string) []int32 {
	if len(piece) == 1 {
		return append(ids, t.byteID[piece[0]])
	}
	if t.ignoreMerges {
		if id, ok := t.whole[piece]; ok {
			return append(ids, id)
		}
	}
	if cached, ok := t.cache.get(piece); ok {
		return append(ids, cached...)
	}
	from := len(ids)
	ids = t.mergePiece(ids, piece)
	t.cache.put(piece, ids[from:])
	return ids
}

// symbol is a token within a piece, linked to its neighbours. A symbol that has been merged into the one on its
// left has id -1; -1 as a neighbour is the piece's end.
type symbol struct{ id, prev, next int32 }

// candidate is a possible merge of the symbol at and the next one.
type candidate struct{ rank, at, id int32 }

func (c candidate) before(d candidate) bool {
	return c.rank < d.rank || c.rank == d.rank && c.at < d.at
}

// scratch is the working memory of one piece.
type scratch struct {
	symbols []symbol
	heap    []candidate
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// mergePiece does the merges of a piece by rank, leftmost first, in n log n steps for n bytes.
func (t *Tokenizer) mergePiece(ids []int32, piece string) []int32 {
	s, _ := scratches.Get().(*scratch)
	defer scratches.Put(s)
	s.symbols, s.heap = s.symbols[:0], s.heap[:0]
	for i := range len(piece) {
		s.symbols = append(s.symbols, symbol{t.byteID[piece[i]], int32(i) - 1, int32(i) + 1})
	}
	s.symbols[len(piece)-1].next = -1
	for i := range int32(len(piece)) {
		t.offer(s, i)
	}
	for len(s.heap) > 0 {
		c := s.pop()
		left := &s.symbols[c.at]
		if left.id < 0 || left.next < 0 {
			continue // gone since it was offered
		}
		right := &s.symbols[left.next]
		if now, ok := t.pairs[pair{left.id, right.id}]; !ok || now.id != c.id {
			continue // another pair since it was offered
		}
		left.id, left.next, right.id = c.id, right.next, -1
		if left.next >= 0 {
			s.symbols[left.next].prev = c.at
		}
		if left.prev >= 0 {
			t.offer(s, left.prev)
		}
		t.offer(s, c.at)
	}
	for i := int32(0); i >= 0; i = s.symbols[i].next {
		ids = append(ids, s.symbols[i].id)
	}
	return ids
}

// offer puts the merge of the symbol at and its right neighbour on the heap, if there is one.
func (t *Tokenizer) offer(s *scratch, at int32) {
	left := s.symbols[at]
	if left.next < 0 {
		return
	}
	if r, ok := t.pairs[pair{left.id, s.symbols[left.next].id}]; ok {
		s.push(candidate{r.rank, at, r.id})
	}
}

// push and pop keep a binary heap by hand: container/heap boxes every element.
func (s *scratch) push(c candidate) {
	s.heap = append(s.heap, c)
	i := len(s.heap) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !c.before(s.heap[up]) {
			break
		}
		s.heap[i] = s.heap[up]
		i = up
	}
	s.heap[i] = c
}

func (s *scratch) pop() candidate {
	h := s.heap
	top, c := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	s.heap = h
	i := 0
	for {
		down := 2*i + 1
		if down >= len(h) {
			break
		}
		if down+1 < len(h) && h[down+1].before(h[down]) {
			down++
		}
		if !h[down].before(c) {
			break
		}
		h[i] = h[down]
		i = down
	}
	if len(h) > 0 {
		h[i] = c
	}
	return top
}
