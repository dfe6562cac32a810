package webshop

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/hone-rl/hone/env"
)

// Files are the paths of a catalogue's files, named as WebShop publishes them.
type Files struct {
	Products     string // items_shuffle.json: a list of products
	Attributes   string // items_ins_v2.json: attributes and instructions by asin
	Instructions string // items_human_ins.json: instructions by people by asin; "" for none
}

// Sources are the files of a catalogue, opened. Each is read once, from beginning to end.
type Sources struct {
	Products     io.Reader
	Attributes   io.Reader
	Instructions io.Reader // nil for none
}

// Open reads the catalogue of some files.
func Open(files Files) (*Catalogue, error) {
	var sources Sources
	for _, f := range []struct {
		path string
		to   *io.Reader
	}{{files.Products, &sources.Products}, {files.Attributes, &sources.Attributes}, {files.Instructions, &sources.Instructions}} {
		if f.path == "" && f.to == &sources.Instructions {
			continue
		}
		if info, err := os.Stat(f.path); err != nil {
			return nil, err
		} else if !info.Mode().IsRegular() { // a pipe would keep its reader waiting
			return nil, fmt.Errorf("%w: %s is no regular file", env.ErrBadGame, f.path)
		}
		file, err := os.Open(f.path)
		if err != nil {
			return nil, err
		}
		defer file.Close() // only read
		*f.to = file
	}
	return Read(sources)
}

// name is how errors call a source.
func name(r io.Reader, otherwise string) string {
	if f, ok := r.(*os.File); ok {
		return filepath.Base(f.Name())
	}
	return otherwise
}
