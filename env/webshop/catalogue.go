package webshop

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

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

// Files are the paths of a catalogue's files, named as WebShop publishes them.
type Files struct {
	Products     string // items_shuffle.json: a list of products
	Attributes   string // items_ins_v2.json: attributes and instructions by asin
	Instructions string // items_human_ins.json: instructions by people by asin; "" for none
}

// Sources are the files of a catalogue, opened. Each is read once, from beginning to end.
type Sources struct {
	Products     io.Reader
	Attributes   io.Reader
	Instructions io.Reader // nil for none
}

// Open reads the catalogue of some files.
func Open(files Files) (*Catalogue, error) {
	var sources Sources
	for _, f := range []struct {
		path string
		to   *io.Reader
	}{{files.Products, &sources.Products}, {files.Attributes, &sources.Attributes}, {files.Instructions, &sources.Instructions}} {
		if f.path == "" && f.to == &sources.Instructions {
			continue
		}
		if info, err := os.Stat(f.path); err != nil {
			return nil, err
		} else if !info.Mode().IsRegular() { // a pipe would keep its reader waiting
			return nil, fmt.Errorf("%w: %s is no regular file", env.ErrBadGame, f.path)
		}
		file, err := os.Open(f.path)
		if err != nil {
			return nil, err
		}
		defer file.Close() // only read
		*f.to = file
	}
	return Read(sources)
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

// name is how errors call a source.
func name(r io.Reader, otherwise string) string {
	if f, ok := r.(*os.File); ok {
		return filepath.Base(f.Name())
	}
	return otherwise
}

func (c *Catalogue) add(raw []byte, same texts) error {
	asin, err := identify(raw)
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
	p, err := product(raw)
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
