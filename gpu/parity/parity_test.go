// Package parity_test compares what we train with what transformers and peft make of it.
package parity_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/runner"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
	"github.com/hone-rl/hone/internal/outside"
)

const (
	vocabulary = 300
	newTokens  = 24
)

// bases are the models that training begins from. Each has an end that greedy decoding must not stop at.
var bases = []struct {
	name   string
	create func(t *testing.T, run gpu.Runner, dir string)
	lora   gpu.LoRA
}{
	{"tied", func(t *testing.T, run gpu.Runner, dir string) { qwen2(t, run, dir, true) }, gpu.LoRA{Rank: 4, Alpha: 8}},
	{"untied", func(t *testing.T, run gpu.Runner, dir string) { qwen2(t, run, dir, false) }, gpu.LoRA{
		Rank: 2, Alpha: 8, Targets: []string{checkpoint.RegexpPrefix + `model\.layers\.\d\.(mlp\.up|self_attn\.[qv])_proj`},
	}},
	{"qwen3_5", func(t *testing.T, _ gpu.Runner, dir string) {
		qwen35(t, dir, `{"model_type":"qwen3_5_text","tie_word_embeddings":true,`+text+`}`)
	}, gpu.LoRA{Rank: 4, Alpha: 8, Targets: []string{checkpoint.AllLinear}}},
	{"qwen3_5-published", func(t *testing.T, _ gpu.Runner, dir string) {
		qwen35(t, dir, `{"model_type":"qwen3_5","tie_word_embeddings":false,"text_config":{"model_type":"qwen3_5_text",`+
			`"tie_word_embeddings":false,`+text+`}}`)
	}, gpu.LoRA{Rank: 4, Alpha: 4, RSLoRA: true, Targets: []string{checkpoint.AllLinear}}},
}

func qwen2(t *testing.T, run gpu.Runner, dir string, tied bool) {
	t.Helper()
	config := gpu.ModelConfig{
		Hidden: 64, Layers: 2, Heads: 4, KVHeads: 2, Intermediate: 128, Vocabulary: vocabulary, Positions: 128,
		RopeTheta: 10_000, InitStd: 0.25, TieEmbedding: tied, EOS: 7,
	}
	if err := run.Init(t.Context(), config, 6, dir); err != nil {
		t.Fatal(err)
	}
}

// text is a small Qwen3.5 with the keys that transformers asks for.
const text = `"hidden_size":64,"num_hidden_layers":4,"num_attention_heads":4,"num_key_value_heads":2,"head_dim":32,` +
	`"intermediate_size":128,"vocab_size":300,"max_position_embeddings":128,"eos_token_id":7,"initializer_range":0.25,` +
	`"linear_num_key_heads":2,"linear_num_value_heads":4,"linear_key_head_dim":16,"linear_value_head_dim":16,` +
	`"rope_parameters":{"rope_type":"default","rope_theta":10000.0,"partial_rotary_factor":0.25,"mrope_interleaved":true,` +
	`"mrope_section":[2,1,1]}`

func qwen35(t *testing.T, dir, config string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := nn.Create([]byte(config), 9, dir); err != nil {
		t.Fatal(err)
	}
}

// TestGreedy: base models, LoRA adapters (merged by us, beside the weights in peft) and fully trained models, in shards,
// give the same greedy tokens here and in Python. It takes 20 to 60 s, nearly all of them Python's imports.
func TestGreedy(t *testing.T) {
	python := outside.NewPython(t)
	run, err := runner.New(runner.Config{Device: torchtest.Device(), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := run.Close(); err != nil {
			t.Error(err)
		}
	})
	dir := t.TempDir()
	prompts := texts(8, 1)
	path := filepath.Join(dir, "prompts.json")
	data, err := json.Marshal(prompts)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}

	var models []string // "MODEL" or "MODEL,ADAPTER"
	var ours [][][]int32
	for _, base := range bases {
		folder := filepath.Join(dir, base.name)
		base.create(t, run, folder)
		adapter, full := folder+"-lora", folder+"-full"
		train(t, run, folder, adapter, &base.lora)
		train(t, run, folder, full, nil)
		full = divide(t, full)
		models = append(models, folder, folder+","+adapter, full)
		ours = append(ours,
			greedy(t, run, folder, "", prompts), greedy(t, run, folder, adapter, prompts), greedy(t, run, full, "", prompts))
	}

	var theirs []struct {
		Tokens  [][]int32
		Margins [][]float64
	}
	python.Read(t, &theirs, "peft_greedy.py", append([]string{path, strconv.Itoa(newTokens)}, models...)...)
	for i, model := range models {
		least := 1e9
		for j := range prompts {
			got, want := ours[i][j], theirs[i].Tokens[j]
			least = min(least, slices.Min(theirs[i].Margins[j]))
			if !slices.Equal(got, want) {
				t.Errorf("%s: prompt %d:\n got %v\nwant %v\nmargins %.3g", filepath.Base(model), j, got, want, theirs[i].Margins[j])
			}
		}
		if i%3 != 0 && slices.EqualFunc(ours[i], ours[i-i%3], slices.Equal[[]int32]) {
			t.Errorf("%s: training changed no token, so nothing is compared", filepath.Base(model))
		}
		t.Logf("%s: the closest decision was won by %.3g", filepath.Base(model), least)
	}
}

// texts are n sequences of 6 to 19 tokens.
func texts(n int, seed uint64) [][]int32 {
	r := rand.New(rand.NewPCG(seed, 0))
	out := make([][]int32, n)
	for i := range out {
		out[i] = make([]int32, 6+r.IntN(14))
		for j := range out[i] {
			out[i][j] = r.Int32N(vocabulary)
		}
	}
	return out
}

// train takes 20 steps on random texts, lora nil for all parameters, and exports into dir.
func train(t *testing.T, run gpu.Runner, base, dir string, lora *gpu.LoRA) {
	t.Helper()
	trainer, err := run.Trainer(t.Context(), base, gpu.TrainConfig{
		Steps: 20, Rate: 1e-2, Warmup: 2, Flat: 0.5, Floor: 0.1, Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-9, WeightDecay: 0.01,
		Clip: 1, Seed: 3, LoRA: lora,
	})
	if err != nil {
		t.Fatal(err)
	}
	var batch []gpu.Example
	for _, tokens := range texts(8, 2) {
		batch = append(batch, gpu.Example{Tokens: tokens, Answer: 1})
	}
	for range 20 {
		if _, err := trainer.Step(t.Context(), [][]gpu.Example{batch}); err != nil {
			t.Fatal(err)
		}
	}
	if err := trainer.Export(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if err := trainer.Close(); err != nil {
		t.Fatal(err)
	}
}

// divide writes a model again in shards, as large ones are written, and returns the folder.
func divide(t *testing.T, model string) string {
	t.Helper()
	file, err := safetensors.OpenModel(model)
	if err != nil {
		t.Fatal(err)
	}
	var tensors []safetensors.Tensor
	for _, name := range file.Names() {
		tensors = append(tensors, *file.Tensor(name))
	}
	dir := model + "-shards"
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := safetensors.WriteModel(dir, file.Metadata, tensors, 100_000); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if shards, err := filepath.Glob(filepath.Join(dir, "model-*.safetensors")); err != nil || len(shards) < 3 {
		t.Fatalf("shards %v, %v", shards, err)
	}
	if err := os.Link(filepath.Join(model, checkpoint.ConfigName), filepath.Join(dir, checkpoint.ConfigName)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func greedy(t *testing.T, run gpu.Runner, dir, adapter string, prompts [][]int32) [][]int32 {
	t.Helper()
	policy, err := run.Policy(t.Context(), gpu.PolicyConfig{Model: dir, Adapter: adapter})
	if err != nil {
		t.Fatal(err)
	}
	requests := make([]gpu.Sampling, len(prompts))
	for i, prompt := range prompts {
		requests[i] = gpu.Sampling{Prompt: prompt, MaxTokens: newTokens}
	}
	sampled, err := policy.Sample(t.Context(), requests)
	if err != nil {
		t.Fatal(err)
	}
	if err := policy.Close(); err != nil {
		t.Fatal(err)
	}
	out := make([][]int32, len(sampled))
	for i, s := range sampled {
		out[i] = s.Tokens
	}
	return out
}
