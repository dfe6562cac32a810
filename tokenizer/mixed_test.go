package tokenizer_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/hone-rl/hone/internal/outside"
	"github.com/hone-rl/hone/tokenizer"
	"github.com/hone-rl/hone/tokenizer/reference"
)

var update = flag.Bool("update", false, "rewrite testdata/mixed.jsonl from Python (needs .venv, .minilm and ../shared)")

// frozen is how many lines of mixed text testdata holds, with the ids that Python gave.
const frozen = 200

// mixedLines is how many are compared with Python: HONE_LINES, else 2,000. make parity-models takes 20,000.
func mixedLines(t *testing.T) int {
	t.Helper()
	text := os.Getenv("HONE_LINES")
	if text == "" {
		return 2000
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < frozen {
		t.Fatalf("HONE_LINES=%s: expected a number of %d or more", text, frozen)
	}
	return n
}

var qwen36Special = []string{"<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>"}

// qwen36 is the vocabulary of Qwen3.6 from its ranks, with some special tokens.
func qwen36(t testing.TB) *tokenizer.Tokenizer {
	t.Helper()
	path := outside.Shared(t, "model-fixtures/tokenizer/qwen3_6/qwen3_6.tiktoken.xz")
	if loaded[path] != nil {
		return loaded[path]
	}
	data, err := reference.Unpack(path)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.ParseTiktoken(data, tokenizer.SplitQwen35, qwen36Special)
	if err != nil {
		t.Fatal(err)
	}
	loaded[path] = tok
	return tok
}

// miniLM is all-MiniLM-L6-v2's tokenizer, which make setup brings.
func miniLM(t testing.TB) *tokenizer.WordPiece {
	t.Helper()
	w, err := tokenizer.LoadWordPiece(outside.MiniLM(t))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestFrozen compares with a part of what TestPythonMixed compares with, kept for machines without Python.
func TestFrozen(t *testing.T) {
	lines, err := reference.ReadLines("testdata/mixed.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for name, load := range map[string]func(testing.TB) reference.Encoder{
		"qwen2_5":        func(t testing.TB) reference.Encoder { return qwen(t, "qwen2_5") },
		"qwen3":          func(t testing.TB) reference.Encoder { return qwen(t, "qwen3") },
		"qwen3_6":        func(t testing.TB) reference.Encoder { return qwen36(t) },
		reference.MiniLM: func(t testing.TB) reference.Encoder { return miniLM(t) },
	} {
		t.Run(name, func(t *testing.T) {
			r := reference.Compare(lines, name, load(t))
			if r.Compared != frozen || r.Different != 0 {
				t.Errorf("%d of %d lines differ, want 0 of %d; %s", r.Different, r.Compared, frozen, r.First)
			}
		})
	}
}

// python of one tokenizer: see scripts/parity/tokenizer_mixed.py.
type mixedPython struct {
	IDs          [][]int32
	Transformers []int
	Cut          [][2]int
	Decoded      []string
	Plain        []string
}

// TestPythonMixed compares ids, and the texts of ids cut anywhere, on lines of mixed text with Python's tokenizers, and
// these with transformers. It takes about 10 s, for 20,000 lines 40 s, nearly all of them Python's.
func TestPythonMixed(t *testing.T) {
	dir, mixed := t.TempDir(), mixedLines(t)
	toks := map[string]*tokenizer.Tokenizer{"qwen2_5": nil, "qwen3": nil, "qwen3_6": qwen36(t)}
	args := []string{strconv.Itoa(mixed), reference.MiniLM + "=" + outside.MiniLM(t)}
	for _, name := range []string{"qwen2_5", "qwen3", "qwen3_6"} {
		folder := filepath.Join(dir, name)
		args = append(args, name+"="+folder)
		if toks[name] != nil {
			if err := toks[name].Save(folder); err != nil {
				t.Fatal(err)
			}
			continue
		}
		toks[name] = qwen(t, name)
		copyPublished(t, name, folder)
	}
	var all map[string]json.RawMessage
	outside.NewPython(t).Read(t, &all, "tokenizer_mixed.py", args...)
	var texts []string
	if err := json.Unmarshal(all["texts"], &texts); err != nil {
		t.Fatal(err)
	}
	if len(texts) != mixed {
		t.Fatalf("%d lines, want %d", len(texts), mixed)
	}
	python := map[string]mixedPython{}
	for _, name := range []string{"qwen2_5", "qwen3", "qwen3_6", reference.MiniLM} {
		var p mixedPython
		if err := json.Unmarshal(all[name], &p); err != nil {
			t.Fatal(err)
		}
		python[name] = p
		encoder := reference.Encoder(toks[name])
		if name == reference.MiniLM {
			encoder = miniLM(t)
		}
		t.Run(name, func(t *testing.T) { compareMixed(t, encoder, toks[name], p, texts) })
	}
	compareFrozen(t, texts, python)
}

func compareMixed(t *testing.T, encoder reference.Encoder, tok *tokenizer.Tokenizer, p mixedPython, texts []string) {
	if len(p.Transformers) > 0 {
		t.Errorf("transformers and tokenizers differ in lines %v", p.Transformers)
	}
	const told = 5
	different := 0
	differ := func(format string, args ...any) {
		if different++; different <= told {
			t.Errorf(format, args...)
		}
	}
	for i, text := range texts {
		if got := encoder.Encode(text); !slices.Equal(got, p.IDs[i]) {
			differ("line %d: Encode(%q)\n got %v\nwant %v", i, text, got, p.IDs[i])
		}
		if tok == nil {
			continue
		}
		part := p.IDs[i][p.Cut[i][0] : p.Cut[i][0]+p.Cut[i][1]]
		if got := tokenizer.Valid(tok.Decode(part)); got != p.Decoded[i] {
			differ("line %d: Decode(%v) = %q, want %q", i, part, got, p.Decoded[i])
		}
		if got := tokenizer.Valid(tok.DecodePlain(part)); got != p.Plain[i] {
			differ("line %d: DecodePlain(%v) = %q, want %q", i, part, got, p.Plain[i])
		}
		streamed, stream := "", tok.NewStream()
		for _, id := range part {
			streamed += stream.Add(id)
		}
		if streamed += stream.End(); streamed != p.Decoded[i] {
			differ("line %d: streamed %v: %q, want %q", i, part, streamed, p.Decoded[i])
		}
	}
	if different > 0 {
		t.Errorf("%d differences in %d lines", different, len(texts))
	}
}

// compareFrozen holds testdata/mixed.jsonl against what Python gives now, or rewrites it.
func compareFrozen(t *testing.T, texts []string, python map[string]mixedPython) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	for i := range frozen {
		fields := map[string]any{"text": texts[i]}
		for name, p := range python {
			fields[name] = p.IDs[i]
		}
		if err := e.Encode(fields); err != nil {
			t.Fatal(err)
		}
	}
	const path = "testdata/mixed.jsonl"
	if *update {
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(kept, out.Bytes()) {
		t.Errorf("%s is not what Python gives (go test ./tokenizer -run PythonMixed -update)", path)
	}
}

// copyPublished unpacks a published tokenizer for Python.
func copyPublished(t *testing.T, name, folder string) {
	t.Helper()
	from := "model-fixtures/tokenizer/" + name + "/"
	data, err := reference.Unpack(outside.Shared(t, from+"tokenizer.json.xz"))
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(outside.Shared(t, from+"tokenizer_config.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string][]byte{"tokenizer.json": data, "tokenizer_config.json": config} {
		if err := os.WriteFile(filepath.Join(folder, file), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
