package tokenizer_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/hone-rl/hone/internal/outside"
	"github.com/hone-rl/hone/tokenizer"
)

// TestPython: a tokenizer that we trained and saved gives the same ids and texts in Python, and Python's own
// trainer learns the same from the same texts. It takes 2 to 10 s, nearly all of them Python's
// imports.
func TestPython(t *testing.T) {
	texts := corpus()
	for _, l := range lines(t) {
		texts = append(texts, strings.ReplaceAll(l.Text, end, "")) // Python's trainer would learn from its name
	}
	data, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	args := []string{filepath.Join(dir, "texts.json")}
	if err := os.WriteFile(args[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	splits := []string{tokenizer.SplitPhrase, tokenizer.SplitQwen2, tokenizer.SplitWord, tokenizer.SplitQwen35}
	toks := make([]*tokenizer.Tokenizer, len(splits))
	for i, split := range splits {
		config := tokenizer.TrainConfig{Vocabulary: 2048, Split: split, Special: []string{end, "<|pad|>"}}
		if toks[i], err = tokenizer.Train(config, slices.Values(texts)); err != nil {
			t.Fatal(err)
		}
		args = append(args, filepath.Join(dir, split))
		if err := toks[i].Save(args[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	var results []python
	outside.NewPython(t).Read(t, &results, "tokenizer_ids.py", args...)
	for i, split := range splits {
		t.Run(split, func(t *testing.T) {
			compare(t, toks[i], results[i], texts, split == tokenizer.SplitQwen2 || split == tokenizer.SplitQwen35)
		})
	}
}

// python is what tokenizer_ids.py prints for a tokenizer.
type python struct {
	Tokenizers   [][]int32
	Transformers [][]int32
	Decoded      []string
	EOS          int32
	Trained      bool
}

func compare(t *testing.T, tok *tokenizer.Tokenizer, py python, texts []string, nfc bool) {
	if !py.Trained {
		t.Error("Python's trainer learns another vocabulary from these texts")
	}
	if py.EOS != 0 {
		t.Errorf("eos_token_id is %d, want 0", py.EOS)
	}
	for i, text := range texts {
		ids := tok.Encode(text)
		if !slices.Equal(py.Tokenizers[i], ids) || !slices.Equal(py.Transformers[i], ids) {
			t.Errorf("Encode(%q)\n    gives %v\ntokenizers %v\ntransformers %v", text, ids, py.Tokenizers[i], py.Transformers[i])
		}
		if nfc {
			text = norm.NFC.String(text)
		}
		if got := tok.Decode(ids); got != text || py.Decoded[i] != text {
			t.Errorf("Decode gives %q, Python %q, want %q", got, py.Decoded[i], text)
		}
	}
}
