package webshop

import (
	"encoding/json"
	"fmt"

	"github.com/hone-rl/hone/env"
)

// Catalogue is what a shop sells, in the order of its file. It never changes and may be used from many goroutines.
type Catalogue struct {
	products   []Product
	byASIN     map[string]int32
	byCategory map[string][]int32
	byQuery    map[string][]int32
	passed     Passed
}

// Passed counts what a catalogue leaves out, because the original shop does.
type Passed struct {
	Unnamed  int // products whose asin is "nan"
	Long     int // products whose asin has more than 10 characters
	Repeated int // products whose asin has come before
	Unknown  int // attributes and instructions of products that are not there
}

// Read reads a catalogue. Errors wrap env.ErrBadGame and name the file, the line on which an entry begins, the field
// and what was expected.
func Read(s Sources) (*Catalogue, error) {
	c := &Catalogue{byASIN: map[string]int32{}, byCategory: map[string][]int32{}, byQuery: map[string][]int32{}}
	same := texts{}
	if err := newStream(name(s.Products, "products"), s.Products).list(func(raw json.RawMessage) error {
		return c.add(raw, same)
	}); err != nil {
		return nil, err
	}
	if len(c.products) == 0 {
		return nil, fmt.Errorf("%w: %s has no product", env.ErrBadGame, name(s.Products, "products"))
	}
	if err := newStream(name(s.Attributes, "attributes"), s.Attributes).object(func(asin string, raw json.RawMessage) error {
		return c.describe(asin, raw, same)
	}); err != nil {
		return nil, err
	}
	if s.Instructions == nil {
		return c, nil
	}
	if err := newStream(name(s.Instructions, "instructions"), s.Instructions).object(c.instruct); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Catalogue) add(raw []byte, same texts) error {
	r, err := split(raw)
	if err != nil {
		return err
	}
	asin, err := text("asin", r.asin)
	if err != nil {
		return err
	}
	switch _, before := c.byASIN[asin]; {
	case asin == "nan":
		c.passed.Unnamed++
		return nil
	case passedOver(asin):
		c.passed.Long++
		return nil
	case before:
		c.passed.Repeated++
		return nil
	}
	p, err := r.product(asin)
	if err != nil {
		return fmt.Errorf("product %q: %w", asin, err)
	}
	p.Attributes = noAttributes
	same.share(&p)
	at := int32(len(c.products))
	c.products = append(c.products, p)
	c.byASIN[asin] = at
	c.byCategory[p.Category] = append(c.byCategory[p.Category], at)
	c.byQuery[p.Query] = append(c.byQuery[p.Query], at)
	return nil
}

// Len is how many products there are.
func (c *Catalogue) Len() int { return len(c.products) }

// At is the product at a place of the catalogue's order.
func (c *Catalogue) At(i int) *Product { return &c.products[i] }

// Product is the product of an asin, nil if there is none.
func (c *Catalogue) Product(asin string) *Product {
	if i, ok := c.byASIN[asin]; ok {
		return &c.products[i]
	}
	return nil
}

// Passed is what was left out.
func (c *Catalogue) Passed() Passed { return c.passed }
