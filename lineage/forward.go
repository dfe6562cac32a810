package lineage

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/hone-rl/hone/artifacts"
)

// Use is an artifact that was made from another, which it calls by a role.
type Use struct {
	Role   string           `json:"role"`
	Digest artifacts.Digest `json:"digest"`
}

// Follow reads the graph of what was made from root: all artifacts that a name leads to and that come to root by their
// inputs. It reads every manifest of the store. One that cannot be read is noted in the graph, since what is behind it
// may have been made from root.
func Follow(ctx context.Context, store artifacts.Store, root artifacts.Digest) (*Graph, error) {
	g := &Graph{Root: root, Forward: true, Nodes: map[artifacts.Digest]*Node{}}
	m, err := artifacts.GetManifest(ctx, store, root)
	if err != nil {
		return nil, fmt.Errorf("manifest %s: %w", root, err)
	}
	s, err := newScan(ctx, store)
	if err != nil {
		return nil, err
	}
	g.Unread, g.kinds = s.unread, s.kinds
	if err := g.node(ctx, store, root, m); err != nil {
		return nil, err
	}
	for todo := []artifacts.Digest{root}; len(todo) > 0; todo = todo[1:] {
		n := g.Nodes[todo[0]]
		n.Names, n.Uses = s.names[n.Digest], s.uses[n.Digest]
		for _, u := range n.Uses {
			if g.Nodes[u.Digest] != nil {
				continue
			}
			m, err := artifacts.GetManifest(ctx, store, u.Digest)
			if err == nil {
				err = g.node(ctx, store, u.Digest, m)
			}
			if err != nil {
				return nil, fmt.Errorf("made from %s: manifest %s: %w", n.Digest, u.Digest, err)
			}
			todo = append(todo, u.Digest)
		}
	}
	for _, n := range g.Nodes {
		g.sort(n.Uses)
	}
	return g, nil
}

// sort puts uses in the order of their roles, kinds, first names and digests.
func (g *Graph) sort(uses []Use) {
	name := func(n *Node) string {
		if names := n.InRuns(); len(names) > 0 {
			return names[0]
		}
		return ""
	}
	slices.SortFunc(uses, func(a, b Use) int {
		x, y := g.Nodes[a.Digest], g.Nodes[b.Digest]
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(x.Kind, y.Kind), cmp.Compare(name(x), name(y)), cmp.Compare(a.Digest, b.Digest))
	})
}

// alike yields the parts of sorted uses that have a role and a kind in common.
func alike(uses []Use, g *Graph) iter.Seq[[]Use] {
	return func(yield func([]Use) bool) {
		for len(uses) > 0 {
			n := 1
			for n < len(uses) && uses[n].Role == uses[0].Role && g.Nodes[uses[n].Digest].Kind == g.Nodes[uses[0].Digest].Kind {
				n++
			}
			if !yield(uses[:n]) {
				return
			}
			uses = uses[n:]
		}
	}
}
