package check

import (
	"context"

	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/nouns"
	"github.com/hone-rl/hone/env/webshop/search"
)

// open opens the catalogue, once.
func (c *checker) open(ctx context.Context) (*Opened, error) {
	if c.opened == nil && c.failed == nil {
		c.opened, c.failed = c.openData(ctx)
	}
	return c.opened, c.failed
}

func (c *checker) openData(ctx context.Context) (*Opened, error) {
	data, err := c.cfg.Folder.Data()
	if err != nil {
		return nil, err
	}
	open := c.cfg.Open
	if open == nil {
		open = inMemory
	}
	return open(ctx, webshop.Files{Products: data.Products, Attributes: data.Attributes, Instructions: data.Instructions})
}

func inMemory(ctx context.Context, files webshop.Files) (*Opened, error) {
	catalogue, err := webshop.Open(files)
	if err != nil {
		return nil, err
	}
	index, err := search.New(ctx, catalogue.Documents())
	if err != nil {
		return nil, err
	}
	return &Opened{catalogue, index, func() error { return nil }}, nil
}

// OnDisk stores the catalogue in a folder and opens it there, for Config.Open.
func OnDisk(dir string) func(context.Context, webshop.Files) (*Opened, error) {
	return func(ctx context.Context, files webshop.Files) (*Opened, error) {
		sources, closed, err := files.Open()
		if err != nil {
			return nil, err
		}
		defer closed()
		if err := webshop.Store(ctx, dir, sources, webshop.StoreOptions{}); err != nil {
			return nil, err
		}
		s, err := webshop.OpenStored(dir)
		if err != nil {
			return nil, err
		}
		return &Opened{s.Catalogue, s.Index, s.Close}, nil
	}
}

func (c *checker) close() error {
	if c.opened == nil {
		return nil
	}
	return c.opened.Close()
}

// index is what is searched.
func (c *checker) index(ctx context.Context) (*search.Index, error) {
	if c.cfg.Index != nil {
		return c.cfg.Index, nil
	}
	o, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	return o.Index, nil
}

// judge judges by the folder's table of nouns.
func (c *checker) judge() (webshop.Judge, error) {
	data, err := c.cfg.Folder.Data()
	if err != nil {
		return nil, err
	}
	table, err := nouns.Load(data.Nouns)
	if err != nil {
		return nil, err
	}
	return webshop.NewJudge(table), nil
}

// shopOf is what recordings say of a shop.
type shopOf struct {
	seed         int64
	human, attrs bool
}

// shop is the one that a recording was made in.
func (c *checker) shop(ctx context.Context, of shopOf) (*webshop.Shop, error) {
	if s, ok := c.shops[of]; ok {
		return s, nil
	}
	o, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	judge, err := c.judge()
	if err != nil {
		return nil, err
	}
	s, err := webshop.New(webshop.Config{
		Catalogue: o.Catalogue, Searcher: webshop.NewSearcher(o.Index), Judge: judge,
		Seed: of.seed, Human: of.human, ShowAttributes: of.attrs,
	})
	if err != nil {
		return nil, err
	}
	if c.shops == nil {
		c.shops = map[shopOf]*webshop.Shop{}
	}
	c.shops[of] = s
	return s, nil
}
