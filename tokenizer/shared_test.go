package tokenizer_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/ulikunitz/xz"

	"github.com/hone-rl/hone/tokenizer"
)

// sharedFile opens a file of the folder with reference data beside the repository.
func sharedFile(t *testing.T, name string) *os.File {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the package")
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.Open(filepath.Join(dir, "..", "shared", filepath.FromSlash(name)))
	if err != nil && os.Getenv("CI") != "true" {
		t.Skipf("%s needs the reference data: %v", t.Name(), err)
	}
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

// qwen reads a published tokenizer: "qwen2_5" (merges as strings) or "qwen3" (as pairs).
func qwen(t *testing.T, name string) *tokenizer.Tokenizer {
	t.Helper()
	r, err := xz.NewReader(bufio.NewReader(sharedFile(t, "model-fixtures/tokenizer/"+name+"/tokenizer.json.xz")))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// line is a text and what Python's tokenizers makes of it.
type line struct {
	Text  string  `json:"text"`
	Qwen3 []int32 `json:"qwen3"`
	Qwen2 []int32 `json:"qwen2_5"`
}

func lines(t *testing.T) []line {
	t.Helper()
	var all []line
	s := bufio.NewScanner(sharedFile(t, "model-fixtures/tokenizer/lines.jsonl"))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var l line
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
