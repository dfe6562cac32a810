package qwen2_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
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

var tiny = gpu.ModelConfig{
	Hidden: 32, Layers: 1, Heads: 2, KVHeads: 1, Intermediate: 48, Vocabulary: 40, Positions: 64, RopeTheta: 10000,
	InitStd: 0.1, TieEmbedding: true,
}

func newModel(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := qwen2.Init(tiny, 1, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// rewrite changes the tensors of a model's file.
func rewrite(t *testing.T, dir string, change func(map[string]safetensors.Tensor)) {
	t.Helper()
	f, err := safetensors.OpenModel(dir)
	if err != nil {
		t.Fatal(err)
	}
	tensors := map[string]safetensors.Tensor{}
	for _, name := range f.Names() {
		x := *f.Tensor(name)
		x.Data = bytes.Clone(x.Data)
		tensors[name] = x
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	change(tensors)
	if err := safetensors.WriteFile(filepath.Join(dir, safetensors.SingleName), nil, slices.Collect(maps.Values(tensors))); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, dir string) (err error) {
	t.Helper()
	e := torchtest.Engine(t)
	torchtest.Do(t, e, func() {
		var m *qwen2.Model
		if m, err = qwen2.Load(e, dir, nn.Options{}); err == nil {
			m.Free()
		}
		if e.Handles() != 0 {
			t.Errorf("%d tensors are left", e.Handles())
		}
	})
	return err
}

// Every tensor that is missing, misshapen, of a wrong type or without a place is named, all in one error.
func TestLoadNamesWrongTensors(t *testing.T) {
	dir := newModel(t)
	rewrite(t, dir, func(tensors map[string]safetensors.Tensor) {
		delete(tensors, "model.norm.weight")
		extra := safetensors.Tensor{Name: "model.extra", DType: safetensors.F32, Shape: []int64{1}, Data: make([]byte, 4)}
		tensors[extra.Name] = extra
		const k, up = "model.layers.0.self_attn.k_proj.bias", "model.layers.0.mlp.up_proj.weight"
		tensors[k] = safetensors.Tensor{Name: k, DType: safetensors.F32, Shape: []int64{15}, Data: make([]byte, 60)}
		tensors[up] = safetensors.Tensor{Name: up, DType: safetensors.I32, Shape: []int64{48, 32}, Data: make([]byte, 4*48*32)}
	})
	err := load(t, dir)
	if err == nil {
		t.Fatal("no error")
	}
	for _, says := range []string{
		dir, "missing tensor model.norm.weight: expected shape [32]", "extra tensor model.extra of shape [1]",
		"tensor model.layers.0.self_attn.k_proj.bias has shape [15]: expected [16]",
		"tensor model.layers.0.mlp.up_proj.weight has type I32: expected F32, F16 or BF16",
	} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("%q does not say %q", err, says)
		}
	}
}

// A tied model's file may hold the head as well; files of old versions hold rotary frequencies.
func TestLoadIgnoresWhatIsKnown(t *testing.T) {
	dir := newModel(t)
	rewrite(t, dir, func(tensors map[string]safetensors.Tensor) {
		head := tensors["model.embed_tokens.weight"]
		head.Name = "lm_head.weight"
		tensors[head.Name] = head
		const name = "model.layers.0.self_attn.rotary_emb.inv_freq"
		tensors[name] = safetensors.Tensor{Name: name, DType: safetensors.F32, Shape: []int64{8}, Data: make([]byte, 32)}
	})
	if err := load(t, dir); err != nil {
		t.Error(err)
	}
}

// bf16 weights are the upper halves of fp32.
func TestLoadBFloat16(t *testing.T) {
	dir := newModel(t)
	const name = "model.embed_tokens.weight"
	var want []byte
	rewrite(t, dir, func(tensors map[string]safetensors.Tensor) {
		x := tensors[name]
		var short []byte
		for i := 0; i < len(x.Data); i += 4 {
			short = append(short, x.Data[i+2], x.Data[i+3])
			want = append(want, 0, 0, x.Data[i+2], x.Data[i+3])
		}
		x.DType, x.Data = safetensors.BF16, short
		tensors[name] = x
	})
	e := torchtest.Engine(t)
	torchtest.Do(t, e, func() {
		m, err := qwen2.Load(e, dir, nn.Options{})
		if err != nil {
			panic(err)
		}
		defer m.Free()
		if !bytes.Equal(m.Embedding.Bytes(), want) || m.Embedding.DType() != torch.Float32 {
			t.Error("the values changed")
		}
	})
}

func floats(data []byte) []float32 {
	values := make([]float32, len(data)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return values
}

// A new model is what its configuration says: normal weights, norms 1, biases 0.
func TestInitValues(t *testing.T) {
	dir := newModel(t)
	f, err := safetensors.OpenModel(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	if f.Metadata["format"] != "pt" || len(f.Names()) != 14 {
		t.Errorf("metadata %v, tensors %v", f.Metadata, f.Names())
	}
	sum, squares, n := 0.0, 0.0, 0.0
	for _, name := range f.Names() {
		for _, v := range floats(f.Tensor(name).Data) {
			switch {
			case strings.HasSuffix(name, ".bias"):
				if v != 0 {
					t.Fatalf("%s has %v", name, v)
				}
			case strings.Contains(name, "norm"):
				if v != 1 {
					t.Fatalf("%s has %v", name, v)
				}
			default:
				sum, squares, n = sum+float64(v), squares+float64(v)*float64(v), n+1
			}
		}
	}
	// 9,000 normal values of deviation 0.1: the mean within 0.005 and the variance within 10 % but once in millions.
	if mean, variance := sum/n, squares/n; mean > 0.005 || mean < -0.005 || variance < 0.009 || variance > 0.011 {
		t.Errorf("%v values of mean %v, variance %v", n, mean, variance)
	}
}

// What Init writes has the keys that transformers asks for.
func TestInitConfig(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(newModel(t), checkpoint.ConfigName))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"model_type": "qwen2", "hidden_size": 32.0, "num_attention_heads": 2.0, "num_key_value_heads": 1.0, "vocab_size": 40.0,
		"torch_dtype": "float32", "tie_word_embeddings": true, "rope_theta": 10000.0, "hidden_act": "silu", "rms_norm_eps": 1e-6,
		"max_position_embeddings": 64.0, "num_hidden_layers": 1.0, "intermediate_size": 48.0,
	} {
		if got[key] != want {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
	if got := got["architectures"]; len(got.([]any)) != 1 || got.([]any)[0] != "Qwen2ForCausalLM" {
		t.Errorf("architectures %v", got)
	}
	for name, change := range map[string]func(*gpu.ModelConfig){
		"heads": func(c *gpu.ModelConfig) { c.Heads = 5 }, "no heads": func(c *gpu.ModelConfig) { c.Heads = 0 },
		"kv heads": func(c *gpu.ModelConfig) { c.Heads, c.KVHeads = 4, 3 }, "std": func(c *gpu.ModelConfig) { c.InitStd = 0 },
		"layers": func(c *gpu.ModelConfig) { c.Layers = 0 }, "theta": func(c *gpu.ModelConfig) { c.RopeTheta = -1 },
		"vocabulary": func(c *gpu.ModelConfig) { c.Vocabulary = 0 },
	} {
		bad := tiny
		change(&bad)
		if err := qwen2.Init(bad, 1, t.TempDir()); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
