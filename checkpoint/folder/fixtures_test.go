package folder_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/folder"
	"github.com/hone-rl/hone/checkpoint/folder/foldertest"
	"github.com/hone-rl/hone/internal/outside"
)

// TestFixtures: models that transformers wrote, with a small tokenizer beside them.
func TestFixtures(t *testing.T) {
	root := outside.Shared(t, "model-fixtures")
	tokens := foldertest.Files(t, 1, 1)[folder.TokenizerName]
	for _, tt := range []struct {
		name, architecture string
		carried            bool
	}{
		{"qwen2-tiny-tied", "qwen2", false},
		{"qwen2-tiny-untied", "qwen2", false},
		{"qwen35-tiny-tied", "qwen3_5", false},
		{"qwen35-tiny-vl-layout", "qwen3_5", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			entries, err := os.ReadDir(filepath.Join(root, tt.name))
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				from, err := filepath.Abs(filepath.Join(root, tt.name, e.Name()))
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(from, filepath.Join(dir, e.Name())); err != nil {
					t.Fatal(err)
				}
			}
			write(t, filepath.Join(dir, folder.TokenizerName), tokens)
			f, err := folder.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			m, err := checkpoint.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			if g := f.Figures; g.Architecture != tt.architecture || g.Parameters != checkpoint.Parameters(m) || (g.Carried > 0) != tt.carried || g.Types["F32"] != g.Parameters+g.Carried {
				t.Errorf("got %+v", g)
			}
			if want := []string{"reference.safetensors"}; !slices.Equal(slices.DeleteFunc(slices.Clone(f.Left), func(n string) bool { return n == "lora" || n == "lora/" }), want) {
				t.Errorf("left %q, want %q and lora", f.Left, want)
			}
		})
	}
}

// FuzzSelect: what is chosen is among what is there, and none of it is a program.
func FuzzSelect(f *testing.F) {
	f.Add("config.json tokenizer.json model.safetensors pytorch_model.bin", "")
	f.Add("config.json tokenizer.json model.safetensors.index.json a.safetensors", `{"weight_map":{"x":"a.safetensors"}}`)
	f.Add("config.json tokenizer.json model.safetensors.index.json a.bin", `{"weight_map":{"x":"a.bin"}}`)
	f.Add("config.json tokenizer.json model.safetensors.index.json", `{"weight_map":{"x":"../a.safetensors"}}`)
	f.Fuzz(func(t *testing.T, list, index string) {
		names := strings.Fields(list)
		chosen, err := folder.Select(names, func(string) ([]byte, error) { return []byte(index), nil })
		if err != nil {
			return
		}
		for _, name := range chosen {
			if !slices.Contains(names, name) || strings.HasSuffix(name, ".bin") || strings.HasSuffix(name, ".py") {
				t.Errorf("%q with index %q: chose %q", list, index, name)
			}
		}
	})
}
