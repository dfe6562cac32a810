package decode

import (
	"slices"
	"testing"

	"github.com/hone-rl/hone/gpu/torch"
)

// pagesOf are tokens of whole pages, each page its number all over.
func pagesOf(numbers ...int32) (tokens []int32) {
	for _, n := range numbers {
		tokens = append(tokens, slices.Repeat([]int32{n}, torch.PageRows)...)
	}
	return tokens
}

// keep takes pages for what is not remembered of a text and puts them in.
func keep(t *testing.T, p *prefixes, numbers ...int32) []*prefix {
	t.Helper()
	tokens := pagesOf(numbers...)
	nodes, ready := p.match(tokens)
	if !ready {
		t.Fatal("a page is not ready")
	}
	p.hold(nodes)
	for _, page := range p.take(len(numbers) - len(nodes)) {
		nodes = append(nodes, p.add(nodes, tokens[len(nodes)*torch.PageRows:], page, true))
	}
	return nodes
}

func matched(p *prefixes, numbers ...int32) int {
	nodes, _ := p.match(append(pagesOf(numbers...), 99, 99)) // a part of a page never matches
	return len(nodes)
}

func TestPrefixes(t *testing.T) {
	dropped := []int(nil)
	p := newPrefixes(func(state int) { dropped = append(dropped, state) })
	p.grow(0, 6)
	a := keep(t, p, 1, 2, 3)
	b := keep(t, p, 1, 2, 4)
	if a[1] != b[1] || a[2] == b[2] || len(p.free) != 2 {
		t.Fatalf("two texts with two pages in common leave %d free", len(p.free))
	}
	if matched(p, 1, 2, 4, 9) != 3 || matched(p, 2) != 0 {
		t.Error("what matches is wrong")
	}
	if p.add(a[:1], pagesOf(2), 5, true) != nil {
		t.Error("a page was put in twice")
	}
	b[2].state = 7
	p.release(b) // only its last page is unused now
	if p.available() != 3 {
		t.Errorf("%d available, want 3", p.available())
	}
	p.release(a)
	if p.available() != 6 {
		t.Errorf("%d available, want 6", p.available())
	}
	// The page released first goes first, a parent after its children.
	p.give(p.take(3))
	if matched(p, 1, 2, 4) != 2 || matched(p, 1, 2, 3) != 3 || !slices.Equal(dropped, []int{7}) {
		t.Errorf("after three were taken: %d and %d match, states %v dropped", matched(p, 1, 2, 4), matched(p, 1, 2, 3), dropped)
	}
	if all := p.take(6); len(slices.Compact(slices.Sorted(slices.Values(all)))) != 6 || matched(p, 1) != 0 {
		t.Errorf("all: %v", all)
	}
}

// What was used again stays longer.
func TestPrefixesByUse(t *testing.T) {
	p := newPrefixes(func(int) {})
	p.grow(0, 3)
	for _, n := range []int32{1, 2, 3} {
		p.release(keep(t, p, n))
	}
	p.release(keep(t, p, 1))
	p.give(p.take(1))
	if matched(p, 1) != 1 || matched(p, 2) != 0 || matched(p, 3) != 1 {
		t.Error("the page used again went first")
	}
}

// A page that is being computed is waited for; when its sequence ends before, it is forgotten.
func TestPrefixesBeingComputed(t *testing.T) {
	p := newPrefixes(func(int) {})
	p.grow(0, 2)
	first := p.add(nil, pagesOf(1), p.take(1)[0], false)
	if _, ready := p.match(pagesOf(1, 2)); ready {
		t.Error("a page is taken for ready")
	}
	p.release([]*prefix{first})
	if nodes, ready := p.match(pagesOf(1)); !ready || len(nodes) != 0 || len(p.free) != 2 {
		t.Errorf("%d nodes, ready %v, %d free", len(nodes), ready, len(p.free))
	}
}
