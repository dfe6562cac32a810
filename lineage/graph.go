// Package lineage walks from an artifact back to what it was made from, or on to what was made from it, and checks that
// everything on the way is what it says it is.
package lineage

import (
	"context"
	"encoding/json"
	"fmt"

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

	Names []string `json:"names,omitempty"` // that point at it; in a graph of what was made from its root
	Uses  []Use    `json:"uses,omitempty"`  // there also: what was made from it in turn

	// Sources are where a model that was made from nothing here came from, as recorded beside it.
	Sources []activities.Source `json:"sources,omitempty"`

	parameters json.RawMessage
}

// Parameters are all that the artifact's content depends on besides its inputs, as its manifest has them.
func (n *Node) Parameters() json.RawMessage { return n.parameters }

// Graph is an artifact with all that it was made from, or all that was made from it.
type Graph struct {
	Root    artifacts.Digest           `json:"root"`
	Forward bool                       `json:"forward,omitempty"` // what was made from it
	Nodes   map[artifacts.Digest]*Node `json:"nodes"`
	Unread  []Finding                  `json:"unread,omitempty"` // what may lead to the root and could not be read

	kinds map[artifacts.Digest]artifacts.Kind // forwards, also of inputs that were not made from the root
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
	if err := g.node(ctx, store, d, m); err != nil {
		return err
	}
	for _, in := range m.Inputs {
		if err := g.add(ctx, store, in.Digest); err != nil {
			return fmt.Errorf("%s of %s %s: %w", in.Role, m.Kind, d.Short(), err)
		}
	}
	return nil
}

// node adds an artifact by its manifest.
func (g *Graph) node(ctx context.Context, store artifacts.Store, d artifacts.Digest, m *artifacts.Manifest) (err error) {
	n := &Node{Digest: d, Kind: m.Kind, Producer: m.Producer, Summary: m.Summary, Inputs: m.Inputs, Outputs: m.Outputs, parameters: m.Parameters}
	g.Nodes[d] = n
	if n.foreign() {
		if n.Sources, err = activities.Sources(ctx, store, d); err != nil {
			return fmt.Errorf("sources of %s %s: %w", m.Kind, d.Short(), err)
		}
	}
	return nil
}

// foreign says whether n is a model that was pulled, imported or made of a configuration.
func (n *Node) foreign() bool { return n.Kind == artifacts.KindModel && len(n.Inputs) == 0 }
