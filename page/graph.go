package page

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/picture"
)

// graph is what the run was made from, as a picture whose boxes lead to its entries.
type graph struct {
	Note    string
	Picture template.HTML
	Entries []entry
}

// entry is an artifact, or several of a chain.
type entry struct {
	ID         string
	Kind       string
	Digest     string
	What       string
	Stages     []string // of the run
	Producer   string
	Parameters string // JSON
	Inputs     []reference
	Uses       []reference // in this graph
	Files      []fileOf
	MoreFiles  int
	Chain      []reference // of those that the entry stands for
	MoreChain  int
	MoreInputs int
	MoreUses   int
}

// reference is another artifact.
type reference struct {
	Role, Kind, Digest, What string
	Href                     string // "" where the page has no entry for it
}

type fileOf struct{ Name, Size, Digest string }

// lineage draws the graph of the run's manifest or, before it has one, of the stage with the most behind it.
func (r *run) lineage(ctx context.Context) error {
	root := slices.IndexFunc(r.made, func(s stage) bool { return s.name == "run" })
	var g *lineage.Graph
	for i := range r.made {
		if root >= 0 && i != root {
			continue
		}
		one, err := lineage.Trace(ctx, r.store, r.made[i].digest)
		if err != nil {
			return fmt.Errorf("lineage of %s: %w", r.made[i].name, err)
		}
		if g == nil || len(one.Nodes) > len(g.Nodes) {
			g = one
		}
		if root < 0 && g == one {
			r.Lineage = &graph{Note: fmt.Sprintf("The run is not finished: this is what its stage %s was made from.", r.made[i].name)}
		}
	}
	if g == nil {
		return nil
	}
	if r.Lineage == nil {
		r.Lineage = &graph{}
	}
	drawing := picture.Graph(r.Name, g, r.anchor())
	r.Lineage.Picture = drawn(drawing.Inline())
	b := entries{run: r, Graph: g, uses: map[artifacts.Digest][]lineage.Use{}, stages: map[artifacts.Digest][]string{}}
	b.read()
	r.Lineage.Entries = b.list
	return nil
}

// place is the id of an artifact's entry.
func (r *run) place(d artifacts.Digest) string { return picture.Place(r.anchor(), d) }

// entries lists the artifacts of an outline.
type entries struct {
	*run
	*lineage.Graph
	uses   map[artifacts.Digest][]lineage.Use
	stages map[artifacts.Digest][]string
	at     map[artifacts.Digest]string // ids of entries
	list   []entry
}

func (e *entries) read() {
	for _, s := range e.made {
		e.stages[s.digest] = append(e.stages[s.digest], s.name)
	}
	for _, d := range sorted(e.Nodes) {
		for _, in := range e.Nodes[d].Inputs {
			e.uses[in.Digest] = append(e.uses[in.Digest], lineage.Use{Role: in.Role, Digest: d})
		}
	}
	e.at = map[artifacts.Digest]string{}
	var lines []*lineage.Line
	var walk func(l *lineage.Line)
	walk = func(l *lineage.Line) {
		if !l.Above {
			lines = append(lines, l)
			for _, n := range l.Nodes {
				e.at[n.Digest] = e.place(l.Nodes[0].Digest)
				e.shows[n.Digest] = true
			}
		}
		for _, below := range l.Below {
			walk(below)
		}
	}
	walk(e.Outline())
	for _, l := range lines {
		if l.Left {
			e.list = append(e.list, e.chain(l.Nodes))
		} else {
			e.list = append(e.list, e.entry(l.Nodes[0]))
		}
	}
}

func sorted(nodes map[artifacts.Digest]*lineage.Node) []artifacts.Digest {
	all := make([]artifacts.Digest, 0, len(nodes))
	for d := range nodes {
		all = append(all, d)
	}
	slices.Sort(all)
	return all
}

func (e *entries) entry(n *lineage.Node) entry {
	one := entry{
		ID: e.at[n.Digest], Kind: string(n.Kind), Digest: string(n.Digest), What: n.Note(), Stages: e.stages[n.Digest],
		Producer: strings.TrimSpace(n.Producer.Name + " " + n.Producer.Version),
	}
	var parameters bytes.Buffer
	if err := json.Indent(&parameters, n.Parameters(), "", "  "); err == nil && parameters.String() != "{}" {
		one.Parameters = clipped(parameters.String(), mostParameters)
	}
	for _, in := range n.Inputs {
		one.Inputs = append(one.Inputs, e.reference(in.Role, in.Digest))
	}
	for _, u := range e.uses[n.Digest] {
		one.Uses = append(one.Uses, e.reference(u.Role, u.Digest))
	}
	slices.SortFunc(one.Uses, func(a, b reference) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Role, b.Role), strings.Compare(a.Digest, b.Digest))
	})
	one.Inputs, one.MoreInputs = some(one.Inputs, mostInputs)
	one.Uses, one.MoreUses = some(one.Uses, mostInputs)
	for _, out := range n.Outputs {
		one.Files = append(one.Files, fileOf{out.Name, humanize.Bytes(uint64(max(out.Size, 0))), out.Digest.Short()}) //nolint:gosec // not below 0
	}
	one.Files, one.MoreFiles = some(one.Files, mostOutputs)
	return one
}

// chain is the entry of those that are left out of the picture.
func (e *entries) chain(nodes []*lineage.Node) entry {
	one := entry{
		ID: e.at[nodes[0].Digest], Kind: string(nodes[0].Kind),
		What: fmt.Sprintf("%d that stand one behind the other, from %s back", len(nodes), or(nodes[0].Note())),
	}
	for _, n := range nodes {
		one.Chain = append(one.Chain, reference{Kind: string(n.Kind), Digest: string(n.Digest), What: n.Note()})
	}
	one.Chain, one.MoreChain = some(one.Chain, mostArtifacts)
	return one
}

func (e *entries) reference(role string, d artifacts.Digest) reference {
	ref := reference{Role: role, Digest: d.Short()}
	if n := e.Nodes[d]; n != nil {
		ref.Kind, ref.What = string(n.Kind), n.Note()
	}
	if at := e.at[d]; at != "" {
		ref.Href = "#" + at
	}
	return ref
}

// some are the first of all, and how many more there are.
func some[T any](all []T, most int) ([]T, int) {
	n := min(len(all), most)
	return all[:n], len(all) - n
}
