package search

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"iter"
	"path/filepath"
)

// Exhaustive is Search without pruning.
func (x *Index) Exhaustive(query string, most int) ([]Hit, error) {
	terms, err := queryTerms(query)
	if err != nil {
		return nil, err
	}
	return x.best(terms, most, false), nil
}

// Exact reports whether the scores of a query are added without rounding, whatever their order.
func (x *Index) Exact(query string) bool {
	terms, _ := queryTerms(query)
	var weights []float32
	for _, t := range terms {
		if _, found, ok := x.find(t.text); ok {
			weights = append(weights, weight(t.count, found, x.counted))
		}
	}
	return exact(weights)
}

// Bytes is the file that an index in memory would be.
func Bytes(x *Index) []byte { return x.data }

// BuildIn is Build with as little memory as is wanted. It returns how many runs were written.
func BuildIn(ctx context.Context, path string, docs iter.Seq2[Document, error], memory int64) (int, error) {
	b := builder{memory: memory, scratch: filepath.Dir(path)}
	err := b.build(ctx, path, docs)
	return len(b.spilled), err
}

// Seal makes the checksums of data, where it has a header, those of what is there now.
func Seal(data []byte) {
	if len(data) < headerSize {
		return
	}
	for i := range sections {
		at := 56 + 24*i
		offset, length := binary.LittleEndian.Uint64(data[at:]), binary.LittleEndian.Uint64(data[at+8:])
		if size := uint64(len(data)); offset <= size && length <= size-offset {
			binary.LittleEndian.PutUint32(data[at+16:], crc32.Checksum(data[offset:offset+length], castagnoli))
		}
	}
	binary.LittleEndian.PutUint32(data[headerSize-4:], crc32.Checksum(data[:headerSize-4], castagnoli))
}

// Read is an index in memory of the bytes of a file.
func Read(data []byte) (*Index, error) {
	c, err := read(data)
	return &Index{content: c}, err
}
