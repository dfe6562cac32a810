package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/checkpoint/safetensors"
)

var example = []safetensors.Tensor{
	{Name: "b", DType: safetensors.F32, Shape: []int64{2, 1}, Data: []byte{1, 2, 3, 4, 5, 6, 7, 8}},
	{Name: "a", DType: safetensors.U8, Shape: []int64{3}, Data: []byte{9, 8, 7}},
	{Name: "c", DType: safetensors.F32, Shape: nil, Data: []byte{0, 0, 128, 63}},
	{Name: "empty", DType: safetensors.I64, Shape: []int64{0, 4}, Data: []byte{}},
}

// The file written out by hand: larger elements first, then by name, blanks to a multiple of 8.
const exampleHeader = `{"__metadata__":{"format":"pt"},` +
	`"empty":{"dtype":"I64","shape":[0,4],"data_offsets":[0,0]},` +
	`"b":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},` +
	`"c":{"dtype":"F32","shape":[],"data_offsets":[8,12]},` +
	`"a":{"dtype":"U8","shape":[3],"data_offsets":[12,15]}}`

func file(header string, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

func written(t testing.TB, metadata map[string]string, tensors []safetensors.Tensor) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := safetensors.Write(&b, metadata, tensors); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func put(t testing.TB, dir, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, path string) *safetensors.File {
	t.Helper()
	f, err := safetensors.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func TestWriteGolden(t *testing.T) {
	padded := exampleHeader + strings.Repeat(" ", (8-len(exampleHeader)%8)%8)
	want := file(padded, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 128, 63, 9, 8, 7)
	for range 3 {
		shuffled := slices.Concat(example[2:], example[:2])
		if got := written(t, map[string]string{"format": "pt"}, shuffled); !bytes.Equal(got, want) {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.safetensors")
	if err := safetensors.WriteFile(path, map[string]string{"format": "pt"}, example); err != nil {
		t.Fatal(err)
	}
	f := open(t, path)
	if got := f.Names(); !slices.Equal(got, []string{"a", "b", "c", "empty"}) || f.Metadata["format"] != "pt" {
		t.Errorf("names %v, metadata %v", got, f.Metadata)
	}
	for _, want := range example {
		got := f.Tensor(want.Name)
		if got.DType != want.DType || !slices.Equal(got.Shape, want.Shape) || !bytes.Equal(got.Data, want.Data) {
			t.Errorf("%s: got %+v, want %+v", want.Name, got, want)
		}
	}
	if f.Tensor("d") != nil {
		t.Error("there is a d")
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("the folder has %v, %v: want the file alone", left, err)
	}
}

// bad files and what their errors say.
var bad = map[string]struct {
	data []byte
	says string
}{
	"empty":               {nil, "0 bytes: expected at least"},
	"short":               {[]byte{1, 2, 3}, "3 bytes"},
	"length beyond end":   {file(`{}`)[:9], "truncated"},
	"length gigantic":     {binary.LittleEndian.AppendUint64(nil, 1<<63), "truncated"},
	"not json":            {file(`hello`), "header"},
	"array":               {file(`[]`), "expected a JSON object"},
	"trailing text":       {file(`{} {}`), "after top-level value"},
	"twice":               {file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1), `"a" stands twice`},
	"dtype":               {file(`{"a":{"dtype":"F13","shape":[1],"data_offsets":[0,1]}}`, 1), `tensor "a": dtype "F13"`},
	"negative shape":      {file(`{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}}`, 1), `tensor "a": shape`},
	"overflowing shape":   {file(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`), `tensor "a": shape`},
	"overflowing bytes":   {file(`{"a":{"dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0]}}`), `tensor "a": 0 bytes`},
	"size and shape":      {file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, 1, 2, 3, 4), `tensor "a": 4 bytes`},
	"outside":             {file(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, 1, 2), `tensor "a": bytes 0 to 4 of 2`},
	"backwards":           {file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[2,1]}}`, 1, 2), `tensor "a"`},
	"negative offset":     {file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[-1,0]}}`, 1), `tensor "a"`},
	"hole":                {file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 1, 2), `tensor "a" begins at byte 1`},
	"overlap":             {file(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`, 1, 2, 3), `tensor "b" begins at byte 1`},
	"data left":           {file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1, 2), "2 bytes of data"},
	"twice by an escape":  {file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"\u0061":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1), `"a" stands twice`},
	"a member twice":      {file(`{"a":{"dtype":"U8","shape":[1],"shape":[1],"data_offsets":[0,1]}}`, 1), `tensor "a": "shape" stands twice`},
	"one offset":          {file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0]}}`, 1), `tensor "a": data_offsets: 1 numbers`},
	"three offsets":       {file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,2]}}`, 1), `tensor "a": data_offsets: expected at most 2 numbers`},
	"no offsets":          {file(`{"a":{"dtype":"U8","shape":[0]}}`), `tensor "a": data_offsets are missing`},
	"offsets null":        {file(`{"a":{"dtype":"U8","shape":[0],"data_offsets":null}}`), `tensor "a": data_offsets: expected a list`},
	"an offset null":      {file(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[null,0]}}`), `tensor "a": data_offsets: expected a whole number`},
	"no shape":            {file(`{"a":{"dtype":"U8","data_offsets":[0,1]}}`, 1), `tensor "a": shape is missing`},
	"shape null":          {file(`{"a":{"dtype":"U8","shape":null,"data_offsets":[0,1]}}`, 1), `tensor "a": shape: expected a list`},
	"a size null":         {file(`{"a":{"dtype":"U8","shape":[null],"data_offsets":[0,0]}}`), `tensor "a": shape: expected a whole number`},
	"a size with point":   {file(`{"a":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}}`, 1), `tensor "a": shape: expected a whole number`},
	"no dtype":            {file(`{"a":{"shape":[1],"data_offsets":[0,1]}}`, 1), `tensor "a": dtype is missing`},
	"dtype null":          {file(`{"a":{"dtype":null,"shape":[1],"data_offsets":[0,1]}}`, 1), `tensor "a": dtype: expected a text`},
	"other letters":       {file(`{"a":{"dtype":"U8","Shape":[1],"data_offsets":[0,1]}}`, 1), `tensor "a": member "Shape"`},
	"tensor null":         {file(`{"a":null}`), `tensor "a": expected a JSON object`},
	"no name":             {file(`{"":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1), "a tensor without a name"},
	"not UTF-8":           {file("{\"a\xff\":{"+`"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1), "header: not UTF-8"},
	"half a pair":         {file(`{"a\ud800":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1), "half a surrogate pair"},
	"half a pair, first":  {file(`{"\udc00a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1), "half a surrogate pair"},
	"blank before":        {file(` {"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1), "header: expected a JSON object"},
	"metadata twice":      {file(`{"__metadata__":{"a":"1"},"__metadata__":{"a":"1"}}`), `"__metadata__" stands twice`},
	"metadata, key twice": {file(`{"__metadata__":{"a":"1","a":"2"}}`), `__metadata__: "a" stands twice`},
	"metadata of null":    {file(`{"__metadata__":{"a":null}}`), `__metadata__: "a": expected a text`},
	"unknown member":      {file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":1}}`, 1), `tensor "a"`},
	"metadata not a text": {file(`{"__metadata__":{"a":1}}`), "__metadata__"},
}

func TestBadFiles(t *testing.T) {
	for name, c := range bad {
		t.Run(name, func(t *testing.T) {
			path := put(t, t.TempDir(), "bad.safetensors", c.data)
			_, err := safetensors.Open(path)
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("got %v, want an error naming %s and %q", err, path, c.says)
			}
		})
	}
	if _, err := safetensors.Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestShards(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "1.safetensors", written(t, nil, example[:2]))
	put(t, dir, "2.safetensors", written(t, nil, example[2:]))
	index := `{"metadata":{"total_size":15},"weight_map":{"a":"1.safetensors","b":"1.safetensors","c":"2.safetensors","empty":"2.safetensors"}}`
	put(t, dir, safetensors.IndexName, []byte(index))
	f, err := safetensors.OpenModel(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Names(); !slices.Equal(got, []string{"a", "b", "c", "empty"}) || !bytes.Equal(f.Tensor("a").Data, []byte{9, 8, 7}) {
		t.Errorf("names %v", got)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct{ index, says string }{
		"not json":    {`{`, "index"},
		"no map":      {`{}`, "no weight_map"},
		"outside":     {strings.ReplaceAll(index, "2.safe", "../2.safe"), "not a file's name"},
		"no shard":    {strings.ReplaceAll(index, "2.safe", "3.safe"), "3.safetensors"},
		"not in it":   {strings.Replace(index, `"c":`, `"d":"2.safetensors","c":`, 1), `tensor "d" is not in shard 2.safetensors`},
		"wrong shard": {strings.Replace(index, `"a":"1.`, `"a":"2.`, 1), `tensor "a"`},
		"extra":       {strings.Replace(index, `"a":"1.safetensors",`, ``, 1), `tensor "a"`},
	} {
		path := put(t, dir, safetensors.IndexName, []byte(c.index))
		if _, err := safetensors.OpenModel(dir); err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want an error naming %s and %q", name, err, path, c.says)
		}
	}
	if _, err := safetensors.OpenModel(t.TempDir()); err == nil || !strings.Contains(err.Error(), "has neither") {
		t.Errorf("no model: %v", err)
	}
}

func TestWriteRefuses(t *testing.T) {
	for name, tensors := range map[string][]safetensors.Tensor{
		"size":  {{Name: "a", DType: safetensors.F32, Shape: []int64{2}, Data: make([]byte, 4)}},
		"dtype": {{Name: "a", DType: "F13", Shape: []int64{1}, Data: make([]byte, 4)}},
		"twice": {example[0], example[0]},
		"taken": {{Name: "__metadata__", DType: safetensors.U8, Shape: []int64{1}, Data: make([]byte, 1)}},
	} {
		path := filepath.Join(t.TempDir(), "x")
		if err := safetensors.WriteFile(path, nil, tensors); err == nil {
			t.Errorf("%s: no error", name)
		}
		if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 0 {
			t.Errorf("%s: left %v, %v", name, left, err)
		}
	}
}

// What the format allows, though few write it.
func TestGoodHeaders(t *testing.T) {
	for name, c := range map[string]struct{ header, tensor string }{
		"blanks behind":    {`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}   ` + "\n", "a"},
		"blanks within":    {`{ "a" : { "dtype" : "U8" , "shape" : [ 1 ] , "data_offsets" : [ 0 , 1 ] } }`, "a"},
		"another order":    {`{"a":{"data_offsets":[0,1],"shape":[1],"dtype":"U8"}}`, "a"},
		"a pair":           {`{"a\ud83d\ude00":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, "a😀"},
		"an escaped slash": {`{"a\\ud800":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, `a\ud800`},
		"metadata null":    {`{"__metadata__":null,"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, "a"},
	} {
		f := open(t, put(t, t.TempDir(), "good.safetensors", file(c.header, 7)))
		if x := f.Tensor(c.tensor); x == nil || !bytes.Equal(x.Data, []byte{7}) || !slices.Equal(x.Shape, []int64{1}) {
			t.Errorf("%s: got %v of %q", name, x, f.Names())
		}
	}
}
