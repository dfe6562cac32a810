package webshop

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/internal/regular"
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

// Open reads the catalogue of some files into memory.
func Open(files Files) (*Catalogue, error) {
	s, closed, err := files.Open()
	if err != nil {
		return nil, err
	}
	defer closed()
	return Read(s)
}

// Open opens the files, which closed closes.
func (f Files) Open() (s Sources, closed func(), err error) {
	var opened []*os.File
	closed = func() {
		for _, file := range opened {
			_ = file.Close() // only read
		}
	}
	for _, one := range []struct {
		path string
		to   *io.Reader
	}{{f.Products, &s.Products}, {f.Attributes, &s.Attributes}, {f.Instructions, &s.Instructions}} {
		if one.path == "" && one.to == &s.Instructions {
			continue
		}
		file, _, err := regular.Open(one.path, math.MaxInt64)
		if err != nil {
			closed()
			return Sources{}, nil, fmt.Errorf("%w: %w", env.ErrBadGame, err)
		}
		opened = append(opened, file)
		*one.to = file
	}
	return s, closed, nil
}

// name is how errors call a source.
func name(r io.Reader, otherwise string) string {
	if f, ok := r.(*os.File); ok {
		return filepath.Base(f.Name())
	}
	return otherwise
}
