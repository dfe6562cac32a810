// Package bazaar makes the catalogue that ships with Hone, so that a shop can be played in where there is nothing
// else: products of some thirty kinds with options, attributes and prices, instructions for them, and the nouns of
// their titles, in the form of WebShop's files. Names, texts and prices are our own and mean nobody's products. What is
// made is a function of the seed and of a product's place.
package bazaar

import (
	"bytes"
	"context"
	"fmt"

	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/nouns"
)

// Config says what to make. The products of a longer catalogue begin with those of a shorter one.
type Config struct {
	Seed     uint64
	Products int // 0 means DefaultProducts, up to MostProducts
}

// How many products a catalogue has.
const (
	DefaultProducts = 900
	MostProducts    = 100_000
)

// Files are a catalogue as WebShop's files.
type Files struct {
	Products     []byte // items_shuffle.json
	Attributes   []byte // items_ins_v2.json
	Instructions []byte // items_human_ins.json
	Nouns        []byte // the nouns of titles, by asin
}

// Make makes a catalogue.
func Make(cfg Config) (Files, error) {
	if cfg.Products == 0 {
		cfg.Products = DefaultProducts
	}
	if cfg.Products < 0 || cfg.Products > MostProducts {
		return Files{}, fmt.Errorf("bazaar: %d products, expected 1 to %d", cfg.Products, MostProducts)
	}
	m := maker{seed: cfg.Seed, titles: map[string]bool{}}
	var w writer
	for i := range cfg.Products {
		p, err := m.product(i)
		if err != nil {
			return Files{}, err
		}
		w.add(p)
	}
	return w.files()
}

// Open makes a catalogue and what a shop needs for it: an index and a judge.
func Open(ctx context.Context, cfg Config) (webshop.Config, error) {
	files, err := Make(cfg)
	if err != nil {
		return webshop.Config{}, err
	}
	c, err := webshop.Read(webshop.Sources{
		Products: bytes.NewReader(files.Products), Attributes: bytes.NewReader(files.Attributes), Instructions: bytes.NewReader(files.Instructions),
	})
	if err != nil {
		return webshop.Config{}, fmt.Errorf("bazaar: %w", err)
	}
	table, err := nouns.Parse("bazaar's nouns", files.Nouns)
	if err != nil {
		return webshop.Config{}, err
	}
	index, err := webshop.NewIndex(ctx, c)
	if err != nil {
		return webshop.Config{}, err
	}
	return webshop.Config{Catalogue: c, Searcher: index, Judge: webshop.NewJudge(table)}, nil
}
