package tokenizer_test

import (
	"path/filepath"
	"testing"

	"github.com/hone-rl/hone/internal/outside"
	"github.com/hone-rl/hone/tokenizer"
	"github.com/hone-rl/hone/tokenizer/reference"
)

// loaded are the published tokenizers of this run: each takes a second to read.
var loaded = map[string]*tokenizer.Tokenizer{}

// qwen reads a published tokenizer: "qwen2_5" (merges as strings) or "qwen3" (as pairs).
func qwen(t testing.TB, name string) *tokenizer.Tokenizer {
	t.Helper()
	packed := outside.Shared(t, "model-fixtures/tokenizer/"+name+"/tokenizer.json.xz")
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
	all, err := reference.ReadLines(outside.Shared(t, "model-fixtures/tokenizer/lines.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}
