package pddl

import (
	"hash/fnv"
)

const (
	// nodeBytes is about what a state takes that is kept, beside its literals.
	nodeBytes = 250
	// stateBytes is what a state takes for every predicate, beside its own facts.
	stateBytes = 24
)

// node is a state that has been reached and estimated.
type node struct {
	parent *node
	op     int32
	depth  int
	bits   bits
	state  *State // of a loose grounding
}

// branch is some of a node's successors, still to be looked at.
type branch struct {
	*node
	ops      []int32
	key      int // smaller comes first
	estimate int
	order    int
}

type openList []branch

func (o openList) Len() int { return len(o) }
func (o openList) Less(i, j int) bool {
	a, b := &o[i], &o[j]
	if a.key != b.key {
		return a.key < b.key
	}
	if a.estimate != b.estimate {
		return a.estimate < b.estimate
	}
	return a.order < b.order
}
func (o openList) Swap(i, j int) { o[i], o[j] = o[j], o[i] }
func (o *openList) Push(x any)   { *o = append(*o, x.(branch)) }
func (o *openList) Pop() any {
	last := (*o)[len(*o)-1]
	(*o)[len(*o)-1] = branch{}
	*o = (*o)[:len(*o)-1]
	return last
}

// key tells states apart.
func (f *finder) key(n *node) (sum [16]byte) {
	if f.loose {
		return n.state.hash(f.relevant)
	}
	h := fnv.New128a()
	var buf [8]byte
	for _, w := range n.bits {
		for i := range buf {
			buf[i] = byte(w >> (8 * i))
		}
		_, _ = h.Write(buf[:]) // never fails
	}
	h.Sum(sum[:0])
	return sum
}

// hash tells states apart by the facts of the relevant predicates.
func (s *State) hash(relevant []bool) (sum [16]byte) {
	h := fnv.New128a()
	var buf []byte
	for p, r := range s.facts {
		if !relevant[p] {
			continue
		}
		buf = appendKey(buf[:0], int32(p), int32(r.size))
		if r.arity > 0 {
			buf = appendKey(buf, r.order[0]...)
		}
		_, _ = h.Write(buf) // never fails
	}
	h.Sum(sum[:0])
	return sum
}

// relevant marks the dynamic predicates that some condition or the goal reads.
func (p *Problem) relevant() []bool {
	is := make([]bool, len(p.Domain.Predicates))
	mark := func(programs []*program) {
		for _, pred := range readsOf(p.Domain, programs, nil) {
			is[pred] = true
		}
	}
	mark(p.goal)
	for i := range p.actions {
		mark(p.actions[i].programs)
		for _, e := range p.actions[i].effects {
			mark(e.fires)
		}
	}
	for i := range p.rules.list {
		mark(p.rules.list[i].programs)
	}
	return is
}
