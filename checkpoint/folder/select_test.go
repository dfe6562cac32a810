package folder_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/checkpoint/folder"
	"github.com/hone-rl/hone/checkpoint/safetensors"
)

// shrunk cuts the embedding of foldertest's weights to 270 rows.
func shrunk(t *testing.T, weights []byte) []byte {
	t.Helper()
	dir := t.TempDir()
	path := dir + "/a.safetensors"
	write(t, path, weights)
	f, err := safetensors.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []safetensors.Tensor
	for _, name := range f.Names() {
		x := *f.Tensor(name)
		if name == "model.embed_tokens.weight" {
			x.Shape, x.Data = []int64{270, 16}, x.Data[:2*270*16]
		}
		all = append(all, x)
	}
	var b strings.Builder
	if err := errors.Join(safetensors.Write(&b, nil, all), f.Close()); err != nil {
		t.Fatal(err)
	}
	return []byte(b.String())
}

// TestSelect: what published repositories have at their top, and what of it is the model.
func TestSelect(t *testing.T) {
	index := func(string) ([]byte, error) {
		return []byte(`{"weight_map":{"a":"model-00001-of-00002.safetensors","b":"model-00002-of-00002.safetensors"}}`), nil
	}
	for _, tt := range []struct{ name, files, want string }{
		{
			"Qwen2.5", ".gitattributes LICENSE README.md config.json generation_config.json merges.txt model.safetensors tokenizer.json tokenizer_config.json vocab.json",
			"LICENSE config.json generation_config.json merges.txt model.safetensors tokenizer.json tokenizer_config.json vocab.json",
		},
		{
			"Qwen3.5", "chat_template.jinja config.json model-00001-of-00002.safetensors model-00002-of-00002.safetensors model.safetensors.index.json preprocessor_config.json tokenizer.json video_preprocessor_config.json a.png",
			"chat_template.jinja config.json model-00001-of-00002.safetensors model-00002-of-00002.safetensors model.safetensors.index.json preprocessor_config.json tokenizer.json video_preprocessor_config.json",
		},
		{
			"both kinds", "config.json model-00001-of-00002.safetensors model.safetensors model.safetensors.index.json pytorch_model.bin tokenizer.json consolidated.safetensors",
			"config.json model.safetensors tokenizer.json",
		},
		{
			"legal", "COPYING.txt LICENCE.md LICENSE-MODEL NOTICE USE_POLICY.md License.pdf config.json license.py model.safetensors tokenizer.json",
			"COPYING.txt LICENCE.md LICENSE-MODEL NOTICE USE_POLICY.md config.json model.safetensors tokenizer.json",
		},
		{"code", "config.json model.safetensors modeling_qwen.py tokenizer.json training_args.bin", "config.json model.safetensors tokenizer.json"},
	} {
		got, err := folder.Select(strings.Fields(tt.files), index)
		if err != nil || !slices.Equal(got, strings.Fields(tt.want)) {
			t.Errorf("%s: got %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
	lost := errors.New("lost")
	_, err := folder.Select([]string{safetensors.IndexName, "config.json", "tokenizer.json"}, func(string) ([]byte, error) { return nil, lost })
	if !errors.Is(err, lost) {
		t.Errorf("an index that cannot be read: got %v", err)
	}
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}
