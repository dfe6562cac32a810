package tokenizer_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/tokenizer"
)

const end = "<|endoftext|>"

// corpus is text like that of records, with a little of everything that the splits tell apart.
func corpus() []string {
	var texts []string
	for _, verb := range []string{"go to", "examine", "open", "close"} {
		for _, thing := range []string{"shelf", "cabinet", "drawer", "fridge"} {
			for n := range 12 {
				command := verb + " " + thing + " " + string(rune('a'+n)) + string(rune('0'+n%10))
				texts = append(texts, "now: You arrive at it. You see nothing, it's empty.\ndo:\n"+command+"\n")
			}
		}
	}
	return append(texts, "日本語, ½ é e\u0301\n", "don't I'LL  \t\n")
}

func small(t testing.TB, split string) *tokenizer.Tokenizer {
	t.Helper()
	config := tokenizer.TrainConfig{Vocabulary: 400, Split: split, Special: []string{end, "<|pad|>"}}
	tok, err := tokenizer.Train(config, slices.Values(corpus()))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// TestTrainByHand: special tokens first, bytes by code point of their character ("!" first, line break at
// U+010A), then merges by count and, where counts agree, by the smallest ids.
func TestTrainByHand(t *testing.T) {
	config := tokenizer.TrainConfig{Vocabulary: 263, Split: tokenizer.SplitPhrase, Special: []string{end}}
	// Pairs of "abab." twice, "aa." once and "cd." three times:
	// a b: 4, b a: 2, b .: 2, a a: 1, a .: 1, c d: 3, d .: 3.
	// 1. a b (4) makes ab ab . twice: ab ab: 2, ab .: 2; c d: 3, d .: 3.
	// 2. c d (3, c before d) makes cd .: 3.  3. cd . (3).  4. of ab . (2) and ab ab (2) the first: "." has the
	// smaller id. Then ab "ab.": 2.  5. that.  6. of a a (1) and a . (1), "." again: "a.", and so 263 tokens.
	texts := []string{"abab.", "cd.cd.", "aa." + end + "abab.", "cd."}
	want := []string{"ab", "cd", "cd.", "ab.", "abab.", "a."}
	tok, err := tokenizer.Train(config, slices.Values(texts))
	if err != nil {
		t.Fatal(err)
	}
	if got := tok.VocabSize(); got != 263 {
		t.Errorf("VocabSize() = %d, want 263", got)
	}
	for token, want := range map[string]int32{end: 0, "!": 1, "a": 65, "ÿ": 188, "Ā": 189, "Ċ": 199, "Ġ": 221} {
		if got, ok := tok.ID(token); !ok || got != want {
			t.Errorf("ID(%q) = %d, %t, want %d", token, got, ok, want)
		}
	}
	for i, token := range want {
		if got, ok := tok.ID(token); !ok || got != int32(257+i) {
			t.Errorf("ID(%q) = %d, %t, want %d", token, got, ok, 257+i)
		}
	}
	if got, want := tok.Encode("abab."+end+"\n"), []int32{261, 0, 199}; !slices.Equal(got, want) {
		t.Errorf("Encode = %v, want %v", got, want)
	}
}

func TestTrainOrder(t *testing.T) {
	texts := corpus()
	first := save(t, small(t, tokenizer.SplitPhrase))
	slices.Reverse(texts)
	config := tokenizer.TrainConfig{Vocabulary: 400, Split: tokenizer.SplitPhrase, Special: []string{end, "<|pad|>"}}
	tok, err := tokenizer.Train(config, slices.Values(texts))
	if err != nil {
		t.Fatal(err)
	}
	if second := save(t, tok); !slices.Equal(first, second) {
		t.Error("the order of the texts changed the tokenizer")
	}
}

// TestTrainEnds: "ab." has two merges and no more.
func TestTrainEnds(t *testing.T) {
	config := tokenizer.TrainConfig{Vocabulary: 1000, Split: tokenizer.SplitPhrase}
	tok, err := tokenizer.Train(config, slices.Values([]string{"ab.", "", "ab."}))
	if err != nil {
		t.Fatal(err)
	}
	if got := tok.VocabSize(); got != 258 {
		t.Errorf("VocabSize() = %d, want 258", got)
	}
}

func TestTrainErrors(t *testing.T) {
	for _, test := range []struct {
		config tokenizer.TrainConfig
		want   string
	}{
		{tokenizer.TrainConfig{Vocabulary: 300, Split: "line"}, `split "line" is not known (expected phrase or qwen2 or word or qwen3.5)`},
		{tokenizer.TrainConfig{Vocabulary: 256, Split: "phrase", Special: []string{end}}, "vocabulary of 256, expected 257 "},
		{tokenizer.TrainConfig{Vocabulary: 1 << 30, Split: "phrase"}, "vocabulary of 1073741824, expected"},
		{tokenizer.TrainConfig{Vocabulary: 300, Split: "phrase", Special: []string{end, end}}, "twice"},
		{tokenizer.TrainConfig{Vocabulary: 300, Split: "phrase", Special: []string{""}}, "special token 0 is empty"},
		{tokenizer.TrainConfig{Vocabulary: 300, Split: "phrase", Special: []string{"a"}}, `"a"`},
		{tokenizer.TrainConfig{Vocabulary: 300, Split: "phrase", Special: []string{"Ġa"}}, "another token"},
	} {
		_, err := tokenizer.Train(test.config, slices.Values([]string{" a"}))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Train(%+v): %v, want an error with %q", test.config, err, test.want)
		}
	}
}

// save returns the bytes of all files that Save writes, by name.
func save(t *testing.T, tok *tokenizer.Tokenizer) []string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "new")
	if err := tok.Save(dir); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, name := range []string{"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(data))
	}
	return out
}

func TestSaveLoad(t *testing.T) {
	for _, split := range []string{tokenizer.SplitPhrase, tokenizer.SplitQwen2} {
		tok := small(t, split)
		files := save(t, tok)
		again, err := tokenizer.Parse([]byte(files[0]))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(files, save(t, again)) {
			t.Errorf("%s: saved, loaded and saved again, the files differ", split)
		}
		for _, text := range corpus() {
			if got, want := again.Encode(text), tok.Encode(text); !slices.Equal(got, want) {
				t.Errorf("%s: Encode(%q) = %v, before saving %v", split, text, got, want)
			}
		}
		const special = "{\n  \"eos_token\": \"<|endoftext|>\",\n  \"pad_token\": \"<|endoftext|>\"\n}\n"
		if files[2] != special {
			t.Errorf("%s: special_tokens_map.json is %q, want %q", split, files[2], special)
		}
	}
}
