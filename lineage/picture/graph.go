package picture

import (
	"fmt"
	"strings"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/internal/chart"
	"github.com/hone-rl/hone/lineage"
)

// kindColors are the palette's: one for what is played, one for what is learnt from, one for what learns, and so on.
var kindColors = map[artifacts.Kind]int{
	artifacts.KindGames: 3, artifacts.KindCatalogue: 3,
	artifacts.KindDataset: 5,
	artifacts.KindModel:   1, artifacts.KindAdapter: 1,
	artifacts.KindTrajectories: 2, artifacts.KindRollouts: 2,
	artifacts.KindSkills: 4, artifacts.KindBank: 4,
	artifacts.KindUpdate: 6, artifacts.KindPolicy: 6,
	artifacts.KindCheckpoint: 0, artifacts.KindReport: 0, artifacts.KindRun: 0,
}

// Graph draws a graph's outline from left to right, what was made to the right of what it was made from. With an anchor its
// boxes lead to Place(anchor, …) of the first artifact that each stands for.
func Graph(ref string, g *lineage.Graph, anchor string) chart.Diagram {
	f := &figure{forward: g.Forward, anchor: anchor, boxes: map[artifacts.Digest]int{}, linked: map[chart.Link]bool{}}
	f.Title = ref
	f.Note = fmt.Sprintf("and what it was made from: %s", counted(len(g.Nodes), "artifact"))
	if g.Forward {
		f.Note = fmt.Sprintf("and what was made from it: %s", counted(len(g.Nodes), "artifact"))
	}
	if n := len(g.Unread); n > 0 {
		f.Note += fmt.Sprintf(", %d more could not be read", n)
	}
	f.line(g.Outline(), -1)
	f.Boxes[0].Strong = true
	return f.Diagram
}

// Place is an artifact's place in a page, for an element's id.
func Place(anchor string, d artifacts.Digest) string { return anchor + d.Hex() }

type figure struct {
	chart.Diagram
	forward bool
	anchor  string
	boxes   map[artifacts.Digest]int // places of boxes
	linked  map[chart.Link]bool
}

// line draws a line of the outline that stands below a box.
func (f *figure) line(l *lineage.Line, above int) {
	if !l.Above {
		for _, n := range l.Nodes {
			f.boxes[n.Digest] = len(f.Boxes)
		}
		box := nodeBox(l.Nodes[0])
		if l.Left {
			box = leftBox(l.Nodes)
		}
		if f.anchor != "" {
			box.Href = "#" + Place(f.anchor, l.Nodes[0].Digest)
		}
		f.Boxes = append(f.Boxes, box)
	}
	for _, n := range l.Nodes {
		if above >= 0 {
			f.link(l.Role, above, f.boxes[n.Digest])
		}
		if !l.Above {
			break // one box, and a link to it
		}
	}
	here := f.boxes[l.Nodes[0].Digest]
	for _, below := range l.Below {
		f.line(below, here)
	}
}

func (f *figure) link(role string, above, below int) {
	link := chart.Link{From: below, To: above, Tip: role}
	if f.forward {
		link.From, link.To = above, below
	}
	if !f.linked[link] { // several that are left out stand in one box
		f.linked[link] = true
		f.Links = append(f.Links, link)
	}
}

func nodeBox(n *lineage.Node) chart.Box {
	b := chart.Box{Head: string(n.Kind), Mark: n.Digest.Short(), Color: kindColors[n.Kind]}
	if note := n.Note(); note != "" {
		b.Text = append(b.Text, note)
	}
	runs := n.InRuns()
	if len(runs) > 1 {
		b.Text = append(b.Text, fmt.Sprintf("%s and %d more", runs[0], len(runs)-1))
	} else {
		b.Text = append(b.Text, runs...)
	}
	tip := append([]string{fmt.Sprintf("%s %s", n.Kind, n.Digest), n.Note()}, runs...)
	tip = append(tip, fmt.Sprintf("made by %s %s", n.Producer.Name, n.Producer.Version))
	b.Tip = strings.Join(compact(tip), "\n")
	return b
}

// leftBox stands for those that are left out.
func leftBox(all []*lineage.Node) chart.Box {
	return chart.Box{Head: fmt.Sprintf("… %d more", len(all)), Text: []string{"of kind " + string(all[0].Kind)}, Color: kindColors[all[0].Kind], Dashed: true}
}

// counted is "1 step", "2 steps".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// compact leaves out empty texts.
func compact(texts []string) (some []string) {
	for _, t := range texts {
		if t != "" {
			some = append(some, t)
		}
	}
	return some
}
