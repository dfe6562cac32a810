package search

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/hone-rl/hone/env/webshop/search/internal/postings"
)

// A spilled run is a file: for each term, in order, the length of its text, the text, the number of its postings, and these:
// the document, counted from the one before, and the frequency. Numbers are varints.
type spilledRun struct {
	file *os.File
	in   *bufio.Reader
	name string
	text []byte // of name
}

const spillBuffer = 1 << 18

// spill writes the run in memory to a file and begins a new one.
func (b *builder) spill() (err error) {
	path := filepath.Join(b.scratch, fmt.Sprintf("run-%d", len(b.spilled)))
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	b.spilled = append(b.spilled, &spilledRun{file: file})
	out := bufio.NewWriterSize(file, spillBuffer)
	b.run.sort()
	var list []postings.Posting
	var line []byte
	for {
		if err := errors.Join(b.run.advance(), err); err != nil {
			return err
		}
		name := b.run.head()
		if name == "" {
			break
		}
		if list, err = b.run.take(list[:0]); err != nil {
			return err
		}
		line = binary.AppendUvarint(line[:0], uint64(len(name)))
		line = append(line, name...)
		line = binary.AppendUvarint(line, uint64(len(list)))
		before := uint32(0)
		for _, p := range list {
			line = binary.AppendUvarint(line, uint64(p.Doc-before))
			line = binary.AppendUvarint(line, uint64(p.Freq))
			before = p.Doc
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	b.run = run{}
	return out.Flush()
}

// rewind sets the run before its first term.
func (r *spilledRun) rewind() error {
	_, err := r.file.Seek(0, io.SeekStart)
	r.in = bufio.NewReaderSize(r.file, spillBuffer)
	return err
}

func (r *spilledRun) head() string { return r.name }

func (r *spilledRun) advance() error {
	n, err := binary.ReadUvarint(r.in)
	if errors.Is(err, io.EOF) {
		r.name = ""
		return nil
	}
	if err == nil {
		r.text = append(r.text[:0], make([]byte, n)...)
		_, err = io.ReadFull(r.in, r.text)
	}
	r.name = string(r.text)
	return r.told(err)
}

func (r *spilledRun) take(list []postings.Posting) ([]postings.Posting, error) {
	n, err := binary.ReadUvarint(r.in)
	doc := uint64(0)
	for ; n > 0 && err == nil; n-- {
		var step, freq uint64
		step, err = binary.ReadUvarint(r.in)
		if err == nil {
			freq, err = binary.ReadUvarint(r.in)
		}
		doc += step
		list = append(list, postings.Posting{Doc: uint32(doc), Freq: uint32(freq)}) //nolint:gosec // they were
	}
	return list, r.told(err)
}

func (r *spilledRun) told(err error) error {
	if err != nil {
		return fmt.Errorf("read back %s: %w", r.file.Name(), err)
	}
	return nil
}

// close closes the files of the spilled runs.
func (b *builder) close() (err error) {
	for _, r := range b.spilled {
		err = errors.Join(err, r.file.Close())
	}
	return err
}
