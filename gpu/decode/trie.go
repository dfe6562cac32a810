package decode

import (
	"errors"
	"fmt"
	"slices"
)

// node is a place in the trie of a request's candidates.
type node struct {
	children []*node // ascending by token
	token    int32   // that leads here
	index    int     // of the candidate that ends here; -1 inside
}

// trie joins candidates by their common beginnings.
func trie(candidates [][]int32) (*node, error) {
	if len(candidates) == 0 {
		return nil, errors.New("no candidates")
	}
	root := &node{index: -1}
	for i, c := range candidates {
		at := root
		for _, token := range c {
			if at.index >= 0 {
				return nil, prefixed(at.index, i)
			}
			at = at.child(token)
		}
		if at.index >= 0 || len(at.children) > 0 {
			return nil, prefixed(i, at.any())
		}
		at.index = i
	}
	return root, nil
}

func prefixed(short, long int) error {
	return fmt.Errorf("candidate %d is the beginning of candidate %d", short, long)
}

// child is the child of that token, made if need be.
func (n *node) child(token int32) *node {
	i, found := slices.BinarySearchFunc(n.children, token, func(c *node, t int32) int { return int(c.token) - int(t) })
	if !found {
		n.children = slices.Insert(n.children, i, &node{token: token, index: -1})
	}
	return n.children[i]
}

// any is a candidate at or below the node.
func (n *node) any() int {
	for len(n.children) > 0 {
		n = n.children[0]
	}
	return n.index
}

// forced follows single children, adding their tokens to path, to the next node that asks for a decision or ends.
func (n *node) forced(path []int32) (*node, []int32) {
	for len(n.children) == 1 {
		n = n.children[0]
		path = append(path, n.token)
	}
	return n, path
}

// depth is the longest way down from the node, in tokens.
func (n *node) depth() int {
	most := 0
	for _, c := range n.children {
		most = max(most, 1+c.depth())
	}
	return most
}
