package games

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/nouns"
	"github.com/hone-rl/hone/env/webshop/search"
	"github.com/hone-rl/hone/version"
)

// The outputs of a stored catalogue, named as WebShop publishes them; nouns are those of titles, by asin.
const (
	productsFile     = "items_shuffle.json"
	attributesFile   = "items_ins_v2.json"
	instructionsFile = "items_human_ins.json"
	nounsFile        = "title_nouns.json"
)

// source is a file of a catalogue to be stored.
type source struct {
	name string
	data io.ReadSeeker
}

// storeCatalogue stores the files of a catalogue of so many products. Its digest follows from the files alone.
func storeCatalogue(ctx context.Context, store artifacts.Store, products int, files []source) (artifacts.Digest, error) {
	m := artifacts.Manifest{
		SchemaVersion: 1, MediaType: artifacts.MediaTypeManifest, Kind: artifacts.KindCatalogue,
		Producer: artifacts.Producer{Name: "hone", Version: version.Import},
	}
	for _, f := range files {
		d, err := store.Put(ctx, artifacts.MediaTypeOf(f.name), f.data)
		if err != nil {
			return "", fmt.Errorf("store %s: %w", f.name, err)
		}
		m.Outputs = append(m.Outputs, artifacts.Output{Name: f.name, Descriptor: d})
	}
	var err error
	if m.Summary, err = json.Marshal(map[string]int{"products": products}); err != nil {
		return "", err
	}
	d, err := artifacts.PutManifest(ctx, store, m)
	if err != nil {
		return "", fmt.Errorf("store catalogue: %w", err)
	}
	return d.Digest, store.Name(ctx, activities.CatalogueName(d.Digest), d.Digest)
}

// openCatalogue reads a stored catalogue, with its index and its judge.
func (g *Games) openCatalogue(ctx context.Context, d artifacts.Digest) (cfg webshop.Config, err error) {
	m, err := artifacts.GetManifest(ctx, g.store, d)
	if err != nil {
		return cfg, err
	}
	if m.Kind != artifacts.KindCatalogue {
		return cfg, activities.Wrong(fmt.Errorf("it is of kind %s, expected a catalogue", m.Kind))
	}
	if cfg.Catalogue, err = g.readCatalogue(ctx, m); err != nil {
		return cfg, err
	}
	if cfg.Judge, err = g.judge(ctx, m, cfg.Catalogue); err != nil {
		return cfg, err
	}
	cfg.Searcher, err = g.index(ctx, d, cfg.Catalogue)
	return cfg, err
}

// output opens a file of a catalogue; nil if it has none of that name.
func (g *Games) output(ctx context.Context, m *artifacts.Manifest, name string) (io.ReadCloser, error) {
	i := slices.IndexFunc(m.Outputs, func(o artifacts.Output) bool { return o.Name == name })
	if i < 0 {
		return nil, nil
	}
	return g.store.Open(ctx, m.Outputs[i].Digest)
}

func (g *Games) readCatalogue(ctx context.Context, m *artifacts.Manifest) (*webshop.Catalogue, error) {
	var s webshop.Sources
	var read []*reading
	for _, f := range []struct {
		name string
		to   *io.Reader
	}{{productsFile, &s.Products}, {attributesFile, &s.Attributes}, {instructionsFile, &s.Instructions}} {
		r, err := g.output(ctx, m, f.name)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", f.name, err)
		case r != nil:
			defer r.Close() // only read
			from := &reading{Reader: r}
			read, *f.to = append(read, from), from
		case f.to != &s.Instructions:
			return nil, activities.Wrong(fmt.Errorf("it has no %s", f.name))
		}
	}
	c, err := webshop.Read(s)
	if err != nil && !slices.ContainsFunc(read, func(r *reading) bool { return r.failed }) {
		err = activities.Wrong(err) // it is what is stored, and stays so
	}
	return c, err
}

// reading knows whether reading itself has failed, where what was read is not to blame.
type reading struct {
	io.Reader
	failed bool
}

// Read implements io.Reader.
func (r *reading) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.failed = r.failed || err != nil && !errors.Is(err, io.EOF)
	return n, err
}

// judge judges by the catalogue's nouns; for titles that it has none of, by what these teach.
func (g *Games) judge(ctx context.Context, m *artifacts.Manifest, c *webshop.Catalogue) (webshop.Judge, error) {
	r, err := g.output(ctx, m, nounsFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", nounsFile, err)
	}
	if r == nil {
		return nil, activities.Wrong(fmt.Errorf("it has no %s", nounsFile))
	}
	defer r.Close() // only read
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", nounsFile, err)
	}
	table, err := nouns.Parse(nounsFile, data)
	if err != nil {
		return nil, activities.Wrong(err)
	}
	judge, err := judgeBy(table, c)
	return judge, activities.Wrong(err)
}

func judgeBy(table *nouns.Table, c *webshop.Catalogue) (webshop.Judge, error) {
	guess, err := nouns.NewGuess(table, func(yield func(string, string) bool) {
		for i := range c.Len() {
			if p := c.At(i); !yield(p.ASIN, p.Title) {
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return webshop.NewJudge(guess), nil
}

// inMemory is up to how many products a catalogue's index is made anew in memory: that takes a second.
const inMemory = 20_000

// index searches a catalogue; that of a large one is made once and kept.
func (g *Games) index(ctx context.Context, d artifacts.Digest, c *webshop.Catalogue) (webshop.Searcher, error) {
	if g.indexes == "" || c.Len() <= inMemory {
		return webshop.NewIndex(ctx, c)
	}
	path := filepath.Join(g.indexes, d.Hex()+".index")
	_, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		if err = os.MkdirAll(g.indexes, 0o755); err == nil {
			err = search.Build(ctx, path, c.Documents(), search.Options{})
		}
	}
	if err != nil {
		return nil, err
	}
	index, err := search.Open(path)
	if err != nil {
		return nil, err
	}
	return webshop.NewSearcher(index), nil
}
