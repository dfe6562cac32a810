package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/internal/outside"
)

// check runs the command in this process.
func check(ctx context.Context, args ...string) (out string, err error) {
	var b bytes.Buffer
	cmd := command()
	cmd.SetArgs(append([]string{"check", "--device", "cpu", "--threads", "1"}, args...))
	cmd.SetOut(&b)
	cmd.SetErr(io.Discard)
	err = cmd.ExecuteContext(ctx)
	return b.String(), err
}

func last(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return lines[len(lines)-1]
}

// copied is a writable copy of some folders of the fixtures.
func copied(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		to := filepath.Join(dir, name)
		if err := os.CopyFS(to, os.DirFS(outside.Shared(t, "model-fixtures", name))); err != nil {
			t.Fatal(err)
		}
		if err := filepath.WalkDir(to, func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Chmod(path, map[bool]os.FileMode{true: 0o700, false: 0o600}[d.IsDir()])
		}); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// change adds to one number of a tensor in a file.
func change(t *testing.T, path, name string, element int, by float32) {
	t.Helper()
	f, err := safetensors.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []safetensors.Tensor
	for _, n := range f.Names() {
		x := *f.Tensor(n)
		x.Data = bytes.Clone(x.Data)
		if n == name {
			at := x.Data[4*element:]
			binary.LittleEndian.PutUint32(at, math.Float32bits(math.Float32frombits(binary.LittleEndian.Uint32(at))+by))
		}
		all = append(all, x)
	}
	metadata := f.Metadata
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := safetensors.WriteFile(path, metadata, all); err != nil {
		t.Fatal(err)
	}
}

// One id or one number that is changed is found in the recorded lines and embeddings too.
func TestCheckText(t *testing.T) {
	words := outside.MiniLM(t)
	for name, c := range map[string]struct{ folder, file, from, to, says string }{
		"right tokenizer": {folder: "tokenizer", file: "lines.jsonl"},
		"id":              {"tokenizer", "lines.jsonl", `"qwen3":[`, `"qwen3":[1,`, "1 comparisons beyond tolerance: tokenizer: qwen3"},
		"right texts":     {folder: "minilm", file: "reference.json"},
		"number":          {"minilm", "reference.json", `"embedding": [-0.0683`, `"embedding": [0.7683`, "1 comparisons beyond tolerance: minilm: 1 - cosine"},
		"not json":        {"minilm", "reference.json", `[`, ``, "reference.json"},
	} {
		dir := copied(t, c.folder)
		path := filepath.Join(dir, c.folder, c.file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte(c.from)) {
			t.Fatalf("%s: %q is not in %s", name, c.from, path)
		}
		if err := os.WriteFile(path, bytes.Replace(text, []byte(c.from), []byte(c.to), 1), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := check(t.Context(), "--minilm", words, dir)
		if (err == nil) != (c.says == "") || (err != nil && !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v, want %q\n%s", name, err, c.says, out)
		}
	}
}

// The whole folder agrees; the last line has the count and each kind's largest difference.
func TestCheck(t *testing.T) {
	out, err := check(t.Context(), "--minilm", outside.MiniLM(t), outside.Shared(t, "model-fixtures"))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, says := range []string{" values compared; largest differences: embeddings ", ", logits ", ", hidden ", ", padded ", ", extended ", ", greedy ", ", greedy ids 0", ", loss ", ", gradients ", ", parameters ", ", tokenizer ids 0"} {
		if !strings.Contains(last(out), says) {
			t.Errorf("the last line is %q: want %q in it", last(out), says)
		}
	}
	for _, says := range []string{"adapter", "hidden states", "padded rows", "greedy decoding"} {
		if !strings.Contains(out, "qwen35-tiny-vl-layout: not compared: "+says+": ") {
			t.Errorf("nothing says that %s of qwen35-tiny-vl-layout are not there", says)
		}
	}
	if !strings.HasSuffix(last(out), "; parts not compared: 5") { // and the tokenizer qwen3_6
		t.Errorf("the last line is %q: want 5 parts not compared", last(out))
	}
	for _, model := range []string{"qwen2-tiny-tied", "qwen2-tiny-untied", "qwen35-tiny-tied", "qwen35-tiny-vl-layout"} {
		if !strings.Contains(out, model+": logits: ") {
			t.Errorf("%s: no logits compared", model)
		}
	}
	if out, err := check(t.Context()); err != nil || !strings.Contains(out, "cpu on ") {
		t.Errorf("without a folder: %q, %v", out, err)
	}
}

// One number that is changed, in a reference or in the weights, is found and named; so is a broken folder, and the
// rest is compared all the same.
func TestCheckFails(t *testing.T) {
	for name, c := range map[string]struct {
		change func(dir string)
		says   []string
	}{
		"reference": {
			func(dir string) {
				change(t, filepath.Join(dir, "qwen2-tiny-tied", "reference.safetensors"), "hidden.1", 77, 2e-4)
			},
			[]string{"1 comparisons beyond tolerance: qwen2-tiny-tied: hidden.1"},
		},
		"not a number": {
			func(dir string) {
				change(t, filepath.Join(dir, "qwen2-tiny-tied", "reference.safetensors"), "padded.logits", 23*512, float32(math.NaN()))
			},
			[]string{"1 comparisons not finite: qwen2-tiny-tied: padded.logits (value 7680 is "},
		},
		"weight not a number": {
			func(dir string) {
				change(t, filepath.Join(dir, "qwen2-tiny-tied", "model.safetensors"), "model.norm.weight", 0, float32(math.NaN()))
			},
			[]string{"comparisons not finite: qwen2-tiny-tied: logits (value 0 is NaN, ", "comparisons beyond tolerance: qwen2-tiny-tied: greedy.ids", "loss NaN"},
		},
		"half a folder": {
			func(dir string) {
				if err := os.Remove(filepath.Join(dir, "qwen2-tiny-tied", "reference.safetensors")); err != nil {
					t.Fatal(err)
				}
			},
			[]string{"qwen2-tiny-tied: not compared: it has a part of a folder of models, but no reference.safetensors"},
		},
		"gradient": {
			func(dir string) {
				change(t, filepath.Join(dir, "qwen35-tiny-tied", "lora", "sft_reference.safetensors"), "grad.model.layers.1.linear_attn.in_proj_a.lora_A.weight", 5, 0.1)
			},
			[]string{"1 comparisons beyond tolerance: qwen35-tiny-tied/lora: grad.model.layers.1.linear_attn.in_proj_a.lora_A.weight"},
		},
		"weight": {
			func(dir string) {
				change(t, filepath.Join(dir, "qwen35-tiny-tied", "model.safetensors"), "model.layers.0.linear_attn.A_log", 1, 0.5)
			},
			[]string{"qwen35-tiny-tied: logits", "qwen35-tiny-tied: hidden.1,", "qwen35-tiny-tied/lora: loss"},
		},
		"missing tensor": {
			func(dir string) {
				if err := os.Rename(filepath.Join(dir, "qwen35-tiny-tied", "lora", "adapter_model.safetensors"), filepath.Join(dir, "qwen2-tiny-tied", "model.safetensors")); err != nil {
					t.Fatal(err)
				}
			},
			[]string{"missing tensor model.embed_tokens.weight", "adapter_model.safetensors"},
		},
	} {
		dir := copied(t, "qwen2-tiny-tied", "qwen35-tiny-tied")
		c.change(dir)
		out, err := check(t.Context(), dir)
		for _, says := range c.says {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v, want an error saying %q", name, err, says)
			}
		}
		if !strings.Contains(last(out), "values compared") || !strings.Contains(out, "qwen35-tiny-tied: logits: ") {
			t.Errorf("%s: not all was compared:\n%s", name, out)
		}
	}
	if out, err := check(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "nothing to compare") || last(out) != "0 values compared" {
		t.Errorf("an empty folder: %q, %v", out, err)
	}
}

// TestCheckQuiet: with --quiet only what is beyond its tolerance is told, with its place, and what it all came to.
func TestCheckQuiet(t *testing.T) {
	dir := copied(t, "qwen2-tiny-tied")
	folder := filepath.Join(dir, "qwen2-tiny-tied")
	out, err := check(t.Context(), "--quiet", folder)
	if err != nil || strings.Count(strings.TrimSpace(out), "\n") != 0 || !strings.Contains(out, "values compared") {
		t.Errorf("all is well: got %q, %v, want one line", out, err)
	}
	change(t, filepath.Join(folder, "reference.safetensors"), "logits", 700, 1)
	out, err = check(t.Context(), "--quiet", folder)
	if err == nil || strings.Count(out, "\n") != 3 || strings.Count(out, "BEYOND TOLERANCE (value 700 is ") != 2 {
		t.Errorf("one logit: got %q, %v, want it told of both passes with its place", out, err)
	}
}
