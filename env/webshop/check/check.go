// Package check holds the shop against recordings of WebShop's own environment, folders in the layout that package
// golden reads: every page of the episodes, every reward with its parts, search, analysis, score, goal, price, session,
// reply and draw.
package check

import (
	"context"
	"errors"
	"slices"

	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/golden"
	"github.com/hone-rl/hone/env/webshop/search"
)

// Kind is what is compared.
type Kind string

// The kinds, as counts name them.
const (
	Episodes  Kind = "episodes" // no further than to the first page that differs
	Pages     Kind = "pages"    // of the episodes
	Purchases Kind = "reward cases"
	Scores    Kind = "token-set scores"
	Searches  Kind = "searches"
	Texts     Kind = "analysed texts"
	Goals     Kind = "goals"
	Prices    Kind = "prices"   // drawn within a range, of a list of goals
	Sessions  Kind = "sessions" // at random, of a list of goals
	Replies   Kind = "replies"
	Draws     Kind = "generators"
	Tables    Kind = "tables" // of colours, and of the index's sizes
)

// Config says what is compared.
type Config struct {
	Folder golden.Folder
	// Kinds are what is compared; nil is all. Pages come with Episodes, Prices and Sessions with Goals.
	Kinds []Kind
	// Project is what the player's side makes of a model's reply: the action, and whether it was of the right form. Nil
	// leaves replies out.
	Project func(text string) (action string, valid bool)
	// Open opens the catalogue and its index, and Close gives back what that took. Nil reads the catalogue into memory.
	Open func(context.Context, webshop.Files) (*Opened, error)
	// Index is searched in the place of the catalogue's own; nil for that.
	Index *search.Index
	// Progress is called with what is compared next.
	Progress func(Kind)
}

// Opened is a catalogue with its index.
type Opened struct {
	Catalogue *webshop.Catalogue
	Index     *search.Index
	Close     func() error
}

// parts are the comparisons in their order.
var parts = []struct {
	kind Kind
	do   func(*checker, context.Context) error
}{
	{Tables, (*checker).tables},
	{Draws, (*checker).draws},
	{Texts, (*checker).texts},
	{Scores, (*checker).scores},
	{Searches, (*checker).searches},
	{Replies, (*checker).replies},
	{Purchases, (*checker).purchases},
	{Goals, (*checker).goals},
	{Episodes, (*checker).episodes},
}

// Run compares. What differs is in the result. What could not be read or compared is in the error, which names file and
// line, of each kind the first few; all else was compared nevertheless, and counts.
func Run(ctx context.Context, cfg Config) (r Result, err error) {
	c := &checker{cfg: cfg}
	defer func() { err = errors.Join(err, c.close()) }()
	for _, p := range parts {
		if cfg.Kinds != nil && !slices.Contains(cfg.Kinds, p.kind) || p.kind == Replies && cfg.Project == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return c.result, err
		}
		if cfg.Progress != nil {
			cfg.Progress(p.kind)
		}
		if err := p.do(c, ctx); err != nil {
			c.fault(p.kind, err)
		}
	}
	return c.result, c.faulty()
}

// checker compares, one part after the other.
type checker struct {
	cfg    Config
	result Result
	faults []*faults // of which the result says nothing
	opened *Opened
	failed error // why the catalogue cannot be opened
	shops  map[shopOf]*webshop.Shop
}
