package webshop

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/hone-rl/hone/env/webshop/internal/shelf"
	"github.com/hone-rl/hone/env/webshop/search"
)

// ErrBadStore is the error of a folder whose files are damaged or do not belong together. They can be made again.
var ErrBadStore = errors.New("not a stored catalogue that can be used")

// Stored is a catalogue that stays on disk. What is in memory is some 100 bytes for each product and what the search
// index has been asked for.
type Stored struct {
	Catalogue *Catalogue
	Index     *search.Index
	shelf     *shelf.Shelf
}

// OpenStored opens a folder that Store has written. It must stay as it is until Close.
func OpenStored(dir string) (*Stored, error) {
	s, err := openStored(dir)
	switch {
	case err == nil:
		return s, nil
	case errors.Is(err, shelf.ErrBad), errors.Is(err, search.ErrBadIndex), errors.Is(err, errPacked):
		err = fmt.Errorf("%w: %w (hone webshop index makes it again)", ErrBadStore, err)
	}
	return nil, fmt.Errorf("open the catalogue in %s: %w", dir, err)
}

func openStored(dir string) (s *Stored, err error) {
	s = &Stored{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	var data []byte
	if s.shelf, data, err = shelf.Open(filepath.Join(dir, productsName)); err != nil {
		return s, err
	}
	r, err := readRegister(data)
	if err != nil {
		return s, err
	}
	path := filepath.Join(dir, indexName)
	sum, err := search.Sum(path)
	if err != nil {
		return s, err
	}
	if sum != r.index {
		return s, fmt.Errorf("%w: the index %s belongs to other products", shelf.ErrBad, path)
	}
	if s.Index, err = search.Open(path); err != nil {
		return s, err
	}
	c := newCatalogue()
	c.categories, c.passed = r.categories, r.passed
	c.rows = make([]row, 0, len(r.rows))
	for i, one := range r.rows {
		c.enter(one, r.queries[i])
	}
	if len(c.byASIN) != len(c.rows) {
		return s, fmt.Errorf("%w: %d products with %d asins", shelf.ErrBad, len(c.rows), len(c.byASIN))
	}
	c.products = onDisk{s.shelf, r.places, c.rows}
	s.Catalogue = c
	return s, nil
}

// Close gives the files back. Nothing may be read of the catalogue or found by its index any more.
func (s *Stored) Close() (err error) {
	if s.Index != nil {
		err = s.Index.Close()
	}
	if s.shelf != nil {
		err = errors.Join(err, s.shelf.Close())
	}
	return err
}

// onDisk are products in a file.
type onDisk struct {
	shelf  *shelf.Shelf
	places []places
	rows   []row
}

// product implements products. Its texts are parts of the records that were read.
func (d onDisk) product(at int) (*Product, error) {
	where := d.places[at]
	p := &Product{Attributes: noAttributes}
	for _, part := range []struct {
		at   uint64
		read func(*unpacker, *Product)
	}{{where.product, (*unpacker).product}, {where.described, (*unpacker).described}, {where.human, (*unpacker).human}} {
		if part.at == 0 {
			continue
		}
		data, err := d.shelf.Read(part.at)
		if err != nil {
			return nil, fmt.Errorf("product %d: %w: %w", at+1, ErrBadStore, err)
		}
		u := &unpacker{left: string(data)}
		part.read(u, p)
		if u.err != nil || u.left != "" {
			return nil, fmt.Errorf("product %d: %w: %w", at+1, ErrBadStore, errPacked)
		}
	}
	if !d.rows[at].fits(p) {
		return nil, fmt.Errorf("product %d: %w: its records are not what the register says of %q", at+1, ErrBadStore, d.rows[at].asin)
	}
	return p, nil
}

// fits reports whether a product is what a row says of it.
func (r *row) fits(p *Product) bool {
	asks := p.Instruction != nil && len(p.Instruction.Attributes) > 0
	return p.ASIN == r.asin && p.Prices[0] == r.low && p.Prices[len(p.Prices)-1] == r.high &&
		asks == r.asked && (p.Instruction != nil) == r.asked && (len(p.Human) > 0) == r.byPeople
}
