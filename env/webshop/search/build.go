package search

import (
	"cmp"
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
	// 384 MiB by default, 16 MiB to 16 GiB. A build takes about twice that, and 100 bytes for each document and each term.
	Memory int64
	// Scratch is a folder for those files, that of the index by default. The build removes them.
	Scratch string
	// Progress is called on Build's goroutine, every 4,096 documents and every 16,384 terms, and at the
	// end of both.
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
	mostMemory    = recordCost * maxRecords
)

// Build writes an index of docs to path, which exists whole or not at all. An error of docs, which is read on a goroutine of
// its own, ends it. The same documents give the same bytes.
func Build(ctx context.Context, path string, docs iter.Seq2[Document, error], o Options) error {
	if o.Memory == 0 {
		o.Memory = defaultMemory
	}
	if o.Memory < leastMemory || o.Memory > mostMemory {
		return fmt.Errorf("build search index %s: %d bytes of memory, expected %d to %d", path, o.Memory, leastMemory, int64(mostMemory))
	}
	b := builder{memory: o.Memory, scratch: cmp.Or(o.Scratch, filepath.Dir(path)), progress: o.Progress}
	if err := b.build(ctx, path, docs); err != nil {
		return fmt.Errorf("build search index %s: %w", path, err)
	}
	return nil
}

func (b *builder) build(ctx context.Context, path string, docs iter.Seq2[Document, error]) (err error) {
	if b.scratch, err = os.MkdirTemp(b.scratch, "."+filepath.Base(path)+".*"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close(), os.RemoveAll(b.scratch)) }()
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

// New makes an index in memory, of up to about a thousand million postings. It takes as much memory as a file would
// on disk, and while it is made also what Build would keep in scratch files. docs is read on a goroutine of its own.
func New(ctx context.Context, docs iter.Seq2[Document, error]) (*Index, error) {
	b := builder{memory: mostMemory}
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
