package lineage

import (
	"fmt"
	"strings"

	"github.com/hone-rl/hone/artifacts"
)

// Text draws the graph's outline.
func (g *Graph) Text() string {
	d := drawing{Graph: g}
	d.draw("", "", g.Outline())
	for i, f := range g.Unread {
		if i == mostUnread {
			fmt.Fprintf(&d, "… and %d more\n", len(g.Unread)-mostUnread)
			break
		}
		fmt.Fprintf(&d, "could not be read: %s: %s\n", f.Where, f.Problem)
	}
	return d.String()
}

// mostUnread is how many that could not be read are named.
const mostUnread = 20

type drawing struct {
	*Graph
	strings.Builder
}

// draw draws a line behind first, and what is below it behind rest.
func (g *drawing) draw(first, rest string, l *Line) {
	g.WriteString(first + g.text(l) + "\n")
	for i, below := range l.Below {
		if i == len(l.Below)-1 {
			g.draw(rest+"└─ ", rest+"   ", below)
		} else {
			g.draw(rest+"├─ ", rest+"│  ", below)
		}
	}
}

func (g *drawing) text(l *Line) string {
	n := l.Nodes[0]
	switch {
	case l.Left:
		text := fmt.Sprintf("%s: … %d more of kind %s, in --json", l.Role, len(l.Nodes), n.Kind)
		switch {
		case len(l.Below) == 0:
			return text
		case g.Forward:
			return text + ", and what came of them"
		}
		return text + ", and before them"
	case len(l.Nodes) > 1:
		return fmt.Sprintf("%s: %d of kind %s (above)", l.Role, len(l.Nodes), n.Kind)
	}
	text := fmt.Sprintf("%s %s", n.Kind, n.Digest.Short())
	if l.Role != "" && l.Role != string(n.Kind) {
		text = l.Role + ": " + text
	}
	if l.Above {
		return text + " (above)"
	}
	if note := n.both(); note != "" {
		text += "  " + note
	}
	return text
}

// both is what is said of an artifact behind its digest: its note, and what runs call it.
func (n *Node) both() string {
	var parts []string
	if note := n.Note(); note != "" {
		parts = append(parts, note)
	}
	if names := n.InRuns(); len(names) > 1 {
		parts = append(parts, fmt.Sprintf("%s and %d more", names[0], len(names)-1))
	} else if len(names) == 1 {
		parts = append(parts, names[0])
	}
	return strings.Join(parts, ", ")
}

// InRuns are the artifact's names in runs, as commands take them: RUN/STAGE, and RUN for a whole run.
func (n *Node) InRuns() (names []string) {
	for _, name := range n.Names {
		if ref, of := strings.CutPrefix(name, "runs/"); of {
			if n.Kind == artifacts.KindRun {
				ref = strings.TrimSuffix(ref, "/run")
			}
			names = append(names, ref)
		}
	}
	return names
}
