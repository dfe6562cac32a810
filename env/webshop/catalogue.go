package webshop

import (
	"errors"
	"fmt"
)

// Catalogue is what a shop sells, in the order of its file. It never changes and may be used from many goroutines. Its
// products are in memory, or in a file that Store has written.
type Catalogue struct {
	products   products
	rows       []row
	categories []string
	byASIN     map[string]int32
	byCategory map[string][]int32
	byQuery    map[string][]int32
	passed     Passed
}

// products are where a catalogue has its products.
type products interface {
	// product is the one at a place. An error says that it can't be read any more.
	product(at int) (*Product, error)
}

// row is what of a product is always in memory.
type row struct {
	asin      string
	low, high float64 // in dollars
	category  int32   // its place in categories
	ranged    bool    // the price is to be drawn between the two
	asked     bool    // it has an instruction
	byPeople  bool    // it has instructions by people
	repeats   bool    // two of its goals may ask for the same
}

// Passed counts what a catalogue leaves out, because the original shop does.
type Passed struct {
	Unnamed  int // products whose asin is "nan"
	Long     int // products whose asin has more than 10 characters
	Repeated int // products whose asin has come before
	Unknown  int // attributes and instructions of products that are not there
}

// ErrNoProduct is the error of an asin that a catalogue does not have.
var ErrNoProduct = errors.New("there is no such product")

// Read reads a catalogue into memory. Errors wrap env.ErrBadGame and name the file, the line on which an entry begins,
// the field and what was expected.
func Read(s Sources) (*Catalogue, error) {
	kept := &inMemory{same: texts{}}
	r := newReader(kept)
	if err := r.read(s, nil); err != nil {
		return nil, err
	}
	r.c.products = kept.products
	return r.c, nil
}

// inMemory keeps products in memory.
type inMemory struct {
	products memory
	same     texts
}

type memory []Product

func (m memory) product(at int) (*Product, error) { return &m[at], nil }

func (k *inMemory) add(p *Product) error {
	k.same.share(p)
	k.products = append(k.products, *p)
	return nil
}

func (k *inMemory) describe(at int, attributes []string, in *Instruction) error {
	k.same.list(attributes)
	if in != nil {
		k.same.list(in.Attributes)
	}
	k.products[at].Attributes, k.products[at].Instruction = attributes, in
	return nil
}

func (k *inMemory) instruct(at int, list []Instruction) error {
	k.products[at].Human = list
	return nil
}

// Len is how many products there are.
func (c *Catalogue) Len() int { return len(c.rows) }

// At is the product at a place of the catalogue's order. An error says that it cannot be read from its file any more.
func (c *Catalogue) At(i int) (*Product, error) { return c.products.product(i) }

// Product is the product of an asin, ErrNoProduct if there is none.
func (c *Catalogue) Product(asin string) (*Product, error) {
	i, ok := c.byASIN[asin]
	if !ok {
		return nil, fmt.Errorf("asin %.20q: %w", asin, ErrNoProduct)
	}
	return c.At(int(i))
}

// Passed is what was left out.
func (c *Catalogue) Passed() Passed { return c.passed }
