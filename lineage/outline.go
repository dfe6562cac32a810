package lineage

import (
	"slices"

	"github.com/hone-rl/hone/artifacts"
)

// Line is a line of a graph drawn as a tree, each artifact once in full; of a long chain of updates or snapshots the first
// few and the last.
type Line struct {
	Role  string
	Nodes []*Node // one, or all that the line stands for
	Above bool    // they stand above already
	Left  bool    // they are left out, for there are many of them
	Below []*Line
}

// mostLinks is how many artifacts of a chain, and how many of a kind beside the part that is left out, are drawn one below
// the other.
const mostLinks = 3

// Outline is the graph as a tree: its root, with its inputs below or, forwards, with what was made from it.
func (g *Graph) Outline() *Line {
	o := outline{Graph: g, seen: map[artifacts.Digest]bool{}}
	return o.line("", g.Nodes[g.Root], 0)
}

type outline struct {
	*Graph
	seen map[artifacts.Digest]bool // drawn, or left out
}

// line is an artifact with what is below it. Links is how many of its chain stand above it.
func (o *outline) line(role string, n *Node, links int) *Line {
	if left := o.skipped(n, links); len(left) > 0 {
		for _, n := range left {
			o.seen[n.Digest] = true
		}
		last := o.link(left[len(left)-1])
		l := &Line{Role: role, Nodes: left, Left: true}
		l.Below = append(l.Below, o.line(role, last, links))
		l.Below = append(l.Below, o.beside(left)...)
		return l
	}
	l := &Line{Role: role, Nodes: []*Node{n}, Above: o.seen[n.Digest]}
	if l.Above {
		return l
	}
	o.seen[n.Digest] = true
	if o.Forward {
		l.Below = o.uses(n, links)
		return l
	}
	for _, in := range n.Inputs {
		l.Below = append(l.Below, o.line(in.Role, o.Nodes[in.Digest], o.below(n, in.Digest, links)))
	}
	return l
}

// below is how many of the chain of d stand above it, below n.
func (o *outline) below(n *Node, d artifacts.Digest, links int) int {
	if next := o.link(n); next != nil && next.Digest == d {
		return links + 1
	}
	return 0
}

// uses are what was made from n: those that stand above already in a line for each role and kind, since a model has as
// many updates as a training has steps.
func (o *outline) uses(n *Node, links int) (lines []*Line) {
	for part := range alike(n.Uses, o.Graph) {
		var above []*Node
		for _, u := range part {
			if to := o.Nodes[u.Digest]; o.seen[u.Digest] {
				above = append(above, to)
			} else {
				lines = append(lines, o.line(u.Role, to, o.below(n, u.Digest, links)))
			}
		}
		if len(above) > 0 {
			lines = append(lines, &Line{Role: part[0].Role, Nodes: above, Above: true})
		}
	}
	return lines
}

// beside is what else was made from a part of a chain that is left out. Of many of a kind that nothing more was made from, the
// first few.
func (o *outline) beside(left []*Node) (lines []*Line) {
	if !o.Forward {
		return nil // their other inputs are seldom what is asked for
	}
	var all []Use
	for _, n := range left {
		all = append(all, n.Uses...)
	}
	o.sort(all)
	for part := range alike(all, o.Graph) {
		var drawn int
		var more []*Node
		for _, u := range part {
			to := o.Nodes[u.Digest]
			switch {
			case o.seen[u.Digest] || o.chained(to, u.Role):
			case drawn >= mostLinks && !slices.ContainsFunc(to.Uses, func(u Use) bool { return !o.seen[u.Digest] }):
				o.seen[u.Digest] = true
				more = append(more, to)
			default:
				drawn++
				lines = append(lines, o.line(u.Role, to, 0))
			}
		}
		if len(more) > 0 {
			lines = append(lines, &Line{Role: part[0].Role, Nodes: more, Left: true})
		}
	}
	return lines
}

// chainRoles are the roles of the artifact of the same kind that one of a kind follows.
var chainRoles = map[artifacts.Kind]string{artifacts.KindUpdate: "policy", artifacts.KindSkills: LibraryRole}

// chained says whether n follows by its role one of its own kind.
func (o *outline) chained(n *Node, role string) bool { return chainRoles[n.Kind] == role }

// link is the next of n's chain below it: the artifact of the same kind that an update or a snapshot follows or, forwards, the
// only one that follows it. Nil for the last.
func (o *outline) link(n *Node) *Node {
	role, of := chainRoles[n.Kind]
	if !of {
		return nil
	}
	if !o.Forward {
		for _, in := range n.Inputs {
			if before := o.Nodes[in.Digest]; in.Role == role && before.Kind == n.Kind {
				return before
			}
		}
		return nil
	}
	var next *Node
	for _, u := range n.Uses {
		if to := o.Nodes[u.Digest]; u.Role == role && to.Kind == n.Kind {
			if next != nil {
				return nil // two trainings went on from it
			}
			next = to
		}
	}
	return next
}

// skipped are those of a chain from n on that are left out: all but the last, where enough stand above.
func (o *outline) skipped(n *Node, links int) (left []*Node) {
	if links < mostLinks || o.seen[n.Digest] {
		return nil
	}
	for next := o.link(n); next != nil && !o.seen[n.Digest]; next = o.link(n) {
		left, n = append(left, n), next
	}
	return left
}
