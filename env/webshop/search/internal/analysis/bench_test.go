package analysis_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/hone-rl/hone/env/webshop/search/internal/analysis"
	"github.com/hone-rl/hone/internal/outside"
)

// BenchmarkAnalyzer reads the 200 golden texts again and again.
func BenchmarkAnalyzer(b *testing.B) {
	file, err := os.Open(outside.Shared(b, "webshop-golden", "analyzer.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	var texts []string
	size := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var c struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			b.Fatal(err)
		}
		texts = append(texts, c.Text)
		size += len(c.Text)
	}
	var a analysis.Analyzer
	var terms []string
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, text := range texts {
			terms = a.Append(terms[:0], text)
		}
	}
}
