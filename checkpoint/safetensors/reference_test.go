package safetensors_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/internal/outside"
)

// What the fixtures' writer, the reference implementation, wrote comes back byte for byte.
func TestWriteAsTheReferenceDoes(t *testing.T) {
	path := outside.Shared(t, "model-fixtures", "qwen2-tiny-tied", "model.safetensors")
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, path)
	var tensors []safetensors.Tensor
	for _, name := range f.Names() {
		tensors = append(tensors, *f.Tensor(name))
	}
	if !bytes.Equal(written(t, f.Metadata, tensors), want) {
		t.Error("the file written again differs")
	}
}
