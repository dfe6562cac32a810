package tokenizer_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/internal/outside"
	"github.com/hone-rl/hone/tokenizer"
	"github.com/hone-rl/hone/tokenizer/reference"
)

// vocab has the ids 0 to 4 for special tokens, then one for each word.
const vocab = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ngo\n##ing\nshelf\n,\n'\n你\na\n##b\n##ab\ne\ni\n##σ\nσ\n##☂\n!\n"

func pieces(t testing.TB) *tokenizer.WordPiece {
	t.Helper()
	w, err := tokenizer.ParseWordPieceVocab([]byte(vocab))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

var wordPieceTests = []struct {
	text string
	want []int32 // without [CLS] and [SEP]
}{
	{"", nil},
	{"  \t\n", nil},
	{"go", []int32{5}},
	{"Going, GOING!", []int32{5, 6, 8, 5, 6, 19}},
	{"goingo", []int32{1}}, // "o" cannot go on
	{"aab ab", []int32{11, 13, 11, 12}},
	{"aabb", []int32{11, 13, 12}},
	{"你go你", []int32{10, 5, 10}},
	{"É e\u0301\u0301 è", []int32{14, 14, 14}},
	{"İ I", []int32{15, 15}}, // its dot is an accent
	{"ΣΣ", []int32{17, 16}},  // no final sigma
	{"g\u0000o g\u200bo \ufffdgo", []int32{5, 5, 5}},
	{"g\xffo", []int32{5}},
	{"a☂", []int32{11, 18}}, // a symbol is no punctuation
	{"shelf's", []int32{7, 9, 1}},
	{"a[SEP]b [MASK][sep]", []int32{11, 3, 1, 4, 1, 1, 1}},
	{strings.Repeat("ab", 50), slices.Concat([]int32{11, 12}, slices.Repeat([]int32{13}, 49))},
	{strings.Repeat("ab", 50) + "b", []int32{1}}, // 101 characters
	{"a" + strings.Repeat("ÀB", 49) + "b", slices.Concat([]int32{11}, slices.Repeat([]int32{13}, 49), []int32{12})},
	{"x" + strings.Repeat("\u0301", 200), []int32{1}},           // accents gone it is one character
	{"go\u00a0go\u2028go\u0085go\u3000go", []int32{5, 5, 1, 5}}, // U+0085 goes, the others part
	{"[SEP", []int32{1, 1}},
}

func TestWordPiece(t *testing.T) {
	w := pieces(t)
	for _, test := range wordPieceTests {
		want := slices.Concat([]int32{2}, test.want, []int32{3})
		if got := w.Encode(test.text); !slices.Equal(got, want) {
			t.Errorf("Encode(%q) = %v, want %v", test.text, got, want)
		}
	}
}

func TestWordPieceCut(t *testing.T) {
	w := pieces(t)
	for _, test := range []struct {
		limit int
		want  []int32
	}{
		{9, []int32{2, 5, 5, 5, 3}},
		{5, []int32{2, 5, 5, 5, 3}},
		{4, []int32{2, 5, 5, 3}},
		{3, []int32{2, 5, 3}},
		{2, []int32{2, 3}},
	} {
		if got := w.EncodeCut("go go go", test.limit); !slices.Equal(got, test.want) {
			t.Errorf("EncodeCut to %d: %v, want %v", test.limit, got, test.want)
		}
	}
	if id, ok := w.ID("##ing"); !ok || id != 6 || w.VocabSize() != 20 {
		t.Errorf("ID(##ing) = %d, %t, VocabSize() = %d, want 6, 20", id, ok, w.VocabSize())
	}
}

// TestMiniLM: the fixture's lines, through the function that hone-worker check calls; vocab.txt says what tokenizer.json
// says.
func TestMiniLM(t *testing.T) {
	results, err := reference.Folder(filepath.Dir(outside.Shared(t, "model-fixtures/tokenizer/lines.jsonl")), outside.MiniLM(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 3 {
		t.Fatalf("%d tokenizers, want 3", len(results))
	}
	for _, r := range results {
		if r.Compared != 600 || r.Different != 0 {
			t.Errorf("%s: %d of %d lines differ, want 0 of 600; %s", r.Name, r.Different, r.Compared, r.First)
		}
	}
	data, err := os.ReadFile(filepath.Join(outside.MiniLM(t), "vocab.txt"))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := tokenizer.ParseWordPieceVocab(data)
	if err != nil {
		t.Fatal(err)
	}
	if r := reference.Compare(lines(t), reference.MiniLM, plain); r.Different != 0 {
		t.Errorf("vocab.txt: %d lines differ; %s", r.Different, r.First)
	}
}

// wordPieceFile is a tokenizer.json of the small vocabulary.
func wordPieceFile(t testing.TB) []byte {
	t.Helper()
	ids := map[string]int{}
	for i, token := range strings.Fields(vocab) {
		ids[token] = i
	}
	special := func(name string) object { return object{"SpecialToken": object{"id": name, "type_id": 0}} }
	data, err := json.Marshal(object{
		"truncation": object{"max_length": 2}, "padding": object{"strategy": object{"Fixed": 128}},
		"added_tokens":  []any{object{"id": 3, "content": "[SEP]", "special": true}},
		"normalizer":    object{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true},
		"pre_tokenizer": object{"type": "BertPreTokenizer"},
		"post_processor": object{
			"type": "TemplateProcessing", "single": []any{special("[CLS]"), object{"Sequence": object{"id": "A"}}, special("[SEP]")},
		},
		"model": object{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": ids},
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestWordPieceForms(t *testing.T) {
	data := wordPieceFile(t)
	for _, test := range []struct {
		path  string
		value any
		text  string
		want  []int32
	}{
		{"normalizer/lowercase", true, "Go É你a[SEP]", []int32{2, 5, 14, 10, 11, 3, 3}},
		{"normalizer/lowercase", false, "Go go É", []int32{2, 1, 5, 1, 3}}, // and accents stay
		{"normalizer/strip_accents", false, "è go", []int32{2, 1, 5, 3}},
		{"normalizer/handle_chinese_chars", false, "你 你a", []int32{2, 10, 1, 3}},
		{"normalizer/clean_text", false, "g\u200bo go", []int32{2, 1, 5, 3}},
		{"post_processor", nil, "go", []int32{5}},
		{"post_processor", object{"type": "BertProcessing", "sep": []any{"[SEP]", 3}, "cls": []any{"[CLS]", 2}}, "go", []int32{2, 5, 3}},
		{"model/max_input_chars_per_word", 1, "go a", []int32{2, 1, 11, 3}},
		{"model/unk_token", "a", "x", []int32{2, 11, 3}},
		{"added_tokens", []any{object{"id": 20, "content": "É", "normalized": true}}, "Ego é go", []int32{2, 20, 5, 20, 5, 3}},
	} {
		w, err := tokenizer.ParseWordPiece(edited(t, data, test.path, test.value))
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Encode(test.text); !slices.Equal(got, test.want) {
			t.Errorf("%s = %v: Encode(%q) = %v, want %v", test.path, test.value, test.text, got, test.want)
		}
	}
}

var wordPieceErrors = []struct {
	path  string
	value any
	want  string
}{
	{"model", nil, `model.type: "" is not supported (expected WordPiece)`},
	{"model/type", "BPE", `model.type: "BPE" is not supported (expected WordPiece)`},
	{"model/unk_token", "[X]", `model.unk_token: "[X]" is not in model.vocab`},
	{"model/unk_token", 3, "unk_token"},
	{"model/continuing_subword_prefix", "", "model.continuing_subword_prefix"},
	{"model/max_input_chars_per_word", 0, "model.max_input_chars_per_word: 0"},
	{"model/max_input_chars_per_word", 1 << 40, "model.max_input_chars_per_word"},
	{"model/vocab", []any{}, "vocab"},
	{"model/vocab", nil, `model.unk_token: "[UNK]" is not in model.vocab`},
	{"model/vocab/go", 1 << 30, `model.vocab: "go" has id 1073741824, expected 0 to 2097151`},
	{"model/vocab/go", -1, `model.vocab: "go" has id -1`},
	{"model/vocab/go", 6, "which another token has too"},
	{"model/vocab/go", "x", "vocab"},
	{"normalizer", nil, "normalizer: expected type BertNormalizer"},
	{"normalizer/type", "NFC", "normalizer: expected type BertNormalizer"},
	{"normalizer/lowercase", "yes", "lowercase"},
	{"pre_tokenizer", nil, "pre_tokenizer: expected type BertPreTokenizer"},
	{"post_processor/type", "ByteLevel", `post_processor: type "ByteLevel" is not supported`},
	{"post_processor/single", []any{}, "post_processor.single: 0 texts, expected 1"},
	{"post_processor/single", []any{object{}}, "post_processor.single[0]: expected SpecialToken or Sequence"},
	{"post_processor/single", []any{object{"SpecialToken": object{"id": "[X]"}}}, `post_processor.single[0]: "[X]" is no token`},
	{"post_processor/single", "x", "post_processor"},
	{"post_processor", object{"type": "BertProcessing"}, "post_processor.cls"},
	{"added_tokens", object{}, "added_tokens"},
	{"added_tokens/id", 4, `added_tokens[0] (id 4, "[SEP]"): model.vocab has it with id 3`},
	{"added_tokens/id", 1 << 30, "added_tokens[0]: id is 1073741824"},
	{"added_tokens/content", "", "added_tokens[0] (id 3): content is empty"},
	{"added_tokens", []any{object{"ID": 3, "content": "[SEP]"}}, `added_tokens[0] (id 0, "[SEP]")`},
	{"model/vocab/go", json.RawMessage("null"), "model.vocab.go: null"},
	{"post_processor", object{"Type": "TemplateProcessing"}, `post_processor: type ""`},
}

func TestWordPieceErrors(t *testing.T) {
	data := wordPieceFile(t)
	for _, test := range wordPieceErrors {
		_, err := tokenizer.ParseWordPiece(edited(t, data, test.path, test.value))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s = %v: got error %v, want one with %q", test.path, test.value, err, test.want)
		}
	}
	for text, want := range map[string]string{
		"":                       "no line is [PAD]",
		vocab + "go\n":           `line 21: "go" stands in line 6 too`,
		"[PAD]\n[UNK]\n[CLS]\na": "no line is [SEP]",
	} {
		if _, err := tokenizer.ParseWordPieceVocab([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("vocab.txt %.20q: got error %v, want one with %q", text, err, want)
		}
	}
	if _, err := tokenizer.LoadWordPiece(t.TempDir()); err == nil || !strings.Contains(err.Error(), "vocab.txt") {
		t.Errorf("an empty folder: %v", err)
	}
}

func FuzzParseWordPiece(f *testing.F) {
	data := wordPieceFile(f)
	f.Add(data)
	for _, test := range wordPieceErrors {
		f.Add(edited(f, data, test.path, test.value))
	}
	f.Add([]byte(vocab))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, parse := range []func([]byte) (*tokenizer.WordPiece, error){tokenizer.ParseWordPiece, tokenizer.ParseWordPieceVocab} {
			w, err := parse(data)
			if err != nil {
				continue
			}
			for _, id := range w.Encode("Go to shelf 1, [SEP] é你" + string(data[:min(len(data), 100)])) {
				if id < 0 || int(id) >= w.VocabSize() {
					t.Errorf("id %d of %d", id, w.VocabSize())
				}
			}
		}
	})
}

// FuzzWordPiece: a text of blanks between what it had gives the same ids, ASCII's short way the same as the long one's.
func FuzzWordPiece(f *testing.F) {
	for _, test := range wordPieceTests {
		f.Add(test.text)
	}
	w := pieces(f)
	f.Fuzz(func(t *testing.T, text string) {
		ids := w.Encode(text)
		if len(ids) < 2 || ids[0] != 2 || ids[len(ids)-1] != 3 {
			t.Fatalf("Encode(%q) = %v, want [CLS] … [SEP]", text, ids)
		}
		long := w.Encode(text + " 你") // is not ASCII
		if want := slices.Concat(ids[:len(ids)-1], []int32{10, 3}); !slices.Equal(long, want) {
			t.Errorf("Encode(%q): %v, the long way %v", text, want, long)
		}
		if cut := w.EncodeCut(text, 8); len(cut) > 8 || len(ids) <= 8 && !slices.Equal(cut, ids) {
			t.Errorf("EncodeCut(%q, 8) = %v of %v", text, cut, ids)
		}
	})
}
