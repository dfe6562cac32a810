package safetensors

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Write writes tensors in the order of larger elements first, then by name, as the reference implementation does,
// so that each begins at a multiple of its element's size. The header is padded with blanks to a multiple of 8.
func Write(w io.Writer, metadata map[string]string, tensors []Tensor) error {
	order := slices.Clone(tensors)
	slices.SortFunc(order, func(a, b Tensor) int {
		if d := b.DType.Size() - a.DType.Size(); d != 0 {
			return int(d)
		}
		return strings.Compare(a.Name, b.Name)
	})
	header, err := header(metadata, order)
	if err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	if err := binary.Write(w, binary.LittleEndian, uint64(len(header))); err != nil {
		return fmt.Errorf("safetensors: write: %w", err)
	}
	if _, err := w.Write(header); err != nil {
		return fmt.Errorf("safetensors: write: %w", err)
	}
	for _, t := range order {
		if err := t.write(w); err != nil {
			return fmt.Errorf("safetensors: write tensor %q: %w", t.Name, err)
		}
	}
	return nil
}

// write writes the elements. A source that gives too few or too many would shift all that follows.
func (t *Tensor) write(w io.Writer) error {
	want, err := t.Size()
	if err != nil {
		return err
	}
	counted := &counter{w: w, left: want}
	if t.Data == nil && t.Source != nil {
		_, err = t.Source.WriteTo(counted)
	} else {
		_, err = counted.Write(t.Data)
	}
	if err == nil && counted.left != 0 {
		err = fmt.Errorf("%d of its %d bytes are missing", counted.left, want)
	}
	return err
}

// counter refuses what is more than expected.
type counter struct {
	w    io.Writer
	left int64
}

func (c *counter) Write(p []byte) (int, error) {
	if int64(len(p)) > c.left {
		return 0, fmt.Errorf("%d bytes more than its shape says", int64(len(p))-c.left)
	}
	n, err := c.w.Write(p)
	c.left -= int64(n)
	return n, err
}

func header(metadata map[string]string, order []Tensor) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	member := func(name string, value any) error {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		for i, v := range []any{name, value} {
			text, err := json.Marshal(v) // maps sorted by key
			if err != nil {
				return err
			}
			if i == 1 {
				b.WriteByte(':')
			}
			b.Write(text)
		}
		return nil
	}
	if len(metadata) > 0 {
		if err := member("__metadata__", metadata); err != nil {
			return nil, err
		}
	}
	at, seen := int64(0), map[string]bool{}
	for _, t := range order {
		size, err := t.Size()
		switch {
		case err != nil:
			return nil, fmt.Errorf("tensor %q: %w", t.Name, err)
		case (t.Data != nil || t.Source == nil) && size != int64(len(t.Data)):
			return nil, fmt.Errorf("tensor %q: %d bytes for shape %v of %q", t.Name, len(t.Data), t.Shape, t.DType)
		case seen[t.Name] || t.Name == "__metadata__":
			return nil, fmt.Errorf("tensor %q: the name is taken", t.Name)
		}
		seen[t.Name] = true
		end := at + size
		shape := t.Shape
		if shape == nil {
			shape = []int64{} // a scalar, not null
		}
		if err := member(t.Name, entry{DType: t.DType, Shape: shape, Offsets: [2]int64{at, end}}); err != nil {
			return nil, err
		}
		at = end
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	return b.Bytes(), nil
}

// WriteFile writes path whole or not at all: into a file beside it, synced, then renamed.
func WriteFile(path string, metadata map[string]string, tensors []Tensor) error {
	return writeFile(path, func(file *os.File) error {
		buffered := bufio.NewWriterSize(file, 1<<20)
		if err := Write(buffered, metadata, tensors); err != nil {
			return err
		}
		return buffered.Flush()
	})
}

func writeFile(path string, fill func(*os.File) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close(), os.Remove(file.Name()))
		}
	}()
	if err := fill(file); err != nil {
		return fmt.Errorf("safetensors: write %s: %w", path, err)
	}
	if err := file.Chmod(0o644); err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	if err := file.Sync(); err != nil {
		return fmt.Errorf("safetensors: write %s: %w", path, err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("safetensors: write %s: %w", path, err)
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	return nil
}
