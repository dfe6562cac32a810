package webshop

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/hone-rl/hone/env"
)

// keeper takes what is read of a catalogue. What it is given is its own.
type keeper interface {
	// add takes the next product.
	add(p *Product) error
	// describe takes what the file of attributes says of a product, in the place of what it said before.
	describe(at int, attributes []string, in *Instruction) error
	// instruct takes the instructions by people for a product, in the place of those before.
	instruct(at int, list []Instruction) error
}

// reader reads a catalogue's files entry by entry.
type reader struct {
	c      *Catalogue
	keeper keeper
	places map[string]int32  // of categories
	told   func(bytes int64) // that were read; nil for nobody
}

func newReader(k keeper) *reader {
	return &reader{c: newCatalogue(), keeper: k, places: map[string]int32{}}
}

func (r *reader) stream(from io.Reader, otherwise string) *stream {
	s := newStream(name(from, otherwise), from)
	s.lines.told = r.told
	return s
}

func newCatalogue() *Catalogue {
	return &Catalogue{byASIN: map[string]int32{}, byCategory: map[string][]int32{}, byQuery: map[string][]int32{}}
}

// read reads all files. Each is told of every product once it is kept, before the next is read; nil for nobody.
func (r *reader) read(s Sources, each func(*Product) error) error {
	if err := r.readProducts(s, each); err != nil {
		return err
	}
	return r.readOthers(s)
}

func (r *reader) readProducts(s Sources, each func(*Product) error) error {
	if err := r.stream(s.Products, "products").list(func(raw json.RawMessage) error {
		p, err := r.add(raw)
		if err != nil || p == nil || each == nil {
			return err
		}
		return each(p)
	}); err != nil {
		return err
	}
	if len(r.c.rows) == 0 {
		return fmt.Errorf("%w: %s has no product", env.ErrBadGame, name(s.Products, "products"))
	}
	return nil
}

func (r *reader) readOthers(s Sources) error {
	if err := r.stream(s.Attributes, "attributes").object(r.describe); err != nil || s.Instructions == nil {
		return err
	}
	return r.stream(s.Instructions, "instructions").object(r.instruct)
}

// add keeps the product of an entry and returns it, nil for one that the original leaves out.
func (r *reader) add(raw []byte) (*Product, error) {
	entry, err := split(raw)
	if err != nil {
		return nil, err
	}
	asin, err := text("asin", entry.asin)
	if err != nil {
		return nil, err
	}
	switch _, before := r.c.byASIN[asin]; {
	case asin == "nan":
		r.c.passed.Unnamed++
		return nil, nil
	case passedOver(asin):
		r.c.passed.Long++
		return nil, nil
	case before:
		r.c.passed.Repeated++
		return nil, nil
	}
	p, err := entry.product(asin)
	if err != nil {
		return nil, fmt.Errorf("product %q: %w", asin, err)
	}
	p.Attributes = noAttributes
	r.c.list(&p, r.places)
	return &p, r.keeper.add(&p)
}

// list puts a product into the tables that are always in memory.
func (c *Catalogue) list(p *Product, places map[string]int32) {
	category, known := places[p.Category]
	if !known {
		category = int32(len(c.categories))
		places[p.Category] = category
		c.categories = append(c.categories, p.Category)
	}
	one := row{asin: p.ASIN, low: p.Prices[0], high: p.Prices[len(p.Prices)-1], category: category, ranged: len(p.Prices) > 1}
	for _, o := range p.Options {
		one.repeats = one.repeats || repeats(o.Values)
	}
	c.enter(one, p.Query)
}

// enter gives a row its place.
func (c *Catalogue) enter(one row, query string) {
	at := int32(len(c.rows))
	c.rows = append(c.rows, one)
	c.byASIN[one.asin] = at
	category := c.categories[one.category]
	c.byCategory[category] = append(c.byCategory[category], at)
	c.byQuery[query] = append(c.byQuery[query], at)
}

func repeats(values []string) bool {
	seen := map[string]bool{}
	for _, v := range values {
		seen[v] = true
	}
	return len(seen) < len(values)
}
