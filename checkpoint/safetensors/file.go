package safetensors

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/edsrzf/mmap-go"

	"github.com/hone-rl/hone/internal/exact"
	"github.com/hone-rl/hone/internal/regular"
)

// SingleName and IndexName are what Hugging Face calls a model's weights: one file, or an index of shards.
const (
	SingleName = "model.safetensors"
	IndexName  = "model.safetensors.index.json"
)

// Tensor is one tensor, of a file or to be written.
type Tensor struct {
	Name  string
	DType DType
	Shape []int64
	// Data is the elements, row-major, little-endian. Of an open file it is in the file's mapping: it must not be
	// written, nor used after Close.
	Data []byte
	// Source gives the elements to Write where Data is nil. It is asked once, when it is the tensor's turn: so a file
	// can be larger than memory.
	Source io.WriterTo

	offset, length int64    // in the file's data
	file           *os.File // that it was read from
	base           int64    // of the data in the file
}

// Reader reads the tensor's bytes from its file, past the mapping: what is read takes no memory but the reader's, and
// a file cut short meanwhile is an error rather than a fault. It is good until Close; readers may be used side by side.
func (t *Tensor) Reader() io.Reader {
	if t.file == nil {
		return bytes.NewReader(t.Data)
	}
	return io.NewSectionReader(t.file, t.base+t.offset, t.length)
}

// Size is that of the elements in bytes.
func (t *Tensor) Size() (int64, error) {
	count, err := elements(t.Shape)
	if err != nil {
		return 0, err
	}
	size := t.DType.Size()
	if size == 0 || count > math.MaxInt64/size {
		return 0, fmt.Errorf("shape %v of %q", t.Shape, t.DType)
	}
	return count * size, nil
}

func byOffset(a, b *Tensor) int {
	return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.length, b.length), cmp.Compare(a.Name, b.Name))
}

// File is the tensors of one file or of the shards of one index.
type File struct {
	Path     string
	Metadata map[string]string // of a single file

	tensors map[string]*Tensor
	maps    []mmap.MMap
	files   []*os.File
}

// Open maps a file and checks its header.
func Open(path string) (*File, error) {
	f := &File{Path: path, tensors: map[string]*Tensor{}}
	tensors, metadata, err := f.add(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("safetensors %s: %w", path, short(err)), f.Close())
	}
	f.tensors, f.Metadata = tensors, metadata
	return f, nil
}

// OpenModel opens dir's model.safetensors or, where there is none, the shards of its index.
func OpenModel(dir string) (*File, error) {
	single := filepath.Join(dir, SingleName)
	_, err := os.Stat(single)
	if err == nil {
		return Open(single)
	}
	index := filepath.Join(dir, IndexName)
	if _, missing := os.Stat(index); missing != nil {
		return nil, fmt.Errorf("safetensors: %s has neither %s nor %s: %w", dir, SingleName, IndexName, err)
	}
	return OpenIndex(index)
}

// OpenIndex opens the shards that an index names, beside it. Each tensor must be in the shard that the index says,
// and in no other.
func OpenIndex(path string) (*File, error) {
	text, err := ReadIndex(path)
	if err != nil {
		return nil, err
	}
	weights, err := parseIndex(text)
	if err != nil {
		return nil, fmt.Errorf("safetensors index %s: %w", path, short(err))
	}
	f := &File{Path: path, tensors: map[string]*Tensor{}}
	if err := f.addShards(filepath.Dir(path), weights); err != nil {
		return nil, errors.Join(fmt.Errorf("safetensors index %s: %w", path, short(err)), f.Close())
	}
	return f, nil
}

// ReadIndex reads an index of reasonable size. What it says is for [Shards] to check.
func ReadIndex(path string) ([]byte, error) {
	text, err := regular.Read(path, maxHeader)
	if err != nil {
		return nil, fmt.Errorf("safetensors index: %w", err)
	}
	return text, nil
}

// parseIndex is the weight_map of an index: tensor to shard.
func parseIndex(text []byte) (map[string]string, error) {
	var index struct {
		WeightMap map[string]string `json:"weight_map"`
	}
	if err := exact.Unmarshal(text, &index); err != nil {
		return nil, err
	}
	if len(index.WeightMap) == 0 {
		return nil, errors.New("no weight_map")
	}
	for name, shard := range index.WeightMap {
		if shard == "" || strings.ContainsAny(shard, "/\x00") || strings.HasPrefix(shard, ".") {
			return nil, fmt.Errorf("tensor %q: shard %q is not a file's name", name, shard)
		}
	}
	return index.WeightMap, nil
}

func (f *File) addShards(dir string, weights map[string]string) error {
	shards := slices.Compact(slices.Sorted(maps.Values(weights)))
	for _, shard := range shards {
		tensors, _, err := f.add(filepath.Join(dir, shard))
		if err != nil {
			return fmt.Errorf("shard %s: %w", shard, err)
		}
		for name, t := range tensors {
			if weights[name] == "" {
				return fmt.Errorf("shard %s: tensor %q: the index does not name it", shard, name)
			}
			if weights[name] != shard {
				return fmt.Errorf("shard %s: tensor %q: the index has it in %q", shard, name, weights[name])
			}
			f.tensors[name] = t
		}
	}
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		if f.tensors[name] == nil {
			return fmt.Errorf("tensor %q is not in shard %s", name, weights[name])
		}
	}
	return nil
}

// add opens and maps one file and parses it.
func (f *File) add(path string) (map[string]*Tensor, map[string]string, error) {
	file, size, err := regular.Open(path, math.MaxInt64)
	if err != nil {
		return nil, nil, err
	}
	f.files = append(f.files, file)
	if size == 0 { // which no system maps
		return nil, nil, tooShort(0)
	}
	mapped, err := mmap.Map(file, mmap.RDONLY, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("map: %w", err)
	}
	f.maps = append(f.maps, mapped)
	tensors, metadata, err := parse(mapped)
	for _, t := range tensors {
		t.file = file
	}
	return tensors, metadata, err
}

// Names are the tensors' names, sorted.
func (f *File) Names() []string { return slices.Sorted(maps.Keys(f.tensors)) }

// Tensor is the tensor of that name, nil if there is none.
func (f *File) Tensor(name string) *Tensor { return f.tensors[name] }

// Close unmaps and closes the file. It may be called again.
func (f *File) Close() error {
	var errs []error
	for _, m := range f.maps {
		errs = append(errs, m.Unmap())
	}
	for _, file := range f.files {
		errs = append(errs, file.Close())
	}
	f.maps, f.files, f.tensors = nil, nil, nil
	return errors.Join(errs...)
}
