package webshop

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hone-rl/hone/env/webshop/internal/python"
	"github.com/hone-rl/hone/internal/exact"
)

// record is an entry of the file of products, as far as it counts.
type record struct {
	ASIN         *string  `json:"asin"`
	Name         *string  `json:"name"`
	Description  *string  `json:"full_description"`
	Bullets      *bullets `json:"small_description"`
	Pricing      string   `json:"pricing"`
	Options      *options `json:"customization_options"`
	Category     *string  `json:"category"`
	Query        *string  `json:"query"`
	CategoryPath *string  `json:"product_category"`
}

// identify reads the asin alone: an entry that is passed over need not be right.
func identify(raw []byte) (string, error) {
	var r struct {
		ASIN *string `json:"asin"`
	}
	switch err := exact.Unmarshal(raw, &r); {
	case err != nil:
		return "", err
	case r.ASIN == nil:
		return "", errors.New(`no "asin", expected a text`)
	}
	return *r.ASIN, nil
}

// passedOver reports whether the original shop leaves a product of this asin out.
func passedOver(asin string) bool { return asin == "nan" || utf8.RuneCountInString(asin) > 10 }

// product reads an entry that identify has read.
func product(raw []byte) (Product, error) {
	var r record
	if err := exact.Unmarshal(raw, &r); err != nil {
		return Product{}, err
	}
	for _, f := range []struct {
		key  string
		text *string
	}{
		{"name", r.Name},
		{"full_description", r.Description},
		{"category", r.Category},
		{"query", r.Query},
		{"product_category", r.CategoryPath},
	} {
		if f.text == nil {
			return Product{}, fmt.Errorf("no %q, expected a text", f.key)
		}
	}
	switch {
	case *r.ASIN == "":
		return Product{}, errors.New(`"asin" is empty, expected a name of up to 10 characters`)
	case r.Bullets == nil:
		return Product{}, errors.New(`no "small_description", expected a list of texts`)
	}
	p := Product{
		ASIN: *r.ASIN, Title: *r.Name, Description: *r.Description, Bullets: *r.Bullets,
		Category: *r.Category, Query: python.Strip(python.Lower(*r.Query)), CategoryPath: *r.CategoryPath,
	}
	if r.Options != nil {
		p.Options = *r.Options
	}
	var err error
	if p.Prices, err = prices(r.Pricing); err != nil {
		return Product{}, err
	}
	p.Tag = tag(p.Prices)
	return p, nil
}

// bullets is a list of texts, or one text for a list of one.
type bullets []string

// UnmarshalJSON implements json.Unmarshaler.
func (b *bullets) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		*b = bullets{""}
		return json.Unmarshal(text, &(*b)[0])
	}
	var list []string
	if err := exact.Unmarshal(text, &list); err != nil || list == nil {
		return fmt.Errorf("small_description: %.60q, expected a text or a list of texts", text)
	}
	*b = list
	return nil
}

// options is what may be chosen: an object of lists, or an empty text for none. A name in two spellings that differ
// in case only has the place of the first and the values of the last, as in a Python dictionary.
type options []Option

// UnmarshalJSON implements json.Unmarshaler.
func (o *options) UnmarshalJSON(text []byte) error {
	if string(text) == `""` {
		return nil
	}
	if text[0] != '{' {
		return fmt.Errorf("customization_options: %.60q, expected an object of lists or an empty text", text)
	}
	return exact.Members(text, func(name string, value []byte) error {
		value = bytes.TrimSpace(value)
		if string(value) == "null" {
			return nil
		}
		var list []struct {
			Value *string `json:"value"`
		}
		if err := exact.Unmarshal(value, &list); err != nil {
			return fmt.Errorf("customization_options: %.100q: %w", name, err)
		}
		option := Option{Name: python.Lower(name), Values: make([]string, len(list))}
		for i, v := range list {
			if v.Value == nil {
				return fmt.Errorf(`customization_options: %.100q: value %d has no "value", expected a text`, name, i+1)
			}
			option.Values[i] = python.Lower(strings.ReplaceAll(python.Strip(*v.Value), "/", " | "))
		}
		if at := slices.IndexFunc(*o, func(before Option) bool { return before.Name == option.Name }); at >= 0 {
			(*o)[at] = option
		} else {
			*o = append(*o, option)
		}
		return nil
	})
}
