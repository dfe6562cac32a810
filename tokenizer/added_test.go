package tokenizer_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hone-rl/hone/internal/outside"
	"github.com/hone-rl/hone/tokenizer"
)

// flagged is a tokenizer with added tokens of every kind, and its tokenizer.json.
func flagged(t testing.TB) (*tokenizer.Tokenizer, []byte) {
	t.Helper()
	var added []any
	for _, token := range []object{
		{"id": 0, "content": end, "special": true},
		{"id": 1, "content": "<|pad|>", "special": true, "lstrip": true},
		{"id": 350, "content": "<r>", "rstrip": true},
		{"id": 351, "content": "<b>", "lstrip": true, "rstrip": true, "normalized": true},
		{"id": 352, "content": "word", "single_word": true},
		{"id": 353, "content": "cafe\u0301", "normalized": true, "single_word": true},
		{"id": 354, "content": "<r><r>"},
		{"id": 355, "content": "\u3000", "rstrip": true},
		{"id": 356, "content": "\u2003x"},
		{"id": 357, "content": "\u2002", "lstrip": true, "rstrip": true},
	} {
		for _, flag := range []string{"single_word", "lstrip", "rstrip", "normalized", "special"} {
			if token[flag] == nil {
				token[flag] = false
			}
		}
		added = append(added, token)
	}
	data := edited(t, saved(t, tokenizer.SplitQwen2), "added_tokens", added)
	tok, err := tokenizer.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return tok, data
}

var addedTexts = []string{
	"a  <|pad|> b", "a\u3000\n<|pad|>", "<|pad|><|pad|> <|pad|>", "<r>  \n x", "x <r>\u00a0<r> y", "<r><r>  <r>", "<r> <|pad|>",
	"a <b> c", " <b> <b> ", "<r> <b> <|pad|> word", "word", " word ", "words", "sword", "aword word", "word_", "word-word", "wordword",
	"éword", "word\u0301", "word字", "1word", "word½", "word\u200dx", "café", "cafe\u0301", "cafés", "le cafe\u0301!", "cafe\u0301\u0301",
	"\u3000", "\u3000\u3000", "\u3000 \u3000 \u3000x", "<r>\u3000a", "\u2002\u2002", "a \u2002 \u2002\u3000 b", "<r>\u2002", "<r> \u2002 \u2002x", "<r> \u2003x", "<r> \u2003 x", "a\u3000 <|pad|>", "<r>\u3000\u3000 <|pad|>", "\u3000 <b> \u2003x",
	"<|pad|", "", "  ", end + " " + end, "x<|pad|>word<r>café<b>",
}

// TestAdded: by hand.
func TestAdded(t *testing.T) {
	tok, _ := flagged(t)
	a, space := tok.EncodePlain("a"), tok.EncodePlain(" ")
	for text, want := range map[string][]int32{
		"a  <|pad|>a":     {a[0], 1, a[0]},
		"a<r>  \n a":      {a[0], 350, a[0]},
		"<r><r> ":         {354, space[0]},
		" <b>  <b> ":      {351, 351},
		"word":            {352},
		"word-word":       slices.Concat([]int32{352}, tok.EncodePlain("-"), []int32{352}),
		"words":           tok.EncodePlain("words"),
		"cafe\u0301":      {353},
		"cafés":           tok.EncodePlain("cafés"),
		end + "<|pad|>":   {0, 1},
		"\u3000 \u3000a":  {355, 355, a[0]}, // the second in what the first has taken
		"\u2002 \u2002a":  {357, a[0]},
		"<r> \u2003x":     {350, 356},
		"\u2003<|pad|>\t": slices.Concat([]int32{1}, tok.EncodePlain("\t")),
	} {
		if got := tok.Encode(text); !slices.Equal(got, want) {
			t.Errorf("Encode(%q) = %v, want %v", text, got, want)
		}
	}
}

// TestPythonAdded: the same in Python.
func TestPythonAdded(t *testing.T) {
	tok, data := flagged(t)
	dir := t.TempDir()
	folder := filepath.Join(dir, "flagged")
	if err := tok.Save(folder); err != nil { // for its other files
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "tokenizer.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	texts, err := json.Marshal(addedTexts)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "texts.json")
	if err := os.WriteFile(path, texts, 0o600); err != nil {
		t.Fatal(err)
	}
	var results []python
	outside.NewPython(t).Read(t, &results, "tokenizer_ids.py", path, folder)
	for i, text := range addedTexts {
		if got := tok.Encode(text); !slices.Equal(got, results[0].Tokenizers[i]) {
			t.Errorf("Encode(%q) = %v, tokenizers %v", text, got, results[0].Tokenizers[i])
		}
	}
}
