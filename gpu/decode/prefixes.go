package decode

import (
	"container/list"

	"github.com/hone-rl/hone/gpu/torch"
)

// prefixes remembers which pages hold the beginnings of texts, as a tree of whole pages, and which are free. A page in
// the tree is never written again. It knows nothing of tensors.
type prefixes struct {
	root   prefix
	free   []int64
	unused *list.List // of *prefix that no sequence holds, the one to go first at the back: a node stands before its children
	// drop is told of a node's state that goes with it.
	drop func(state int)
}

// key is the tokens of a page.
type key [torch.PageRows]int32

// prefix is a page of tokens behind those of its parents.
type prefix struct {
	parent   *prefix
	key      key
	page     int64
	ready    bool // computed; until then other sequences wait for it
	users    int
	children map[key]*prefix
	place    *list.Element // in unused, while users is 0
	state    int           // lane with a copy of the recurrent state behind this page; -1: none
}

func newPrefixes(drop func(state int)) *prefixes {
	return &prefixes{unused: list.New(), drop: drop}
}

// grow adds pages [from, to).
func (p *prefixes) grow(from, to int64) {
	for page := to - 1; page >= from; page-- {
		p.free = append(p.free, page)
	}
}

// available is how many pages take may give.
func (p *prefixes) available() int { return len(p.free) + p.unused.Len() }

// take gives n pages, of which there must be so many, forgetting what was not used for longest.
func (p *prefixes) take(n int) []int64 {
	for len(p.free) < n {
		p.forget(p.unused.Back().Value.(*prefix))
	}
	pages := append([]int64(nil), p.free[len(p.free)-n:]...)
	p.free = p.free[:len(p.free)-n]
	return pages
}

// give takes pages back.
func (p *prefixes) give(pages []int64) { p.free = append(p.free, pages...) }

// forget removes a node without children.
func (p *prefixes) forget(n *prefix) {
	if n.place != nil {
		p.unused.Remove(n.place)
	}
	delete(n.parent.children, n.key)
	p.free = append(p.free, n.page)
	p.dropState(n)
}

func (p *prefixes) dropState(n *prefix) {
	if n.state >= 0 {
		p.drop(n.state)
		n.state = -1
	}
}

func pageKey(tokens []int32) key { return key(tokens[:torch.PageRows]) }

// match is the nodes of the whole pages that tokens begin with. ready is false if one of them is still being computed.
func (p *prefixes) match(tokens []int32) (nodes []*prefix, ready bool) {
	at := &p.root
	for len(tokens) >= torch.PageRows {
		next := at.children[pageKey(tokens)]
		if next == nil {
			break
		}
		if !next.ready {
			return nil, false
		}
		nodes, at, tokens = append(nodes, next), next, tokens[torch.PageRows:]
	}
	return nodes, true
}

// add puts a page with tokens behind the last of nodes, held by one sequence. nil if there is one already.
func (p *prefixes) add(nodes []*prefix, tokens []int32, page int64, ready bool) *prefix {
	at := &p.root
	if len(nodes) > 0 {
		at = nodes[len(nodes)-1]
	}
	k := pageKey(tokens)
	if at.children[k] != nil {
		return nil
	}
	if at.children == nil {
		at.children = map[key]*prefix{}
	}
	n := &prefix{parent: at, key: k, page: page, ready: ready, users: 1, state: -1}
	at.children[k] = n
	return n
}

// hold keeps nodes, a path from the root, from being forgotten.
func (p *prefixes) hold(nodes []*prefix) {
	for _, n := range nodes {
		if n.users == 0 {
			p.unused.Remove(n.place)
			n.place = nil
		}
		n.users++
	}
}

// release undoes hold and add. What was never computed is forgotten at once.
func (p *prefixes) release(nodes []*prefix) {
	for i := len(nodes) - 1; i >= 0; i-- {
		n := nodes[i]
		if n.users--; n.users > 0 {
			continue
		}
		if !n.ready {
			p.forget(n)
			continue
		}
		n.place = p.unused.PushFront(n)
	}
}

// oldestState is the unused node with a state that is to go first; nil if there is none.
func (p *prefixes) oldestState() *prefix {
	for e := p.unused.Back(); e != nil; e = e.Prev() {
		if n := e.Value.(*prefix); n.state >= 0 {
			return n
		}
	}
	return nil
}
