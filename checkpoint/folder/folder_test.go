package folder_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hone-rl/hone/checkpoint/folder"
	"github.com/hone-rl/hone/checkpoint/folder/foldertest"
)

// By hand: 300·16 of the embedding; a layer has 16·16 + 16 of q, 2·(8·16 + 8) of k and v, 16·16 of o, 3·16·24 of the MLP
// and 2·16 of norms; 16 of the last norm.
const parameters = 300*16 + 2*(272+272+256+1152+32) + 16

var extra = map[string][]byte{
	"pytorch_model.bin": []byte("a program"), "README.md": []byte("# a model"), "reference.safetensors": []byte("no weights"), ".gitattributes": nil,
}

func TestOpen(t *testing.T) {
	for _, shards := range []int{1, 3} {
		files := foldertest.Files(t, 1, shards)
		with := maps.Clone(files)
		maps.Copy(with, extra)
		dir := foldertest.Write(t, with)
		if err := os.Mkdir(filepath.Join(dir, "original"), 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := folder.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		size := int64(0)
		for _, b := range files {
			size += int64(len(b))
		}
		if want := slices.Sorted(maps.Keys(files)); !slices.Equal(f.Files, want) {
			t.Errorf("got %q, want %q", f.Files, want)
		}
		if want := []string{".gitattributes", "README.md", "original/", "pytorch_model.bin", "reference.safetensors"}; !slices.Equal(f.Left, want) {
			t.Errorf("left %q, want %q", f.Left, want)
		}
		g := f.Figures
		if g.Architecture != "qwen2" || g.Parameters != parameters || g.Carried != 0 || g.Types["BF16"] != parameters || g.Bytes != size ||
			g.Vocabulary != 300 || g.Positions != 64 || g.Tensors != 26 {
			t.Errorf("got %+v, want %d parameters", g, parameters)
		}
	}
}

// TestLinks: a folder of links, as in Hugging Face's cache, is as good as one of files; links that lead to none are not.
func TestLinks(t *testing.T) {
	files := foldertest.Files(t, 1, 1)
	blobs, dir := foldertest.Write(t, files), t.TempDir()
	for name := range files {
		if err := os.Symlink(filepath.Join(blobs, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := folder.Open(dir)
	if err != nil || len(f.Files) != len(files) {
		t.Fatalf("got %v, %v", f, err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, to, want string }{
		{"config.json", filepath.Join(blobs, "gone"), "gone, which is not there"},
		{"config.json", pipe, "expected one to a regular file"},
		{"model.safetensors", pipe, "expected one to a regular file"},
		{"tokenizer.json", t.TempDir(), "expected one to a regular file"},
		{"LICENSE", "/dev/zero", "expected one to a regular file"},
	} {
		path := filepath.Join(dir, tt.name)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(tt.to, path); err != nil {
			t.Fatal(err)
		}
		if _, err := folder.Open(dir); err == nil || !strings.Contains(err.Error(), path+": a link to ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s to %s: got %v", tt.name, tt.to, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(blobs, tt.name), path); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := folder.Open(pipe); err == nil || !strings.Contains(err.Error(), "expected a folder") {
		t.Errorf("a pipe: got %v", err)
	}
}

// TestOpenLargeIndex: an index of a terabyte is refused before it is read.
func TestOpenLargeIndex(t *testing.T) {
	dir := foldertest.Write(t, foldertest.Files(t, 1, 3))
	if err := os.Truncate(filepath.Join(dir, "model.safetensors.index.json"), 1<<40); err != nil {
		t.Fatal(err)
	}
	const want = "model.safetensors.index.json: 1099511627776 bytes, expected at most 100000000"
	if _, err := folder.Open(dir); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q in it", err, want)
	}
}

// A file beside the weights that is no part of any tokenizer of ours is bounded like the others.
func TestOpenLargeCompanion(t *testing.T) {
	files := foldertest.Files(t, 1, 1)
	files["merges.txt"] = nil
	dir := foldertest.Write(t, files)
	if err := os.Truncate(filepath.Join(dir, "merges.txt"), 1<<40); err != nil {
		t.Fatal(err)
	}
	const want = "merges.txt: 1099511627776 bytes, expected at most 268435456"
	if _, err := folder.Open(dir); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q in it", err, want)
	}
}

func TestOpenRefuses(t *testing.T) {
	const index = "model.safetensors.index.json"
	replace := func(name, old, by string) func(map[string][]byte) {
		return func(f map[string][]byte) {
			b := bytes.Replace(f[name], []byte(old), []byte(by), 1)
			if bytes.Equal(b, f[name]) {
				t.Fatalf("%s has no %s", name, old)
			}
			f[name] = b
		}
	}
	gone := func(names ...string) func(map[string][]byte) {
		return func(f map[string][]byte) {
			for _, name := range names {
				delete(f, name)
			}
		}
	}
	for _, tt := range []struct {
		name   string
		shards int
		change func(map[string][]byte)
		want   []string
	}{
		{"nothing there", 1, func(f map[string][]byte) { clear(f) }, []string{"no config.json", "no tokenizer.json", "no model.safetensors"}},
		{"an adapter", 1, func(f map[string][]byte) { f["adapter_config.json"] = nil }, []string{"adapter_config.json", "PEFT adapter"}},
		{"pickle alone", 1, func(f map[string][]byte) { delete(f, "model.safetensors"); f["pytorch_model.bin"] = nil }, []string{"pytorch_model.bin", "never read"}},
		{"another architecture", 1, replace("config.json", "qwen2", "llama"), []string{"config.json", `model_type "llama"`, "qwen2"}},
		{"a wrong field", 1, replace("config.json", `"num_attention_heads":2`, `"num_attention_heads":0`), []string{"config.json", "num_attention_heads 0"}},
		{"no JSON", 1, replace("config.json", `{`, `[`), []string{"config.json"}},
		{"more layers than memory", 1, replace("config.json", `"num_hidden_layers":2`, `"num_hidden_layers":16777216`), []string{"num_hidden_layers 16777216: expected at most 4096"}},
		{
			"another shape", 1, replace("config.json", `"intermediate_size":24`, `"intermediate_size":25`),
			[]string{"model.safetensors", "tensor model.layers.0.mlp.gate_proj.weight has shape [24 16], expected [25 16] by config.json"},
		},
		{"one layer more", 1, replace("config.json", `"num_hidden_layers":2`, `"num_hidden_layers":3`), []string{"no tensor model.layers.2.input_layernorm.weight, expected one of shape [16]"}},
		{"many more", 1, replace("config.json", `"num_hidden_layers":2`, `"num_hidden_layers":9`), []string{"and 72 tensors more"}},
		{
			"a renamed tensor", 1, replace("model.safetensors", "layers.1.mlp.up_proj.weight", "layers.1.mlp.up_porj.weight"),
			[]string{
				"no tensor model.layers.1.mlp.up_proj.weight, expected one of shape [24 16] (is it model.layers.1.mlp.up_porj.weight?)",
				"tensor model.layers.1.mlp.up_porj.weight of shape [24 16]: the architecture of config.json has no place for it",
			},
		},
		{
			"one layer less", 1, replace("config.json", `"num_hidden_layers":2`, `"num_hidden_layers":1`),
			[]string{"tensor model.layers.1.input_layernorm.weight of shape [16]: the architecture of config.json has no place for it"},
		},
		{"no head", 1, replace("config.json", `"tie_word_embeddings":true`, `"tie_word_embeddings":false`), []string{"no tensor lm_head.weight, expected one of shape [300 16]"}},
		{"cut weights", 1, func(f map[string][]byte) { f["model.safetensors"] = f["model.safetensors"][:5000] }, []string{"model.safetensors", "outside the file"}},
		{"a cut header", 1, func(f map[string][]byte) { f["model.safetensors"] = f["model.safetensors"][:100] }, []string{"model.safetensors", "truncated"}},
		{"empty weights", 1, func(f map[string][]byte) { f["model.safetensors"] = nil }, []string{"model.safetensors"}},
		{"more than weights", 1, func(f map[string][]byte) { f["model.safetensors"] = append(f["model.safetensors"], 0) }, []string{"model.safetensors", "bytes of data"}},
		{"integers", 1, replace("model.safetensors", `"model.norm.weight":{"dtype":"BF16"`, `"model.norm.weight":{"dtype":"I16" `), []string{"tensor model.norm.weight has dtype I16"}},
		{"the index is gone", 3, gone(index), []string{"no " + index + ", which says where the tensors of shards such as model-00001-of-00003.safetensors are, and no model.safetensors"}},
		{
			"an index that leaves a tensor out", 3, replace(index, `"model.embed_tokens.weight":"model-00001-of-00003.safetensors",`, ""),
			[]string{index, `shard model-00001-of-00003.safetensors: tensor "model.embed_tokens.weight": the index does not name it`},
		},
		{"a shard is gone", 3, gone(foldertest.Shard(1, 3)), []string{index, "weight_map names model-00002-of-00003.safetensors, which is not there"}},
		{"a cut index", 3, func(f map[string][]byte) { f[index] = f[index][:200] }, []string{index, "unexpected end of JSON"}},
		{"an index without a map", 3, func(f map[string][]byte) { f[index] = []byte("{}") }, []string{index, "no weight_map"}},
		{"an index that leads out", 3, replace(index, foldertest.Shard(0, 3), "../../etc/passwd"), []string{index, `"../../etc/passwd" is not a file's name`}},
		{"an index of pickles", 3, replace(index, foldertest.Shard(0, 3), "pytorch_model.bin"), []string{index, `"pytorch_model.bin", expected files that end in .safetensors`}},
		{"an index that lies", 3, replace(index, `"model.embed_tokens.weight":"model-00001`, `"model.embed_tokens.weight":"model-00002`), []string{index, "model.embed_tokens.weight"}},
		{"an index of a tensor that is not there", 3, replace(index, `"weight_map":{`, `"weight_map":{"x":"model-00001-of-00003.safetensors",`), []string{index, `"x" is not in shard model-00001-of-00003.safetensors`}},
		{"a broken tokenizer", 1, func(f map[string][]byte) { f["tokenizer.json"] = []byte(`{"model":{"type":"BPE"`) }, []string{"tokenizer.json"}},
		{"too many tokens", 1, func(f map[string][]byte) {
			replace("config.json", `"vocab_size":300`, `"vocab_size":270`)(f)
			w := f["model.safetensors"]
			f["model.safetensors"] = shrunk(t, w)
		}, []string{"tokenizer.json", "tokens, vocab_size in config.json is 270"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := foldertest.Files(t, 1, tt.shards)
			tt.change(files)
			dir := foldertest.Write(t, files)
			_, err := folder.Open(dir)
			if err == nil || !strings.Contains(err.Error(), dir) {
				t.Fatalf("got %v, want an error that names the folder", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q in it", err, want)
				}
			}
		})
	}
}
