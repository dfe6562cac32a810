package safetensors_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/checkpoint/safetensors"
)

// bytesOf are u8 tensors of the given sizes, named a, b, c, ….
func bytesOf(sizes ...int) []safetensors.Tensor {
	var all []safetensors.Tensor
	for i, n := range sizes {
		all = append(all, safetensors.Tensor{
			Name: string(rune('a' + i)), DType: safetensors.U8, Shape: []int64{int64(n)}, Data: bytes.Repeat([]byte{byte(i)}, n),
		})
	}
	return all
}

// The division is that of Hugging Face's libraries: of [6, 6, 2, 6, 2, 2] at most 10 are [6], [6, 2], [6, 2, 2].
func TestWriteModel(t *testing.T) {
	for _, c := range []struct {
		name  string
		sizes []int
		limit int64
		want  []string // the tensors of each file
	}{
		{"one file", []int{6, 6, 2}, 14, []string{"abc"}},
		{"by default", []int{6, 6, 2}, 0, []string{"abc"}},
		{"three", []int{6, 6, 2, 6, 2, 2}, 10, []string{"a", "bc", "def"}},
		{"one too large is written alone and before", []int{3, 20, 3, 3}, 9, []string{"b", "acd"}},
		{"only one too large", []int{20}, 9, []string{"a"}},
		{"none", nil, 9, []string{""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			all := bytesOf(c.sizes...)
			if err := safetensors.WriteModel(dir, map[string]string{"format": "pt"}, all, c.limit); err != nil {
				t.Fatal(err)
			}
			files := []string{safetensors.SingleName}
			if len(c.want) > 1 {
				files = nil
				for i := range c.want {
					files = append(files, fmt.Sprintf("model-%05d-of-%05d.safetensors", i+1, len(c.want)))
				}
			}
			for i, name := range files {
				f := open(t, filepath.Join(dir, name))
				if got := strings.Join(f.Names(), ""); got != c.want[i] || f.Metadata["format"] != "pt" {
					t.Errorf("%s has %q, want %q", name, got, c.want[i])
				}
			}
			f, err := safetensors.OpenModel(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range all {
				if got := f.Tensor(want.Name); got == nil || !bytes.Equal(got.Data, want.Data) {
					t.Errorf("%s: got %+v", want.Name, got)
				}
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			left, err := os.ReadDir(dir)
			if want := len(files); err != nil || len(left) != want+min(1, want-1) { // the files, and the index of several
				t.Errorf("the folder has %v, %v", left, err)
			}
		})
	}
}

// The index is written as Hugging Face's libraries write it, byte for byte.
func TestIndexGolden(t *testing.T) {
	dir := t.TempDir()
	if err := safetensors.WriteModel(dir, nil, bytesOf(6, 6, 2), 10); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, safetensors.IndexName))
	want := `{
  "metadata": {
    "total_parameters": 14,
    "total_size": 14
  },
  "weight_map": {
    "a": "model-00001-of-00002.safetensors",
    "b": "model-00002-of-00002.safetensors",
    "c": "model-00002-of-00002.safetensors"
  }
}
`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestWriteModelRefuses(t *testing.T) {
	single, sharded := t.TempDir(), t.TempDir()
	put(t, single, safetensors.SingleName, written(t, nil, example))
	put(t, sharded, safetensors.IndexName, []byte(`{}`))
	for name, c := range map[string]struct {
		dir   string
		limit int64
		all   []safetensors.Tensor
		says  string
	}{
		"shards beside a file": {single, 5, bytesOf(4, 4), "model.safetensors already"},
		"a file beside shards": {sharded, 50, bytesOf(4, 4), "index.json already"},
		"twice in two shards":  {t.TempDir(), 4, slices.Concat(bytesOf(4), bytesOf(4)), `tensor "a": the name is taken`},
		"shape":                {t.TempDir(), 4, []safetensors.Tensor{{Name: "x", DType: safetensors.F64, Shape: []int64{1 << 62}}}, `tensor "x"`},
		"dtype":                {t.TempDir(), 4, []safetensors.Tensor{{Name: "x", DType: "F3", Shape: []int64{1}}}, `tensor "x"`},
	} {
		if err := safetensors.WriteModel(c.dir, nil, c.all, c.limit); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error with %q", name, err, c.says)
		}
	}
}

// source gives what it has, in pieces.
type source []byte

func (s source) WriteTo(w io.Writer) (n int64, err error) {
	for piece := range slices.Chunk(s, 3) {
		k, err := w.Write(piece)
		if n += int64(k); err != nil {
			return n, err
		}
	}
	return n, nil
}

type broken struct{ error }

func (f broken) WriteTo(io.Writer) (int64, error) { return 0, f.error }

// Tensors whose elements come from elsewhere make the same file; a source that gives too little or too much, or
// fails, makes none.
func TestSources(t *testing.T) {
	var streamed []safetensors.Tensor
	for _, x := range example {
		x.Data, x.Source = nil, source(x.Data)
		streamed = append(streamed, x)
	}
	if got, want := written(t, nil, streamed), written(t, nil, example); !bytes.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	cause := errors.New("it is broken")
	for name, c := range map[string]struct {
		source io.WriterTo
		says   string
	}{
		"short": {source{1, 2, 3}, "1 of its 4 bytes are missing"},
		"long":  {source{1, 2, 3, 4, 5, 6, 7}, "2 bytes more than its shape says"},
		"fails": {broken{cause}, "broken"},
	} {
		dir := t.TempDir()
		all := []safetensors.Tensor{{Name: "x", DType: safetensors.U8, Shape: []int64{4}, Source: c.source}}
		err := safetensors.WriteFile(filepath.Join(dir, "f"), nil, all)
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), `tensor "x"`) {
			t.Errorf("%s: %v, want an error with %q", name, err, c.says)
		}
		if name == "fails" && !errors.Is(err, cause) {
			t.Errorf("the cause is lost in %v", err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%s: left %v, %v", name, left, err)
		}
	}
}

// A tensor's reader gives its bytes; from a file that was cut short meanwhile, an error.
func TestReader(t *testing.T) {
	path := put(t, t.TempDir(), "x.safetensors", written(t, nil, bytesOf(5000, 70000, 3)))
	f := open(t, path)
	for _, want := range bytesOf(5000, 70000, 3) {
		if got, err := io.ReadAll(f.Tensor(want.Name).Reader()); err != nil || !bytes.Equal(got, want.Data) {
			t.Errorf("%s: %d bytes, %v, want %d", want.Name, len(got), err, len(want.Data))
		}
		copied := want
		if got, err := io.ReadAll(copied.Reader()); err != nil || !bytes.Equal(got, want.Data) {
			t.Errorf("%s, of no file: %d bytes, %v", want.Name, len(got), err)
		}
	}
	if err := os.Truncate(path, 20000); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 70000)
	if _, err := io.ReadFull(f.Tensor("b").Reader(), b); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut short: %v, want %v", err, io.ErrUnexpectedEOF)
	}
}
