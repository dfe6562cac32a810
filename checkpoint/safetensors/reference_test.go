package safetensors_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/hone-rl/hone/checkpoint/safetensors"
)

// shared is a path in the folder "shared" beside the repository. The helper of torchtest would link libtorch into
// this pure package's fuzzer.
func shared(t *testing.T, path ...string) string {
	t.Helper()
	full := filepath.Join(append([]string{"..", "..", "..", "shared"}, path...)...)
	if _, err := os.Stat(full); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s needs %s: %v", t.Name(), full, err)
		}
		t.Skipf("%s needs %s, which is not there", t.Name(), full)
	}
	return full
}

// What the fixtures' writer, the reference implementation, wrote comes back byte for byte.
func TestWriteAsTheReferenceDoes(t *testing.T) {
	path := shared(t, "model-fixtures", "qwen2-tiny-tied", "model.safetensors")
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
