package analysis_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/hone-rl/hone/env/webshop/search/internal/analysis"
	"github.com/hone-rl/hone/internal/outside"
)

// TestGolden: Lucene's terms of parts of real index texts.
func TestGolden(t *testing.T) {
	terms(t, outside.Shared(t, "webshop-golden", "analyzer.jsonl"), 200)
}

// terms compares with a file of texts and their terms; one analyzer reads them all.
func terms(t *testing.T, path string, count int) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var a analysis.Analyzer
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	n := 0
	for ; lines.Scan(); n++ {
		var c struct {
			Text  string
			Terms []string
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("line %d: %v", n+1, err)
		}
		if got := a.Append(nil, c.Text); !slices.Equal(got, c.Terms) {
			t.Errorf("line %d, %q: got %q, want %q", n+1, c.Text, got, c.Terms)
		}
		if got := analysis.Terms(c.Text); !slices.Equal(got, c.Terms) {
			t.Errorf("line %d alone, %q: got %q, want %q", n+1, c.Text, got, c.Terms)
		}
	}
	if err := lines.Err(); err != nil || n != count {
		t.Errorf("%d lines, %v, want %d", n, err, count)
	}
}
