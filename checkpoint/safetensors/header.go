package safetensors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hone-rl/hone/internal/exact"
)

// maxHeader is the longest header taken, as in the reference implementation.
const maxHeader = 100_000_000

// entry is a tensor as the header has it.
type entry struct {
	DType   DType    `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

func tooShort(n int) error {
	return fmt.Errorf("%d bytes: expected at least the 8 of the header's length", n)
}

// parse reads the header at the front of data. The tensors must fill the rest of data exactly, without overlaps
// or holes, as the format demands.
func parse(data []byte) (tensors map[string]*Tensor, metadata map[string]string, err error) {
	if len(data) < 8 {
		return nil, nil, tooShort(len(data))
	}
	length, err := headerLength(data, int64(len(data)))
	if err != nil {
		return nil, nil, err
	}
	body := data[8+length:]
	tensors, metadata, err = parseHeader(data[8:8+length], int64(len(body)))
	for _, t := range tensors {
		end := t.offset + t.length
		t.Data, t.base = body[t.offset:end:end], 8+length
	}
	return tensors, metadata, err
}

// headerLength reads the first 8 bytes of a file of size bytes.
func headerLength(front []byte, size int64) (int64, error) {
	length := binary.LittleEndian.Uint64(front)
	if length > maxHeader || length > uint64(size-8) {
		return 0, fmt.Errorf("header of %d bytes in a file of %d: truncated, or not safetensors", length, size)
	}
	return int64(length), nil
}

// parseHeader reads a header before body bytes of data. The tensors have no Data yet.
func parseHeader(header []byte, body int64) (tensors map[string]*Tensor, metadata map[string]string, err error) {
	if len(header) == 0 || header[0] != '{' { // the format allows blanks only behind
		return nil, nil, errors.New("header: expected a JSON object")
	}
	if err := exact.Check(header); err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	tensors = map[string]*Tensor{}
	err = exact.Members(header, func(name string, value []byte) error {
		if name == "__metadata__" {
			if metadata, err = parseMetadata(value); err != nil {
				return fmt.Errorf("__metadata__: %w", err)
			}
			return nil
		}
		if len(tensors) == maxTensors {
			return fmt.Errorf("expected at most %d tensors", maxTensors)
		}
		if name == "" {
			return errors.New("a tensor without a name")
		}
		t, err := parseEntry(value, body)
		if err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
		t.Name = name
		tensors[name] = t
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	if err := filled(tensors, body); err != nil {
		return nil, nil, err
	}
	return tensors, metadata, nil
}

// maxTensors is how many a file may have. Published models have a hundred thousand at the most, in hundreds of files.
const maxTensors = 1 << 17

// parseMetadata reads an object of texts, or null.
func parseMetadata(text []byte) (map[string]string, error) {
	if string(text) == "null" {
		return nil, nil
	}
	metadata := map[string]string{}
	return metadata, exact.Members(text, func(name string, value []byte) error {
		text, err := exact.Text(value)
		if err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		metadata[name] = text
		return nil
	})
}

// parseEntry reads a tensor's members, all three of which the format asks for, in these letters.
func parseEntry(text []byte, body int64) (*Tensor, error) {
	var dtype DType
	var shape, offsets []int64
	err := exact.Members(text, func(name string, value []byte) (err error) {
		switch name {
		case "dtype":
			var text string
			text, err = exact.Text(value)
			dtype = DType(text)
		case "shape":
			shape, err = integers(value, maxDimensions)
		case "data_offsets":
			if offsets, err = integers(value, 2); err == nil && len(offsets) < 2 {
				err = fmt.Errorf("%d numbers", len(offsets))
			}
		default:
			return fmt.Errorf("member %q: expected dtype, shape and data_offsets", name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	size := dtype.Size()
	switch {
	case err != nil:
		return nil, err
	case dtype == "":
		return nil, errors.New("dtype is missing")
	case size == 0:
		return nil, fmt.Errorf("dtype %q is not known", dtype)
	case shape == nil:
		return nil, errors.New("shape is missing")
	case offsets == nil:
		return nil, errors.New("data_offsets are missing")
	}
	count, err := elements(shape)
	if err != nil {
		return nil, err
	}
	from, to := offsets[0], offsets[1]
	if from < 0 || to < from || to > body {
		return nil, fmt.Errorf("bytes %d to %d of %d: outside the file", from, to, body)
	}
	if count > math.MaxInt64/size || to-from != count*size {
		return nil, fmt.Errorf("%d bytes for shape %v of %s: expected %d elements of %d", to-from, shape, dtype, count, size)
	}
	return &Tensor{DType: dtype, Shape: shape, offset: from, length: to - from}, nil
}

// maxDimensions is how many a tensor may have, as in libtorch.
const maxDimensions = 64

// elements is the product of the sizes. The product of those that are not 0 must fit too: strides are made of it.
func elements(shape []int64) (int64, error) {
	if len(shape) > maxDimensions {
		return 0, fmt.Errorf("%d dimensions: expected at most %d", len(shape), maxDimensions)
	}
	count, empty := int64(1), false
	for _, d := range shape {
		if d < 0 || (d > 0 && count > math.MaxInt64/d) {
			return 0, fmt.Errorf("shape %v is not one", shape)
		}
		count, empty = count*max(d, 1), empty || d == 0
	}
	if empty {
		return 0, nil
	}
	return count, nil
}

// short cuts what a hostile file puts into an error's text.
func short(err error) error {
	if err == nil || len(err.Error()) <= maxError {
		return err
	}
	return &shortened{err}
}

const maxError = 1000

type shortened struct{ error }

func (s *shortened) Error() string {
	return strings.ToValidUTF8(s.error.Error()[:maxError], "") + "…"
}
func (s *shortened) Unwrap() error { return s.error }

// filled checks that the tensors cover the data from end to end, each byte once.
func filled(tensors map[string]*Tensor, size int64) error {
	order := make([]*Tensor, 0, len(tensors))
	for _, t := range tensors {
		order = append(order, t)
	}
	slices.SortFunc(order, byOffset)
	at := int64(0)
	for _, t := range order {
		if t.offset != at {
			return fmt.Errorf("tensor %q begins at byte %d: expected %d", t.Name, t.offset, at)
		}
		at += t.length
	}
	if at != size {
		return fmt.Errorf("%d bytes of data: the tensors have %d", size, at)
	}
	return nil
}
