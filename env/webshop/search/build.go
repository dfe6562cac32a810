package search

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
)

// Options are of Build. Zero fields mean the default.
type Options struct {
	// Memory is how many bytes of postings are kept before they are written to a file of their own and merged later,
	// 384 MiB by default, at least 16 MiB. A build takes about twice that, and 100 bytes for each document and each term.
	Memory int64
	// Scratch is a folder for those files, that of the index by default. The build removes them.
	Scratch string
	// Progress is called on Build's goroutine, every few thousand documents and every few million postings.
	Progress func(Progress)
}

// Progress is how far a build is. All documents are read before postings are written.
type Progress struct {
	Documents int   // read so far
	Written   int64 // of the postings
	Postings  int64 // of the documents read
}

const (
	defaultMemory = 384 << 20
	leastMemory   = 16 << 20
)

// Build writes an index of docs to path, which exists whole or not at all. An error of docs ends it. The same documents give
// the same bytes.
func Build(ctx context.Context, path string, docs iter.Seq2[Document, error], o Options) error {
	if o.Memory == 0 {
		o.Memory = defaultMemory
	}
	if o.Memory < leastMemory {
		return fmt.Errorf("build search index %s: %d bytes of memory, expected at least %d", path, o.Memory, leastMemory)
	}
	if err := buildFile(ctx, path, docs, o); err != nil {
		return fmt.Errorf("build search index %s: %w", path, err)
	}
	return nil
}

func buildFile(ctx context.Context, path string, docs iter.Seq2[Document, error], o Options) (err error) {
	scratch := o.Scratch
	if scratch == "" {
		scratch = filepath.Dir(path)
	}
	if scratch, err = os.MkdirTemp(scratch, "."+filepath.Base(path)+".*"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	b := builder{memory: o.Memory, scratch: scratch, progress: o.Progress}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.read(ctx, docs); err != nil {
		return err
	}
	return writeFile(path, func(file *os.File) error { return b.write(ctx, file) })
}

// writeFile gives a file to fill, and then its name.
func writeFile(path string, fill func(*os.File) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = file.Close() // or it is closed
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	if err := fill(file); err != nil {
		return err
	}
	if err := errors.Join(file.Chmod(0o644), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// New makes an index in memory. It takes as much as a file would, and while it is made what Build would write to files.
func New(ctx context.Context, docs iter.Seq2[Document, error]) (*Index, error) {
	b := builder{memory: 1 << 62}
	var data memory
	err := b.read(ctx, docs)
	if err == nil {
		err = b.write(ctx, &data)
	}
	if err != nil {
		return nil, fmt.Errorf("build search index: %w", err)
	}
	c, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("build search index: %w", err)
	}
	return &Index{content: c}, nil
}

// memory is a file in memory.
type memory []byte

func (m *memory) Write(p []byte) (int, error) {
	*m = append(*m, p...)
	return len(p), nil
}

func (m *memory) WriteAt(p []byte, at int64) (int, error) {
	return copy((*m)[at:], p), nil
}
