package reference_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/tokenizer/reference"
)

var lineErrors = []struct{ text, want string }{
	{"", "no lines"},
	{"{", "line 1: "},
	{`{"text": "a"}` + "\n[]", "line 2: "},
	{`{"a": [1]}`, "line 1: no text"},
	{`{"text": 1}`, "line 1: text: "},
	{`{"text": "a", "b": ["c"]}`, "line 1: b: "},
	{`{"text": "a", "b": [5000000000]}`, "line 1: b: "},
}

func TestParseLines(t *testing.T) {
	lines, err := reference.ParseLines([]byte(`{"text": "x", "b": [1, 2], "a": []}` + "\n" + `{"text": "y", "b": [3]}` + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := reference.Names(lines); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("Names = %v, want a, b", got)
	}
	r := reference.Compare(lines, "b", fixed{1, 2})
	if r.Compared != 2 || r.Different != 1 || r.First != `line 2, "y": got [1 2], want [3]` {
		t.Errorf("Compare = %+v, want 1 of 2 different, the second", r)
	}
	for _, test := range lineErrors {
		if _, err := reference.ParseLines([]byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got error %v, want one with %q", test.text, err, test.want)
		}
	}
	if _, err := reference.Folder(t.TempDir(), ""); err == nil {
		t.Error("an empty folder: no error")
	}
}

// fixed gives the same ids for every text.
type fixed []int32

func (f fixed) Encode(string) []int32 { return f }

func FuzzParseLines(f *testing.F) {
	for _, test := range lineErrors {
		f.Add([]byte(test.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if lines, err := reference.ParseLines(data); err == nil && len(lines) == 0 {
			t.Error("no lines and no error")
		}
	})
}

// TestFiles: only files of reasonable size are read.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{reference.LinesName, "tokenizer.json.xz"} {
		if err := os.Symlink("/dev/zero", filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := reference.Folder(dir, ""); err == nil || !strings.Contains(err.Error(), "lines.jsonl: a device, expected a regular file") {
		t.Errorf("lines: %v", err)
	}
	if _, err := reference.Load(dir); err == nil || !strings.Contains(err.Error(), "tokenizer.json.xz: a device, expected a regular file") {
		t.Errorf("tokenizer: %v", err)
	}
}
