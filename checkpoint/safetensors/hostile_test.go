package safetensors_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/hone-rl/hone/checkpoint/safetensors"
)

// What files can ask for stays in proportion to what they hold: allocated bytes for each byte of the file, and for
// any file. Tensors' data costs nothing, it is only mapped.
const (
	perByte = 30
	perFile = 4 << 20
)

// numbered is format n times, each with its number.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// many are n tensors without elements.
func many(n int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"t%d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`, i)
	}
	b.WriteByte('}')
	return b.String()
}

// TestHostileFiles opens files that are made to cost memory or time. The sizes are a megabyte or two, so that
// anything that grows faster than the file shows.
func TestHostileFiles(t *testing.T) {
	const mega = 1 << 20
	one := func(shape string) string {
		return `{"a":{"dtype":"U8","shape":` + shape + `,"data_offsets":[0,0]}}`
	}
	for name, c := range map[string]struct {
		header string
		says   string // "" where the file is right
	}{
		"many tensors":       {many(30_000), ""},
		"the most tensors":   {many(1 << 17), ""},
		"too many tensors":   {many(1<<17 + 1), "expected at most 131072 tensors"},
		"many dimensions":    {one("[" + strings.Repeat("1,", mega/2) + "0]"), "shape: expected at most 64 numbers"},
		"zero below":         {one("[-0]"), `tensor "a": shape: -0: expected a whole number`},
		"zero and gigantic":  {one("[0,9223372036854775807,9223372036854775807]"), "shape"},
		"nested shape":       {one(strings.Repeat("[", mega) + strings.Repeat("]", mega)), "exceeded max depth"},
		"nested value":       {`{"a":` + strings.Repeat(`{"a":`, mega/5) + "1" + strings.Repeat("}", mega/5) + "}", "exceeded max depth"},
		"long name":          {`{"` + strings.Repeat("n", mega) + `":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, ""},
		"long wrong name":    {`{"` + strings.Repeat("n", mega) + `":1}`, "tensor"},
		"escapes":            {`{"` + strings.Repeat(`\u0000`, mega/6) + `":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, ""},
		"long number":        {`{"a":{"dtype":"U8","shape":[` + strings.Repeat("9", mega) + `],"data_offsets":[0,0]}}`, `tensor "a"`},
		"exponent":           {`{"a":{"dtype":"U8","shape":[1e999999999],"data_offsets":[0,0]}}`, `tensor "a"`},
		"metadata":           {`{"__metadata__":{"a":"` + strings.Repeat("m", mega) + `"}}`, ""},
		"much metadata":      {`{"__metadata__":{` + strings.TrimSuffix(numbered(`"%d":"b",`, mega/16), ",") + `}}`, ""},
		"blanks":             {"{}" + strings.Repeat(" ", mega), ""},
		"unfinished":         {"{" + strings.Repeat(" ", mega), "header"},
		"entries of members": {`{"a":{` + strings.TrimSuffix(strings.Repeat(`"x":1,`, mega/6), ",") + `}}`, `tensor "a"`},
	} {
		t.Run(name, func(t *testing.T) {
			path := put(t, t.TempDir(), "hostile.safetensors", file(c.header))
			cost := allocated(func() {
				f, err := safetensors.Open(path)
				if err == nil {
					defer func() {
						if err := f.Close(); err != nil {
							t.Error(err)
						}
					}()
				}
				if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
					t.Errorf("%.200v, want an error with %q", err, c.says)
				}
				if err != nil && len(err.Error()) > 4096 {
					t.Errorf("the error has %d bytes", len(err.Error()))
				}
			})
			if most := perByte*uint64(len(c.header)) + perFile; cost > most {
				t.Errorf("%d bytes were allocated for a file of %d, want at most %d", cost, len(c.header), most)
			}
		})
	}
}

// allocated is how many bytes of the Go heap f asked for in all, freed ones included.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A sparse file says that it has terabytes and holds a header: it opens, since it may be so, and costs nothing; a
// header that says so of a small file does not.
func TestSparseFile(t *testing.T) {
	const huge = int64(1) << 40
	header := fmt.Sprintf(`{"a":{"dtype":"U8","shape":[%d],"data_offsets":[0,%d]}}`, huge, huge)
	path := put(t, t.TempDir(), "sparse.safetensors", file(header))
	if _, err := safetensors.Open(path); err == nil || !strings.Contains(err.Error(), "outside the file") {
		t.Errorf("a header alone: %v", err)
	}
	if err := os.Truncate(path, 8+int64(len(header))+huge); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	cost := allocated(func() {
		f, err := safetensors.Open(path)
		if err != nil {
			t.Logf("the system does not map it: %v", err)
			return
		}
		b := make([]byte, 16)
		if _, err := io.ReadFull(f.Tensor("a").Reader(), b); err != nil {
			t.Error(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	if cost > perFile {
		t.Errorf("%d bytes were allocated", cost)
	}
}

// Indices that name what is not theirs, go round in circles, or are gigantic.
func TestHostileIndices(t *testing.T) {
	outside := put(t, t.TempDir(), "secret.safetensors", written(t, nil, example))
	for name, c := range map[string]struct{ index, says string }{
		"itself":       {`{"weight_map":{"a":"model.safetensors.index.json"}}`, "model.safetensors.index.json"},
		"a folder":     {`{"weight_map":{"a":"folder"}}`, "expected a regular file"},
		"up":           {`{"weight_map":{"a":"../secret.safetensors"}}`, "not a file's name"},
		"absolute":     {fmt.Sprintf(`{"weight_map":{"a":%q}}`, outside), "not a file's name"},
		"root":         {`{"weight_map":{"a":"/"}}`, "not a file's name"},
		"dots":         {`{"weight_map":{"a":".."}}`, "not a file's name"},
		"hidden":       {`{"weight_map":{"a":".x.safetensors"}}`, "not a file's name"},
		"empty":        {`{"weight_map":{"a":""}}`, "not a file's name"},
		"zero byte":    {`{"weight_map":{"a":"x\u0000y"}}`, "not a file's name"},
		"of lists":     {`{"weight_map":{"a":["1.safetensors"]}}`, "index"},
		"null":         {`{"weight_map":null}`, "no weight_map"},
		"a pipe":       {`{"weight_map":{"a":"pipe"}}`, "expected a regular file"},
		"deep":         {strings.Repeat(`{"a":`, 200_000), "index"},
		"many shards":  {`{"weight_map":{` + strings.TrimSuffix(shards(50_000), ",") + `}}`, "no such file"},
		"many tensors": {`{"weight_map":{` + strings.TrimSuffix(tensors(50_000), ",") + `}}`, `tensor`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, safetensors.IndexName, []byte(c.index))
			put(t, dir, "1.safetensors", written(t, nil, example[:1]))
			if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := mkfifo(filepath.Join(dir, "pipe")); err != nil {
				t.Fatal(err)
			}
			cost := allocated(func() {
				_, err := safetensors.OpenModel(dir)
				if err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%.300v, want an error with %q", err, c.says)
				}
			})
			if most := perByte*uint64(len(c.index)) + perFile; cost > most {
				t.Errorf("%d bytes were allocated for an index of %d, want at most %d", cost, len(c.index), most)
			}
		})
	}
}

func shards(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"t%d":"s%d.safetensors",`, i, i)
	}
	return b.String()
}

func tensors(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"t%d":"1.safetensors",`, i)
	}
	return b.String()
}

// mkfifo makes a pipe, which a reader would wait at.
func mkfifo(path string) error { return syscall.Mkfifo(path, 0o600) }
