package nn_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/models/qwen2"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// odd is a model with a vocabulary and sizes that are multiples of nothing.
func odd(tied bool) gpu.ModelConfig {
	return gpu.ModelConfig{
		Hidden: 30, Layers: 2, Heads: 3, KVHeads: 1, Intermediate: 37, Vocabulary: 131, Positions: 64, RopeTheta: 10000,
		InitStd: 0.2, TieEmbedding: tied,
	}
}

func loaded(t *testing.T, e *torch.Engine, dir string, dtype torch.DType) *qwen2.Model {
	t.Helper()
	m, err := qwen2.Load(e, dir, nn.Options{DType: dtype})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func copyConfig(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(from, checkpoint.ConfigName))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(to, checkpoint.ConfigName), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A model written in one file or in shards, in fp32 or bf16, is the same model: tied and untied heads, odd sizes.
func TestSaveModel(t *testing.T) {
	e := torchtest.Engine(t)
	for _, tied := range []bool{true, false} {
		source := t.TempDir()
		if err := qwen2.Init(odd(tied), 1, source); err != nil {
			t.Fatal(err)
		}
		for _, dtype := range []torch.DType{torch.Float32, torch.BFloat16} {
			for _, limit := range []int64{0, 20_000} {
				dir := t.TempDir()
				torchtest.Do(t, e, func() {
					want := loaded(t, e, source, dtype)
					if err := nn.SaveModel(dir, want.Parameters(), limit); err != nil {
						t.Fatal(err)
					}
					copyConfig(t, source, dir)
					got := loaded(t, e, dir, dtype)
					for i, p := range want.Parameters() {
						if q := got.Parameters()[i]; q.Name != p.Name || !slices.Equal(q.Tensor.Bytes(), p.Tensor.Bytes()) {
							t.Errorf("tied %v, type %d, limit %d: %s differs", tied, dtype, limit, p.Name)
						}
					}
					want.Free()
					got.Free()
					if e.Handles() != 0 {
						t.Errorf("%d tensors are left", e.Handles())
					}
				})
				shards, err := filepath.Glob(filepath.Join(dir, "model-*-of-*.safetensors"))
				if err != nil || (limit > 0) != (len(shards) > 1) {
					t.Errorf("limit %d: shards %v, %v", limit, shards, err)
				}
			}
		}
	}
}

// A file that is cut short after it was opened is an error that names the tensor, and nothing stays in memory.
func TestLoadOfAFileCutShort(t *testing.T) {
	dir := t.TempDir()
	if err := qwen2.Init(odd(true), 1, dir); err != nil {
		t.Fatal(err)
	}
	file, err := safetensors.OpenModel(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}()
	name := file.Names()[len(file.Names())-1]
	shape := file.Tensor(name).Shape
	path := filepath.Join(dir, safetensors.SingleName)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()-1); err != nil {
		t.Fatal(err)
	}
	e := torchtest.Engine(t)
	torchtest.Do(t, e, func() {
		for _, dtype := range []torch.DType{torch.Float32, torch.BFloat16} {
			load := nn.NewLoader(e, file, "", dtype)
			for _, other := range file.Names() {
				load.Tensor(other, file.Tensor(other).Shape...)
			}
			if err := load.Finish(); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "EOF") {
				t.Errorf("%s of shape %v: %v", name, shape, err)
			}
		}
	})
	torchtest.Do(t, e, func() {
		if e.Handles() != 0 {
			t.Errorf("%d tensors are left", e.Handles())
		}
	})
}
