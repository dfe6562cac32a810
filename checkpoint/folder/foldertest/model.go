// Package foldertest makes small models for tests, without a tensor library.
package foldertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/tokenizer"
)

// Config is a small Qwen2's config.json, of 8,784 parameters.
const Config = `{"model_type":"qwen2","hidden_size":16,"num_hidden_layers":2,"num_attention_heads":2,"num_key_value_heads":1,` +
	`"intermediate_size":24,"vocab_size":300,"max_position_embeddings":64,"tie_word_embeddings":true}`

// Files are those of a model of Config with weights that follow from the seed, in that many shards (1: a single file),
// beside the tokenizer a licence, a generation config and a chat template.
func Files(t testing.TB, seed uint64, shards int) map[string][]byte {
	t.Helper()
	m, err := checkpoint.Parse([]byte(Config))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(seed, 1))
	parts := make([][]safetensors.Tensor, shards)
	index := map[string]string{}
	for i, x := range m.Tensors() {
		data := make([]byte, 2*x.Elements())
		for j := range data {
			data[j] = byte(rng.Uint32())
			if j%2 == 1 {
				data[j] &^= 0x40 // below 2: an exponent of ones would be no number
			}
		}
		parts[i%shards] = append(parts[i%shards], safetensors.Tensor{Name: x.Name, DType: safetensors.BF16, Shape: x.Shape, Data: data})
		index[x.Name] = Shard(i%shards, shards)
	}
	for i, part := range parts {
		if err := safetensors.WriteFile(filepath.Join(dir, Shard(i, shards)), map[string]string{"format": "pt"}, part); err != nil {
			t.Fatal(err)
		}
	}
	tokens, err := tokenizer.Train(tokenizer.TrainConfig{Vocabulary: 280, Split: tokenizer.SplitQwen2, Special: []string{"<|endoftext|>"}},
		func(yield func(string) bool) { yield("go to the shelf, take the mug, go to the table, put the mug") })
	if err != nil {
		t.Fatal(err)
	}
	if err := tokens.Save(dir); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{
		checkpoint.ConfigName: []byte(Config), "LICENSE": []byte("for tests\n"), "generation_config.json": []byte(`{"eos_token_id":0}`),
		"chat_template.jinja": []byte("{{ messages }}"),
	}
	if shards > 1 {
		if files[safetensors.IndexName], err = json.Marshal(map[string]any{"metadata": map[string]any{}, "weight_map": index}); err != nil {
			t.Fatal(err)
		}
	}
	maps.Copy(files, Read(t, dir))
	return files
}

// Shard is the name of shard i, counted from 0, of so many.
func Shard(i, shards int) string {
	if shards == 1 {
		return safetensors.SingleName
	}
	return fmt.Sprintf("model-%05d-of-%05d.safetensors", i+1, shards)
}

// Read are the regular files at the top of a folder.
func Read(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// Write makes a folder of files and returns it.
func Write(t testing.TB, files map[string][]byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "model")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
