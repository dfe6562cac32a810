package games

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/nouns"
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
	if g.folder != "" && products(m) > g.most {
		err = g.onDisk(ctx, d, m, &cfg)
	} else {
		err = g.loaded(ctx, m, &cfg)
	}
	if err != nil {
		return cfg, err
	}
	cfg.Judge, err = g.judge(ctx, m, cfg.Catalogue)
	return cfg, err
}

// products is how many a catalogue's manifest says that it has.
func products(m *artifacts.Manifest) int {
	var said struct {
		Products int `json:"products"`
	}
	_ = json.Unmarshal(m.Summary, &said) // else it is as if small
	return said.Products
}

// loaded has a catalogue and its index in memory.
func (g *Games) loaded(ctx context.Context, m *artifacts.Manifest, cfg *webshop.Config) (err error) {
	if err = g.sources(ctx, m, func(s webshop.Sources) (err error) {
		cfg.Catalogue, err = webshop.Read(s)
		return err
	}); err != nil {
		return err
	}
	cfg.Searcher, err = webshop.NewIndex(ctx, cfg.Catalogue)
	return err
}

// onDisk has a large catalogue and its index in the folder, which it writes once. Its files stay open.
func (g *Games) onDisk(ctx context.Context, d artifacts.Digest, m *artifacts.Manifest, cfg *webshop.Config) error {
	dir := filepath.Join(g.folder, d.Hex())
	s, err := webshop.OpenStored(dir)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, webshop.ErrBadStore) {
		if err = g.sources(ctx, m, func(s webshop.Sources) error { return webshop.Store(ctx, dir, s, webshop.StoreOptions{}) }); err == nil {
			s, err = webshop.OpenStored(dir)
		}
	}
	if err != nil {
		return err
	}
	cfg.Catalogue, cfg.Searcher = s.Catalogue, webshop.NewSearcher(s.Index)
	return nil
}

// output opens a file of a catalogue; nil if it has none of that name.
func (g *Games) output(ctx context.Context, m *artifacts.Manifest, name string) (io.ReadCloser, error) {
	i := slices.IndexFunc(m.Outputs, func(o artifacts.Output) bool { return o.Name == name })
	if i < 0 {
		return nil, nil
	}
	return g.store.Open(ctx, m.Outputs[i].Digest)
}

// sources opens the files of a catalogue for read.
func (g *Games) sources(ctx context.Context, m *artifacts.Manifest, read func(webshop.Sources) error) error {
	var s webshop.Sources
	var opened []*reading
	for _, f := range []struct {
		name string
		to   *io.Reader
	}{{productsFile, &s.Products}, {attributesFile, &s.Attributes}, {instructionsFile, &s.Instructions}} {
		r, err := g.output(ctx, m, f.name)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", f.name, err)
		case r != nil:
			defer r.Close() // only read
			from := &reading{Reader: r}
			opened, *f.to = append(opened, from), from
		case f.to != &s.Instructions:
			return activities.Wrong(fmt.Errorf("it has no %s", f.name))
		}
	}
	err := read(s)
	if errors.Is(err, env.ErrBadGame) && !slices.ContainsFunc(opened, func(r *reading) bool { return r.failed }) {
		err = activities.Wrong(err) // it is what is stored, and stays so
	}
	return err
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
	var unread error
	judge, err := judgeBy(table, func(yield func(string, string) bool) {
		for i := range c.Len() {
			p, err := c.At(i)
			if unread = err; err != nil || !yield(p.ASIN, p.Title) {
				return
			}
		}
	})
	if unread != nil {
		return nil, unread
	}
	return judge, activities.Wrong(err)
}

// judgeBy judges by a table, and by what it teaches of the titles of products, by asin.
func judgeBy(table *nouns.Table, titles iter.Seq2[string, string]) (webshop.Judge, error) {
	guess, err := nouns.NewGuess(table, titles)
	if err != nil {
		return nil, err
	}
	return webshop.NewJudge(guess), nil
}
