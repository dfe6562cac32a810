package safetensors

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"testing"
)

// No bytes make the parser panic or point outside of them, and what it accepts is written again to the same tensors.
func FuzzParse(f *testing.F) {
	for _, header := range []string{
		`{}`, `[]`, `{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`,
		`{"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"U8","shape":[],"data_offsets":[4,5]}}`,
		`{"a":{"dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0]}}`,
		`{"a":{"dtype":"U8","shape":[-1],"data_offsets":[-1,0]}}`,
	} {
		data := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
		f.Add(append(append(data, header...), 1, 2, 3, 4, 5))
		f.Add(append(append(data, header...), 1))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tensors, metadata, err := parse(data)
		if err != nil {
			return
		}
		var all []Tensor
		for _, x := range tensors {
			all = append(all, *x)
		}
		var b bytes.Buffer
		if err := Write(&b, metadata, all); err != nil {
			t.Fatal(err)
		}
		again, _, err := parse(b.Bytes())
		if err != nil || len(again) != len(tensors) {
			t.Fatalf("%d tensors became %d, %v", len(tensors), len(again), err)
		}
		for name, x := range tensors {
			if y := again[name]; y == nil || y.DType != x.DType || !bytes.Equal(y.Data, x.Data) {
				t.Errorf("tensor %q changed", name)
			}
		}
	})
}

// What an index may name are files beside it.
func FuzzParseIndex(f *testing.F) {
	for _, index := range []string{
		`{}`, `[]`, `{"weight_map":null}`, `{"metadata":{"total_size":1},"weight_map":{"a":"1.safetensors","b":"../2"}}`,
		`{"weight_map":{"a":""}}`, `{"weight_map":{"a":"..","b":"/"}}`, `{"weight_map":{"a":"x","a":"y"}}`,
	} {
		f.Add([]byte(index))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		weights, err := parseIndex(text)
		if err != nil {
			return
		}
		if len(weights) == 0 {
			t.Error("an index of nothing")
		}
		for name, shard := range weights {
			if filepath.Dir(filepath.Join("dir", shard)) != "dir" {
				t.Errorf("%q is in %q", name, shard)
			}
		}
	})
}
