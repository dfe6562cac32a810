package webshop

import (
	"context"
	"iter"
	"strings"

	"github.com/hone-rl/hone/env/webshop/internal/python"
	"github.com/hone-rl/hone/env/webshop/search"
)

// NewIndex makes an index of a catalogue, in memory.
func NewIndex(ctx context.Context, c *Catalogue) (Searcher, error) {
	index, err := search.New(ctx, c.Documents())
	if err != nil {
		return nil, err
	}
	return NewSearcher(index), nil
}

// NewSearcher searches in an index of Documents.
func NewSearcher(index *search.Index) Searcher { return searcher{index} }

type searcher struct{ *search.Index }

// Search implements Searcher.
func (s searcher) Search(words string, most int) ([]string, error) {
	hits, err := s.Index.Search(words, most)
	if err != nil {
		return nil, err
	}
	asins := make([]string, len(hits))
	for i, h := range hits {
		asins[i] = h.ID
	}
	return asins, nil
}

// Documents are the products as an index has them.
func (c *Catalogue) Documents() iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		for i := range c.Len() {
			p, err := c.At(i)
			if err != nil {
				yield(search.Document{}, err)
				return
			}
			if !yield(p.indexed(), nil) {
				return
			}
		}
	}
}

// indexed is the product as an index has it: its title, description, first bullet and options.
func (p *Product) indexed() search.Document {
	bullet := ""
	if len(p.Bullets) > 0 {
		bullet = p.Bullets[0]
	}
	options := make([]string, len(p.Options))
	for i, o := range p.Options {
		options[i] = o.Name + ": " + strings.Join(o.Values, ", ")
	}
	text := python.Lower(strings.Join([]string{p.Title, p.Description, bullet, strings.Join(options, ", and ")}, " "))
	return search.Document{ID: p.ASIN, Text: text}
}
