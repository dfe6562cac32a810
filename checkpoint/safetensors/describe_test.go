package safetensors_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/checkpoint/safetensors"
)

func TestDescribe(t *testing.T) {
	data := written(t, map[string]string{"format": "pt"}, example)
	body := 0
	for _, x := range example {
		body += len(x.Data)
	}
	// The data is not there at all.
	tensors, metadata, err := safetensors.Describe(bytes.NewReader(data[:len(data)-body]), int64(len(data)))
	if err != nil || metadata["format"] != "pt" || len(tensors) != len(example) {
		t.Fatalf("got %v, %v, %v", tensors, metadata, err)
	}
	for i, name := range []string{"a", "b", "c", "empty"} {
		j := slices.IndexFunc(example, func(x safetensors.Tensor) bool { return x.Name == name })
		if got, want := tensors[i], example[j]; got.Name != name || got.DType != want.DType || !slices.Equal(got.Shape, want.Shape) || got.Data != nil {
			t.Errorf("got %+v, want %+v without data", got, want)
		}
	}
	for _, tt := range []struct {
		name string
		r    io.Reader
		size int64
		want string
	}{
		{"another size", bytes.NewReader(data), int64(len(data)) + 1, "bytes of data"},
		{"smaller", bytes.NewReader(data), int64(len(data)) - 1, "outside the file"},
		{"smaller than its header", bytes.NewReader(data), 20, "truncated"},
		{"nothing", strings.NewReader(""), 0, "0 bytes"},
		{"ends in the header", bytes.NewReader(data[:30]), int64(len(data)), io.ErrUnexpectedEOF.Error()},
		{"ends at once", bytes.NewReader(nil), int64(len(data)), io.EOF.Error()},
		{"cannot be read", io.MultiReader(bytes.NewReader(data[:8]), failing{}), int64(len(data)), "no luck"},
	} {
		if _, _, err := safetensors.Describe(tt.r, tt.size); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want an error with %q", tt.name, err, tt.want)
		}
	}
	for name, b := range bad {
		if len(b.data) < 8 {
			continue // above
		}
		if _, _, err := safetensors.Describe(bytes.NewReader(b.data), int64(len(b.data))); err == nil || !strings.Contains(err.Error(), b.says) {
			t.Errorf("%s: got %v, want an error with %q", name, err, b.says)
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("no luck") }

func TestShardNames(t *testing.T) {
	got, err := safetensors.Shards([]byte(`{"weight_map":{"b":"2.safetensors","a":"1.safetensors","c":"2.safetensors"}}`))
	if err != nil || !slices.Equal(got, []string{"1.safetensors", "2.safetensors"}) {
		t.Errorf("got %q, %v", got, err)
	}
	for _, text := range []string{`{"weight_map":{"a":"../x"}}`, `{"weight_map":{"a":"/etc/passwd"}}`, `{"weight_map":{}}`, `{"weight_map":`, `{"Weight_Map":{"a":"1.safetensors"}}`, `{"weight_map":{"a":"x","a":"y"}}`, ``} {
		if got, err := safetensors.Shards([]byte(text)); err == nil {
			t.Errorf("%s: got %q, want an error", text, got)
		}
	}
}
