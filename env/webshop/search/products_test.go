package search_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hone-rl/hone/env/webshop/search"
	"github.com/hone-rl/hone/internal/outside"
)

// product has the fields of a product that its index text is made of.
type product struct {
	ASIN        string  `json:"asin"`
	Name        string  `json:"name"`
	Description string  `json:"full_description"`
	Bullets     bullets `json:"small_description"`
	Options     options `json:"customization_options"`
}

// bullets are a list, or one text.
type bullets []string

func (b *bullets) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		*b = make(bullets, 1)
		return json.Unmarshal(text, &(*b)[0])
	}
	return json.Unmarshal(text, (*[]string)(b))
}

// options are "name: v1, v2" in the order of the file.
type options []string

func (o *options) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return nil
	}
	in := json.NewDecoder(bytes.NewReader(text))
	if _, err := in.Token(); err != nil {
		return err
	}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return err
		}
		var values []struct{ Value string }
		if err := in.Decode(&values); err != nil {
			return err
		}
		if values == nil {
			continue
		}
		texts := make([]string, len(values))
		for i, v := range values {
			texts[i] = strings.ReplaceAll(strings.TrimSpace(v.Value), "/", " | ")
		}
		*o = append(*o, fmt.Sprintf("%s: %s", name, strings.Join(texts, ", ")))
	}
	return nil
}

func (p *product) document() search.Document {
	first := ""
	if len(p.Bullets) > 0 {
		first = p.Bullets[0]
	}
	text := strings.Join([]string{p.Name, p.Description, first, strings.Join(p.Options, ", and ")}, " ")
	return search.Document{ID: p.ASIN, Text: strings.ToLower(text)}
}

var thousand = sync.OnceValues(func() ([]search.Document, error) {
	text, err := os.ReadFile(thousandPath)
	if err != nil {
		return nil, err
	}
	var products []product
	if err := json.Unmarshal(text, &products); err != nil {
		return nil, err
	}
	docs := make([]search.Document, len(products))
	for i := range products {
		docs[i] = products[i].document()
	}
	return docs, nil
})

var thousandPath string

// products are the index texts of WebShop's thousand products.
func products(t testing.TB) []search.Document {
	t.Helper()
	thousandPath = outside.Shared(t, "webshop-golden", "data", "items_shuffle_1000.json")
	docs, err := thousand()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(docs)
}

// each yields documents and no error.
func each(docs []search.Document) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		for _, d := range docs {
			if !yield(d, nil) {
				return
			}
		}
	}
}

func inMemory(t testing.TB, docs []search.Document) *search.Index {
	t.Helper()
	x, err := search.New(t.Context(), each(docs))
	if err != nil {
		t.Fatal(err)
	}
	return x
}
