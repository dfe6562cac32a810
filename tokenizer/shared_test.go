package tokenizer_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hone-rl/hone/tokenizer"
	"github.com/hone-rl/hone/tokenizer/reference"
)

// root is the repository's folder.
func root(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// sharedPath is a file of the folder with reference data beside the repository. Without it the test is skipped, in CI it
// fails.
func sharedPath(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(root(t), "..", "shared", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("%s needs the reference data: %v", t.Name(), err)
	}
	return path
}

// loaded are the published tokenizers of this run: each takes a second to read.
var loaded = map[string]*tokenizer.Tokenizer{}

// qwen reads a published tokenizer: "qwen2_5" (merges as strings) or "qwen3" (as pairs).
func qwen(t testing.TB, name string) *tokenizer.Tokenizer {
	t.Helper()
	packed := sharedPath(t, "model-fixtures/tokenizer/"+name+"/tokenizer.json.xz")
	if loaded[name] == nil {
		tok, err := reference.Load(filepath.Dir(packed))
		if err != nil {
			t.Fatal(err)
		}
		loaded[name] = tok
	}
	return loaded[name]
}

// lines are texts and what Python's tokenizers makes of them.
func lines(t testing.TB) []reference.Line {
	t.Helper()
	all, err := reference.ReadLines(sharedPath(t, "model-fixtures/tokenizer/lines.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}
