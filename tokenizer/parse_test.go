package tokenizer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hone-rl/hone/tokenizer"
	"github.com/hone-rl/hone/tokenizer/internal/charset"
)

// saved is the tokenizer.json of a small tokenizer.
func saved(t testing.TB, split string) []byte {
	t.Helper()
	dir := t.TempDir()
	if err := small(t, split).Save(dir); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// edited sets a field, named by its path, of a tokenizer.json; nil removes it.
func edited(t testing.TB, data []byte, path string, value any) []byte {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	keys, at := strings.Split(path, "/"), doc
	for _, key := range keys[:len(keys)-1] {
		switch next := at[key].(type) {
		case map[string]any:
			at = next
		case []any: // of which only the first is edited
			at = next[0].(map[string]any)
		}
	}
	if last := keys[len(keys)-1]; value == nil {
		delete(at, last)
	} else {
		at[last] = value
	}
	out, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

type object = map[string]any

var parseErrors = []struct {
	path  string
	value any
	want  string
}{
	{"model", nil, "model: missing"},
	{"model/type", "Unigram", `model.type: "Unigram" is not supported (expected BPE)`},
	{"model/dropout", 0.1, "model.dropout: 0.1 is not supported"},
	{"model/continuing_subword_prefix", "##", "model.continuing_subword_prefix"},
	{"model/end_of_word_suffix", "</w>", "model.end_of_word_suffix"},
	{"model/byte_fallback", true, "model.byte_fallback"},
	{"model/vocab", []any{}, "vocab"},
	{"model/vocab/ÿ", nil, `model.vocab: byte 0xff (written "ÿ") is missing`},
	{"model/vocab/a", "x", "vocab"},
	{"model/vocab/a", 1 << 40, "vocab"},
	{"model/vocab/a", json.RawMessage("null"), "model: vocab.a: null: expected a value"},
	{"model/vocab", json.RawMessage(`{"a":0,"a":1}`), `model: vocab: "a" stands twice`},
	{"model", json.RawMessage(`{"type":"BPE","vocab":{},"MERGES":[]}`), "model.merges: missing"},
	{"model/merges", []any{[]any{"a", nil}}, "model.merges: expected all of"},
	{"model/vocab/a", -1, `model.vocab: "a" has id -1, expected 0 to 2097151`},
	{"model/vocab/b", 2, "which another token has too"},
	{"model/vocab/▁a", 999, `model.vocab: "▁a" is not written in byte-level characters`},
	{"model/vocab/", 999, `model.vocab: "" is not`},
	{"model/merges", "a b", "model.merges: expected all of"},
	{"model/merges", []any{"a b", []any{"a", "b"}}, "model.merges: expected all of"},
	{"model/merges", []any{"a"}, `model.merges[0]: "a", expected two tokens`},
	{"model/merges", []any{"a b c"}, `model.merges[0]: "a b c", expected two tokens`},
	{"model/merges", []any{[]any{"a"}}, "model.merges[0]: 1 tokens, expected 2"},
	{"model/merges", []any{"? xyz"}, `model.merges[0]: "xyz" is not in model.vocab`},
	{"model/merges", []any{"~ ~"}, `model.merges[0]: "~~" is not in model.vocab`},
	{"normalizer", object{"type": "Lowercase"}, `normalizer: type "Lowercase" is not supported`},
	{
		"normalizer",
		object{"type": "Sequence", "normalizers": []any{object{"type": "NFC"}, object{"type": "Strip"}}},
		`normalizer.normalizers[1]: type "Strip" is not supported`,
	},
	{"pre_tokenizer", nil, "pre_tokenizer: missing"},
	{"pre_tokenizer", object{"type": "Whitespace"}, `pre_tokenizer: type "Whitespace" is not supported`},
	{"pre_tokenizer/pretokenizers", []any{}, "pre_tokenizer.pretokenizers: 0 of them, expected 2"},
	{"pre_tokenizer/pretokenizers/type", "Digits", `pre_tokenizer.pretokenizers[0]: type "Digits" is not supported`},
	{"pre_tokenizer/pretokenizers/behavior", "Removed", `behavior "Removed"`},
	{"pre_tokenizer/pretokenizers/pattern", object{"Regex": `\d+`}, `pre_tokenizer.pretokenizers[0].pattern: "\\d+" is not`},
	{"post_processor", object{"type": "TemplateProcessing"}, `post_processor: type "TemplateProcessing" is not supported`},
	{"decoder", nil, "decoder: missing"},
	{"decoder", object{"type": "WordPiece"}, `decoder: type "WordPiece" is not supported`},
	{"added_tokens", object{}, "added_tokens"},
	{"added_tokens/content", "", `added_tokens[0] (id 0, ""): content is empty`},
	{"added_tokens/content", "<|pad|>", `added_tokens: "<|pad|>" is there twice`},
	{"added_tokens/content", "b", `added_tokens[0] (id 0, "b"): model.vocab has it with id `},
	{"added_tokens/content", "<x>", "its id is that of another token"},
	{"added_tokens", []any{object{"id": 410, "content": "<x>"}}, `added_tokens[0] (id 410, "<x>"): expected id 400, the next free one, which Python gives it`},
	{"added_tokens/id", 1 << 30, "added_tokens[1]: id is 1073741824"},
	{"added_tokens/lstrip", "yes", "added_tokens.lstrip"},
	{"added_tokens/content", strings.Repeat("x", 5000), "content has 5000 bytes, expected at most 4096"},
	{"added_tokens", []any{3}, "added_tokens"},
	{"model/merges", nil, "model.merges: missing"},
	{"model/vocab", nil, "model.vocab: missing"},
	{"model/merges", []any{[]any{"", "a"}}, `model.merges[0]: "" is not in model.vocab`},
	{"model/merges", []any{[]any{"a", 1}}, "model.merges: expected all of"},
	{"model/merges", []any{nil}, "model.merges[0]: 0 tokens, expected 2"},
	{"model/vocab/a", 1.5, "vocab"},
	{"model/vocab", "x", "vocab"},
	{"model", []any{}, "model"},
}

func TestParseErrors(t *testing.T) {
	data := saved(t, tokenizer.SplitPhrase)
	for _, test := range parseErrors {
		_, err := tokenizer.Parse(edited(t, data, test.path, test.value))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s = %v: got error %v, want one with %q", test.path, test.value, err, test.want)
		}
	}
}

// TestLoadDevice: what has no end is not read.
func TestLoadDevice(t *testing.T) {
	const want = "/dev/zero: a device, expected a regular file"
	if _, err := tokenizer.Load("/dev/zero"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	dir := t.TempDir()
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "vocab.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "tokenizer.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := tokenizer.LoadWordPiece(dir); err == nil || !strings.Contains(err.Error(), "a device, expected a regular file") {
		t.Errorf("got %v", err)
	}
}

func TestLoadErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokenizer.json")
	if _, err := tokenizer.Load(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("missing file: %v, want an error that names it", err)
	}
	data := saved(t, tokenizer.SplitPhrase)
	if err := os.WriteFile(path, data[:len(data)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	lines := 1 + bytes.Count(data[:len(data)/2], []byte("\n"))
	want := fmt.Sprintf("loading tokenizer %s: reading JSON: line %d: unexpected end of JSON input", path, lines)
	if _, err := tokenizer.Load(path); err == nil || err.Error() != want {
		t.Errorf("half a file: %v, want %s", err, want)
	}
}

// TestParseForms: the same merges as strings; a normalised added token; ignore_merges.
func TestParseForms(t *testing.T) {
	data := saved(t, tokenizer.SplitPhrase)
	tok, err := tokenizer.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Model struct{ Merges [][2]string }
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	lines := make([]string, len(doc.Model.Merges))
	for i, m := range doc.Model.Merges {
		lines[i] = m[0] + " " + m[1]
	}
	same, err := tokenizer.Parse(edited(t, data, "model/merges", lines))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range corpus() {
		if got, want := same.Encode(text), tok.Encode(text); !slices.Equal(got, want) {
			t.Errorf("merges as strings: Encode(%q) = %v, want %v", text, got, want)
		}
	}

	// The longest token cannot be reached without merges, but as a whole piece it is found all the same.
	none := edited(t, data, "model/merges", []any{})
	whole, err := tokenizer.Parse(edited(t, none, "model/ignore_merges", true))
	if err != nil {
		t.Fatal(err)
	}
	longest := ""
	for _, m := range doc.Model.Merges {
		if name := m[0] + m[1]; len(name) > len(longest) {
			longest = name
		}
	}
	id, ok := whole.ID(longest)
	text := strings.NewReplacer("Ġ", " ", "Ċ", "\n").Replace(longest)
	if got := whole.Encode(text); !ok || !slices.Equal(got, []int32{id}) {
		t.Errorf("ignore_merges: Encode(%q) = %v, want [%d]", text, got, id)
	}

	nfc := edited(t, data, "normalizer", object{"type": "NFC"})
	added := []any{
		object{"id": 0, "content": end, "special": true},
		object{"id": 1, "content": "<|pad|>", "special": true},
		object{"id": 400, "content": "caf\u00e9", "normalized": true},
		object{"id": 401, "content": "<|pad|>2"},
	}
	norm, err := tokenizer.Parse(edited(t, nfc, "added_tokens", added))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := norm.Encode("cafe\u0301<|pad|>2<|pad|>"+end), []int32{400, 401, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("added tokens: got %v, want %v", got, want)
	}
	if got := norm.VocabSize(); got != 402 {
		t.Errorf("VocabSize() = %d, want 402", got)
	}
}

func FuzzParse(f *testing.F) {
	data := saved(f, tokenizer.SplitPhrase)
	f.Add(data)
	f.Add(saved(f, tokenizer.SplitQwen2))
	for _, test := range parseErrors {
		f.Add(edited(f, data, test.path, test.value))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tok, err := tokenizer.Parse(data)
		if err != nil {
			return
		}
		for _, text := range []string{end, "go to shelf 1\n\xff\x00, é", string(data[:min(len(data), 100)])} {
			if tok.Decode(tok.Encode(text)) == "" {
				t.Errorf("%q has become nothing", text)
			}
			tok.EncodePlain(text)
		}
	})
}

// FuzzRoundTrip: any bytes come back exactly, or in NFC where the tokenizer normalises.
func FuzzRoundTrip(f *testing.F) {
	for _, text := range append(corpus(), "", end, "<|endof", "\xff\xfe", "\xed\xa0\x80", "e\u0301\u0323", "한\u11a8", "\U0001f600") {
		f.Add(text)
	}
	phrase, qwen2 := small(f, tokenizer.SplitPhrase), small(f, tokenizer.SplitQwen2)
	f.Fuzz(func(t *testing.T, text string) {
		for _, ids := range [][]int32{phrase.Encode(text), phrase.EncodePlain(text)} {
			if got := phrase.Decode(ids); got != text {
				t.Errorf("phrase: %q came back as %q", text, got)
			}
		}
		ids, want := qwen2.EncodePlain(text), charset.NFC(text)
		if got := qwen2.Decode(ids); got != want {
			t.Errorf("qwen2: %q came back as %q, want %q", text, got, want)
		}
		if got := qwen2.Decode(ids); utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("qwen2: %q came back as %q, which is not UTF-8", text, got)
		}
	})
}
