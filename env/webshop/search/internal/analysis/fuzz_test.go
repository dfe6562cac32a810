package analysis_test

import (
	"slices"
	"testing"

	"github.com/hone-rl/hone/env/webshop/search/internal/analysis"
)

// FuzzTerms: any text has terms, the same ones again, and none is empty.
func FuzzTerms(f *testing.F) {
	for _, text := range oddTexts() {
		f.Add(text)
	}
	f.Add("\xff\xf0\x90")
	f.Fuzz(func(t *testing.T, text string) {
		terms := analysis.Terms(text)
		if slices.Contains(terms, "") {
			t.Errorf("%q: an empty term in %q", text, terms)
		}
		var a analysis.Analyzer
		for range 2 {
			if got := a.Append(nil, text); !slices.Equal(got, terms) {
				t.Errorf("%q: got %q, want %q", text, got, terms)
			}
		}
	})
}
