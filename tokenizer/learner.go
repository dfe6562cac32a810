package tokenizer

import "container/heap"

// learner keeps the pieces as tokens and how often each pair of neighbours occurs, from merge to merge.
type learner struct {
	pieces []piece
	count  map[pair]int
	where  map[pair][]int32 // pieces that have had the pair; some may have it no more
	queue  pairQueue
}

type piece struct {
	ids   []int32
	count int
}

// newLearner takes the distinct pieces of the texts, how often each occurs, and the tokens of the bytes.
func newLearner(texts []string, counts map[string]int, byteID [256]int32) *learner {
	l := &learner{count: make(map[pair]int), where: make(map[pair][]int32)}
	l.pieces = make([]piece, len(texts))
	for i, text := range texts {
		p := piece{make([]int32, len(text)), counts[text]}
		for j := range len(text) {
			p.ids[j] = byteID[text[j]]
		}
		l.pieces[i] = p
		for j := 1; j < len(p.ids); j++ {
			l.add(pair{p.ids[j-1], p.ids[j]}, p.count, int32(i))
		}
	}
	for p, n := range l.count {
		l.queue = append(l.queue, counted{p, n})
	}
	heap.Init(&l.queue)
	return l
}

// add counts a pair of piece i.
func (l *learner) add(p pair, n int, i int32) {
	l.count[p] += n
	where := l.where[p]
	if len(where) == 0 || where[len(where)-1] != i {
		l.where[p] = append(where, i)
	}
}

// best takes the most frequent pair out. The queue may hold a pair several times and with counts from before;
// counts of old pairs only fall and new ones are pushed, so the first entry that is still true is the best.
func (l *learner) best() (pair, bool) {
	for len(l.queue) > 0 {
		top := l.queue[0]
		now := l.count[top.pair]
		switch {
		case now <= 0:
			heap.Pop(&l.queue)
		case now != top.count:
			l.queue[0].count = now
			heap.Fix(&l.queue, 0)
		default:
			heap.Pop(&l.queue)
			return top.pair, true
		}
	}
	return pair{}, false
}

// merge makes one token of a pair, everywhere, and queues the pairs that this creates.
func (l *learner) merge(p pair, id int32) {
	where := l.where[p]
	delete(l.where, p)
	var created []pair
	for _, i := range where {
		created = l.mergePiece(i, p, id, created)
	}
	delete(l.count, p)
	queued := make(map[pair]bool, len(created))
	for _, c := range created {
		if n := l.count[c]; n > 0 && !queued[c] {
			queued[c] = true
			heap.Push(&l.queue, counted{c, n})
		}
	}
}

// mergePiece does it in one piece, from left to right, and appends the pairs created.
func (l *learner) mergePiece(i int32, p pair, id int32, created []pair) []pair {
	piece := &l.pieces[i]
	ids, out := piece.ids, piece.ids[:0]
	for j := 0; j < len(ids); j++ {
		if j+1 == len(ids) || ids[j] != p.left || ids[j+1] != p.right {
			out = append(out, ids[j])
			continue
		}
		if len(out) > 0 {
			before := out[len(out)-1]
			l.count[pair{before, p.left}] -= piece.count
			l.add(pair{before, id}, piece.count, i)
			created = append(created, pair{before, id})
		}
		if j+2 < len(ids) {
			after := ids[j+2]
			l.count[pair{p.right, after}] -= piece.count
			l.add(pair{id, after}, piece.count, i)
			created = append(created, pair{id, after})
		}
		out = append(out, id)
		j++
	}
	piece.ids = out
	return created
}

// counted is a pair and how often it occurred when it was queued.
type counted struct {
	pair
	count int
}

// pairQueue is a heap: the most frequent pair first, then the smallest ids.
type pairQueue []counted

func (q pairQueue) Len() int      { return len(q) }
func (q pairQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q pairQueue) Less(i, j int) bool {
	a, b := q[i], q[j]
	switch {
	case a.count != b.count:
		return a.count > b.count
	case a.left != b.left:
		return a.left < b.left
	}
	return a.right < b.right
}

// Push implements heap.Interface.
func (q *pairQueue) Push(x any) {
	c, _ := x.(counted)
	*q = append(*q, c)
}

// Pop implements heap.Interface.
func (q *pairQueue) Pop() any {
	last := len(*q) - 1
	c := (*q)[last]
	*q = (*q)[:last]
	return c
}
