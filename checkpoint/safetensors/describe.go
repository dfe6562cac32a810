package safetensors

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// Describe reads the header at the front of r, which is a file of size bytes, and nothing behind it: what a file far
// away has costs only that. It returns the tensors, sorted by name and without their data, and the metadata. A header
// that does not fit the size is an error, as for Open.
func Describe(r io.Reader, size int64) ([]Tensor, map[string]string, error) {
	if size < 8 {
		return nil, nil, fmt.Errorf("safetensors: %d bytes: expected at least the 8 of the header's length", size)
	}
	front := make([]byte, 8)
	if _, err := io.ReadFull(r, front); err != nil {
		return nil, nil, fmt.Errorf("safetensors: read header: %w", err)
	}
	length, err := headerLength(front, size)
	if err != nil {
		return nil, nil, fmt.Errorf("safetensors: %w", err)
	}
	header := make([]byte, length)
	if _, err := io.ReadFull(r, header); err != nil {
		return nil, nil, fmt.Errorf("safetensors: read header: %w", err)
	}
	tensors, metadata, err := parseHeader(header, size-8-length)
	if err != nil {
		return nil, nil, fmt.Errorf("safetensors: %w", err)
	}
	list := make([]Tensor, 0, len(tensors))
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		list = append(list, *tensors[name])
	}
	return list, metadata, nil
}

// Shards are the files that an index names, sorted. It is checked as by OpenIndex, but for the shards themselves.
func Shards(index []byte) ([]string, error) {
	weights, err := parseIndex(index)
	if err != nil {
		return nil, fmt.Errorf("safetensors index: %w", err)
	}
	return slices.Compact(slices.Sorted(maps.Values(weights))), nil
}
