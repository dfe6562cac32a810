// Package lineage walks from an artifact back to what it was made from, and checks that everything on the way is
// what it says it is.
package lineage

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// Node is an artifact in a graph.
type Node struct {
	Digest   artifacts.Digest   `json:"digest"`
	Kind     artifacts.Kind     `json:"kind"`
	Producer artifacts.Producer `json:"producer"`
	Summary  json.RawMessage    `json:"summary,omitempty"`
	Inputs   []artifacts.Input  `json:"inputs"`
	Outputs  []artifacts.Output `json:"outputs"`

	// Sources are where a model that was made from nothing here came from, as recorded beside it.
	Sources []activities.Source `json:"sources,omitempty"`
}

// Graph is an artifact with all that it was made from.
type Graph struct {
	Root  artifacts.Digest           `json:"root"`
	Nodes map[artifacts.Digest]*Node `json:"nodes"`
}

// Trace reads the graph below root. Every manifest is verified as it is read.
func Trace(ctx context.Context, store artifacts.Store, root artifacts.Digest) (*Graph, error) {
	g := &Graph{Root: root, Nodes: map[artifacts.Digest]*Node{}}
	return g, g.add(ctx, store, root)
}

func (g *Graph) add(ctx context.Context, store artifacts.Store, d artifacts.Digest) error {
	if g.Nodes[d] != nil {
		return nil
	}
	m, err := artifacts.GetManifest(ctx, store, d)
	if err != nil {
		return fmt.Errorf("manifest %s: %w", d, err)
	}
	n := &Node{Digest: d, Kind: m.Kind, Producer: m.Producer, Summary: m.Summary, Inputs: m.Inputs, Outputs: m.Outputs}
	g.Nodes[d] = n
	if n.foreign() {
		if n.Sources, err = activities.Sources(ctx, store, d); err != nil {
			return fmt.Errorf("sources of %s %s: %w", m.Kind, d.Short(), err)
		}
	}
	for _, in := range m.Inputs {
		if err := g.add(ctx, store, in.Digest); err != nil {
			return fmt.Errorf("%s of %s %s: %w", in.Role, m.Kind, d.Short(), err)
		}
	}
	return nil
}

// foreign says whether n is a model that was pulled, imported or made of a configuration.
func (n *Node) foreign() bool { return n.Kind == artifacts.KindModel && len(n.Inputs) == 0 }

// Text draws the graph as a tree, each artifact once in full; of a long chain of updates or snapshots the first few and
// the last.
func (g *Graph) Text() string {
	d := drawing{Graph: g, seen: map[artifacts.Digest]bool{}}
	d.draw("", "", "", g.Root, 0)
	return d.String()
}

type drawing struct {
	*Graph
	strings.Builder
	seen map[artifacts.Digest]bool
}

// mostLinks is how many artifacts of a chain are drawn one below the other.
const mostLinks = 3

// draw draws the artifact d. Links is how many of its chain stand above it.
func (g *drawing) draw(first, rest, role string, d artifacts.Digest, links int) {
	n := g.Nodes[d]
	if skipped := g.skipped(n, links); skipped > 0 {
		fmt.Fprintf(g, "%s%s: … %d more of kind %s, in --json, and before them\n", first, role, skipped, n.Kind)
		first = rest + "└─ "
		rest += "   "
		for range skipped {
			g.seen[n.Digest] = true
			n = g.before(n)
		}
		d = n.Digest
	}
	label := string(n.Kind)
	if role != "" && role != label {
		label = role + ": " + label
	}
	fmt.Fprintf(g, "%s%s %s", first, label, d.Short())
	if g.seen[d] {
		g.WriteString(" (above)\n")
		return
	}
	g.seen[d] = true
	if note := summarise(n); note != "" {
		fmt.Fprintf(g, "  %s", note)
	}
	g.WriteByte('\n')
	for i, in := range n.Inputs {
		below := 0
		if before := g.before(n); before != nil && before.Digest == in.Digest {
			below = links + 1
		}
		if i == len(n.Inputs)-1 {
			g.draw(rest+"└─ ", rest+"   ", in.Role, in.Digest, below)
		} else {
			g.draw(rest+"├─ ", rest+"│  ", in.Role, in.Digest, below)
		}
	}
}

// before is the artifact of the same kind that an update or a snapshot follows, nil for the first.
func (g *drawing) before(n *Node) *Node {
	role := map[artifacts.Kind]string{artifacts.KindUpdate: "policy", artifacts.KindSkills: LibraryRole}[n.Kind]
	for _, in := range n.Inputs {
		if before := g.Nodes[in.Digest]; in.Role == role && before.Kind == n.Kind {
			return before
		}
	}
	return nil
}

// skipped is how many of a chain from n on are left out of the drawing: all but the last, where enough stand above.
func (g *drawing) skipped(n *Node, links int) (count int) {
	if links < mostLinks || g.seen[n.Digest] {
		return 0
	}
	for before := g.before(n); before != nil && !g.seen[n.Digest]; before = g.before(n) {
		count, n = count+1, before
	}
	return count
}

// summarise is a line about the artifact from its manifest's summary, or from where it came.
func summarise(n *Node) string {
	if n.foreign() {
		from := make([]string, len(n.Sources))
		for i, s := range n.Sources {
			from[i] = s.String()
		}
		return cmp.Or(strings.Join(from, "; "), activities.ImportedSource)
	}
	var s map[string]any
	if json.Unmarshal(n.Summary, &s) != nil {
		return ""
	}
	switch n.Kind {
	case artifacts.KindGames:
		return fmt.Sprintf("%v games", s["games"])
	case artifacts.KindDataset:
		return fmt.Sprintf("%v records of %v games, %v excluded", s["records"], s["games"], s["excluded"])
	case artifacts.KindTrajectories:
		return fmt.Sprintf("%v of %v won", s["won"], s["games"])
	case artifacts.KindUpdate:
		return fmt.Sprintf("step %v", s["step"])
	case artifacts.KindSkills:
		return fmt.Sprintf("after step %v, %v skills", s["step"], s["skills"])
	case artifacts.KindBank:
		return fmt.Sprintf("%v skills", s["skills"])
	case artifacts.KindCatalogue:
		return fmt.Sprintf("%v products", s["products"])
	case artifacts.KindRollouts:
		if score, apart := s["score"]; apart {
			return fmt.Sprintf("%v of %v won, mean score %.3v", s["won"], s["count"], score)
		}
		return fmt.Sprintf("%v of %v won", s["won"], s["count"])
	case artifacts.KindPolicy:
		return fmt.Sprintf("%v steps, best at %v", s["steps"], s["best"])
	case artifacts.KindModel, artifacts.KindAdapter:
		if best, ok := s["best"].(map[string]any); ok {
			return fmt.Sprintf("step %v, validation loss %.4v", best["step"], best["loss"])
		}
	}
	return ""
}

// Check says whether what a person names has the form of it, before any store is asked.
func Check(ref string) error {
	if digest(ref) {
		_, err := artifacts.ParseDigest(ref)
		return err
	}
	if hex, is := strings.CutPrefix(ref, shaPrefix); is {
		ref = hex
		if len(hex) < leastDigits {
			return unknownForm(shaPrefix + hex)
		}
	}
	if artifacts.ValidateName(activities.RunName(ref, "run")) != nil {
		return unknownForm(ref)
	}
	return nil
}

// digest says whether ref is one, and not its beginning.
func digest(ref string) bool {
	hex, is := strings.CutPrefix(ref, shaPrefix)
	return is && (len(hex) >= sha256.Size*2 || strings.Trim(hex, hexDigits) != "")
}

const (
	shaPrefix = "sha256:"
	hexDigits = "0123456789abcdef"
)

func unknownForm(ref string) error {
	return fmt.Errorf("%q: expected a run, RUN/STAGE, or a digest (at least its first 6 digits); hone list shows the runs", ref)
}

// Find turns what a person names into a digest: a digest, the start of one that some run knows, a run's id, or a
// run's id and stage ("demo-1a2b/teacher").
func Find(ctx context.Context, store artifacts.Store, ref string) (artifacts.Digest, error) {
	if err := Check(ref); err != nil {
		return "", err
	}
	if digest(ref) {
		return artifacts.ParseDigest(ref)
	}
	if hex, is := strings.CutPrefix(ref, shaPrefix); is {
		return fromStart(ctx, store, hex)
	}
	for _, name := range []string{"runs/" + ref, activities.RunName(ref, "run")} {
		d, err := store.Resolve(ctx, name)
		if err == nil || !errors.Is(err, artifacts.ErrNotFound) {
			return d, err
		}
	}
	names, err := store.Names(ctx, activities.RunName(ref, ""))
	if err != nil {
		return "", err
	}
	if run, stage, of := strings.Cut(ref, "/"); of && len(names) > 0 { // RUN/teacher has seeds below it, RUN/panels panels
		return "", fmt.Errorf("run %s has several of %s: name one of %s", run, stage, strings.Join(stagesOf(ref, names), ", "))
	}
	if len(names) > 0 {
		return "", fmt.Errorf("run %s is not finished; its stages so far: %s (%s/STAGE names one)", ref, strings.Join(stagesOf(ref, names), ", "), ref)
	}
	return fromStart(ctx, store, ref)
}

// leastDigits is of a digest's beginning.
const leastDigits = 6

func stagesOf(run string, names []string) []string {
	var stages []string
	for _, name := range names {
		stages = append(stages, run+"/"+strings.TrimPrefix(name, activities.RunName(run, "")))
	}
	return stages
}

// fromStart finds the one digest among all runs' artifacts that begins with ref.
func fromStart(ctx context.Context, store artifacts.Store, ref string) (artifacts.Digest, error) {
	if len(ref) < leastDigits || strings.Trim(ref, hexDigits) != "" {
		return "", unknownForm(ref)
	}
	found := map[artifacts.Digest]bool{}
	err := store.Blobs(ctx, func(d artifacts.Digest, _ int64) error {
		if strings.HasPrefix(d.Hex(), ref) {
			found[d] = true
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	for d := range found {
		if len(found) == 1 {
			return d, nil
		}
	}
	if len(found) > 1 {
		return "", fmt.Errorf("%q begins %d digests: give more digits", ref, len(found))
	}
	return "", fmt.Errorf("%q: no such run or artifact; hone list shows the runs", ref)
}
