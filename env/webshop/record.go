package webshop

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/hone-rl/hone/env/webshop/internal/python"
	"github.com/hone-rl/hone/internal/exact"
)

// record is an entry of the file of products, as far as it counts: its members as they stand, nil for none.
type record struct {
	asin, name, description, bullets, pricing, options, category, query, path []byte
}

// split finds the members of an entry. They are decoded later, and only of a product that is not passed over, so that
// what a catalogue of gigabytes has besides is read no more than once.
func split(raw []byte) (r record, err error) {
	err = exact.Members(raw, func(name string, value []byte) error {
		switch name {
		case "asin":
			r.asin = value
		case "name":
			r.name = value
		case "full_description":
			r.description = value
		case "small_description":
			r.bullets = value
		case "pricing":
			r.pricing = value
		case "customization_options":
			r.options = value
		case "category":
			r.category = value
		case "query":
			r.query = value
		case "product_category":
			r.path = value
		}
		return nil
	})
	return r, err
}

// passedOver reports whether the original shop leaves a product of this asin out.
func passedOver(asin string) bool { return asin == "nan" || utf8.RuneCountInString(asin) > 10 }

// product decodes an entry of an asin that was read before.
func (r *record) product(asin string) (Product, error) {
	if asin == "" {
		return Product{}, errors.New("asin is empty, expected a name of up to 10 characters")
	}
	p := Product{ASIN: asin}
	for _, f := range []struct {
		key   string
		value []byte
		to    *string
	}{
		{"name", r.name, &p.Title},
		{"full_description", r.description, &p.Description},
		{"category", r.category, &p.Category},
		{"query", r.query, &p.Query},
		{"product_category", r.path, &p.CategoryPath},
	} {
		var err error
		if *f.to, err = text(f.key, f.value); err != nil {
			return Product{}, err
		}
	}
	p.Query = python.Strip(python.Lower(p.Query))
	var err error
	if p.Bullets, err = bullets(r.bullets); err != nil {
		return Product{}, fmt.Errorf("small_description: %w", err)
	}
	if p.Options, err = options(r.options); err != nil {
		return Product{}, fmt.Errorf("customization_options: %w", err)
	}
	priced := ""
	if r.pricing != nil && !isNull(r.pricing) {
		if priced, err = text("pricing", r.pricing); err != nil {
			return Product{}, err
		}
	}
	if p.Prices, err = prices(priced); err != nil {
		return Product{}, err
	}
	p.Tag = tag(p.Prices)
	return p, nil
}

func isNull(value []byte) bool { return string(value) == "null" }

// text decodes a text that must be there.
func text(key string, value []byte) (string, error) {
	if value == nil {
		return "", fmt.Errorf("no %q, expected a text", key)
	}
	s, err := exact.Text(value)
	if err != nil {
		return "", fmt.Errorf("%s is %.60q, expected a text", key, value)
	}
	return s, nil
}
