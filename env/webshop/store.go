package webshop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/hone-rl/hone/env/webshop/internal/shelf"
	"github.com/hone-rl/hone/env/webshop/search"
)

// The files of a folder that Store writes.
const (
	productsName = "products"
	indexName    = "search"
)

// scratchName is what the folder begins with in which they are written.
const scratchName = ".index-"

// StoreOptions are of Store. Zero fields mean the default.
type StoreOptions struct {
	// Memory is how many bytes of postings are kept before they are written down and merged later, as in search.Options.
	Memory int64
	// Progress is called now and then, on one goroutine.
	Progress func(StoreProgress)
}

// StoreProgress is how far Store is: what it has read of the sources, and written of the index.
type StoreProgress struct {
	Read     int64 // bytes of all sources
	Products int
	Written  int64 // postings
	Postings int64 // of all products, once they are read
}

// Store reads a catalogue, once and entry by entry, and writes it into a folder with its search index, for OpenStored.
// Errors of the sources are as in Read. A folder's files are there once they are whole, and replace those before. The
// same sources give the same bytes. It waits for another that writes into the folder, and removes what one that was
// killed has left there.
func Store(ctx context.Context, dir string, s Sources, o StoreOptions) error {
	if err := store(ctx, dir, s, o); err != nil {
		return fmt.Errorf("store a catalogue in %s: %w", dir, err)
	}
	return nil
}

func store(ctx context.Context, dir string, s Sources, o StoreOptions) (err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	release, err := alone(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	scratch, err := os.MkdirTemp(dir, scratchName+"*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	w, err := shelf.Create(filepath.Join(scratch, productsName))
	if err != nil {
		return err
	}
	k := &onShelf{writer: w}
	finished := false
	defer func() {
		if !finished {
			err = errors.Join(err, w.Close())
		}
	}()
	r := newReader(k)
	var read atomic.Int64
	r.told = func(bytes int64) { read.Add(bytes) }
	if err := storeIndex(ctx, filepath.Join(scratch, indexName), r, s, o, &read); err != nil {
		return err
	}
	if err := r.readOthers(s); err != nil {
		return err
	}
	index, err := search.Sum(filepath.Join(scratch, indexName))
	if err != nil {
		return err
	}
	all := register{rows: r.c.rows, queries: k.queries, places: k.places, categories: r.c.categories, passed: r.c.passed, index: index}
	finished = true
	if err := w.Finish(all.pack()); err != nil {
		return err
	}
	for _, name := range []string{indexName, productsName} {
		if err := os.Rename(filepath.Join(scratch, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// errEnough ends the reading of products that nobody asks for any more.
var errEnough = errors.New("the index takes no more")

// storeIndex reads the products, keeps them, and builds the index of them.
func storeIndex(ctx context.Context, path string, r *reader, s Sources, o StoreOptions, read *atomic.Int64) error {
	docs := func(yield func(search.Document, error) bool) {
		err := r.readProducts(s, func(p *Product) error {
			if !yield(p.indexed(), nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(search.Document{}, err)
		}
	}
	options := search.Options{Memory: o.Memory}
	if o.Progress != nil {
		options.Progress = func(p search.Progress) {
			o.Progress(StoreProgress{Read: read.Load(), Products: p.Documents, Written: p.Written, Postings: p.Postings})
		}
	}
	return search.Build(ctx, path, docs, options)
}

// onShelf keeps products in a file.
type onShelf struct {
	writer  *shelf.Writer
	places  []places
	queries []string
	same    texts
	record  packer
}

func (k *onShelf) append(to *uint64) (err error) {
	*to, err = k.writer.Append(k.record)
	k.record = k.record[:0]
	return err
}

func (k *onShelf) add(p *Product) error {
	if k.same == nil {
		k.same = texts{}
	}
	k.queries = append(k.queries, k.same.one(p.Query))
	k.places = append(k.places, places{})
	k.record.product(p)
	return k.append(&k.places[len(k.places)-1].product)
}

func (k *onShelf) describe(at int, attributes []string, in *Instruction) error {
	k.record.described(attributes, in)
	return k.append(&k.places[at].described)
}

func (k *onShelf) instruct(at int, list []Instruction) error {
	k.record.number(len(list))
	for i := range list {
		k.record.instruction(&list[i])
	}
	return k.append(&k.places[at].human)
}
