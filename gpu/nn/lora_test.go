package nn_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/models/qwen2"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
	"github.com/hone-rl/hone/internal/outside"
)

func tokens() *nn.Batch {
	b := nn.NewBatch()
	b.Add([]int32{3, 1, 4, 1, 5, 9, 2, 6}, 0, nn.Place{}, 0, 8)
	b.Add([]int32{5, 3, 5}, 0, nn.Place{}, 1, 3)
	return b
}

func logits(e *torch.Engine, m *qwen2.Model) (values []float32) {
	e.Scope(func() []*torch.Tensor {
		values = m.Logits(nn.Forward(m, tokens(), nil)).Floats()
		return nil
	})
	return values
}

func difference(a, b []float32) (largest float64) {
	for i := range a {
		largest = max(largest, math.Abs(float64(a[i])-float64(b[i])))
	}
	return largest
}

// A loaded adapter saved again is the same tensors; merged it gives the logits that it gave beside the weights.
func TestAdapterSavedAndMerged(t *testing.T) {
	dir := outside.Shared(t, "model-fixtures", "qwen2-tiny-tied")
	e := torchtest.Engine(t)
	torchtest.Do(t, e, func() {
		m, err := qwen2.Load(e, dir, nn.Options{})
		if err != nil {
			panic(err)
		}
		defer m.Free()
		base := logits(e, m)
		adapter, err := nn.LoadAdapter(e, m, filepath.Join(dir, "lora"))
		if err != nil {
			panic(err)
		}
		beside := logits(e, m)
		out := t.TempDir()
		if err := adapter.Save(out); err != nil {
			panic(err)
		}
		sameTensors(t, filepath.Join(dir, "lora", nn.AdapterWeightsName), filepath.Join(out, nn.AdapterWeightsName))
		if err := adapter.Merge(); err != nil {
			panic(err)
		}
		if d := difference(logits(e, m), beside); d > 1e-4 { // fp32 sums in another order
			t.Errorf("merged logits differ by %v", d)
		}
		if d := difference(base, beside); d < 1e-2 {
			t.Errorf("the adapter changes logits by %v only", d)
		}

		other, err := qwen2.Load(e, dir, nn.Options{})
		if err != nil {
			panic(err)
		}
		defer other.Free()
		again, err := nn.LoadAdapter(e, other, out)
		if err != nil {
			panic(err)
		}
		if d := difference(logits(e, other), beside); d != 0 {
			t.Errorf("the saved adapter gives logits that differ by %v", d)
		}
		if again.Config.Rank != 16 || again.Config.Alpha != 32 || again.Config.Dropout != 0.05 || len(again.Config.Targets) != 7 {
			t.Errorf("configuration %+v", again.Config)
		}
		for _, p := range again.Parameters() {
			p.Tensor.Free()
		}
	})
}

func sameTensors(t *testing.T, a, b string) {
	t.Helper()
	x, err := safetensors.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := safetensors.Open(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range x.Names() {
		if y.Tensor(name) == nil || !bytes.Equal(x.Tensor(name).Data, y.Tensor(name).Data) {
			t.Errorf("%s differs", name)
		}
	}
	if len(x.Names()) != len(y.Names()) || y.Metadata["format"] != "pt" {
		t.Errorf("%d tensors, metadata %v", len(y.Names()), y.Metadata)
	}
	for _, f := range []*safetensors.File{x, y} {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A new adapter changes nothing until it is trained: B is zero. A is within 1/sqrt(in) and follows from the seed.
func TestNewAdapter(t *testing.T) {
	dir := t.TempDir()
	config := gpu.ModelConfig{
		Hidden: 32, Layers: 2, Heads: 2, KVHeads: 1, Intermediate: 48, Vocabulary: 40, Positions: 64, RopeTheta: 10000,
		InitStd: 0.1, TieEmbedding: true,
	}
	if err := qwen2.Init(config, 1, dir); err != nil {
		t.Fatal(err)
	}
	e := torchtest.Engine(t)
	first := func(seed uint64, targets ...string) (a []float32, names []string) {
		torchtest.Do(t, e, func() {
			m, err := qwen2.Load(e, dir, nn.Options{})
			if err != nil {
				panic(err)
			}
			defer m.Free()
			before := logits(e, m)
			adapter, err := nn.NewAdapter(e, m, gpu.LoRA{Rank: 4, Alpha: 8, Targets: targets}, seed)
			if err != nil {
				panic(err)
			}
			if d := difference(logits(e, m), before); d != 0 {
				t.Errorf("a new adapter changes logits by %v", d)
			}
			for _, p := range adapter.Parameters() {
				names = append(names, p.Name)
				if a == nil {
					a = p.Tensor.Floats()
				}
				p.Tensor.Free()
			}
		})
		return a, names
	}
	a, names := first(1)
	if len(names) != 28 || names[0] != "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight" {
		t.Errorf("%d parameters, the first %s: want A and B of seven projections in two layers", len(names), names[0])
	}
	for _, v := range a {
		if math.Abs(float64(v)) > 1/math.Sqrt(32) {
			t.Errorf("A has %v", v)
		}
	}
	if b, _ := first(1); difference(a, b) != 0 {
		t.Error("one seed gives two adapters")
	}
	if b, _ := first(2); difference(a, b) == 0 {
		t.Error("two seeds give one adapter")
	}
	if _, names := first(1, "q_proj", "v_proj"); len(names) != 8 {
		t.Errorf("two targets: %v", names)
	}
}

// Without lora_alpha an adapter computes what one with PEFT's default, 8, does.
func TestAdapterWithoutAlpha(t *testing.T) {
	source := outside.Shared(t, "model-fixtures", "qwen2-tiny-tied")
	text, err := os.ReadFile(filepath.Join(source, "lora", nn.AdapterConfigName))
	if err != nil {
		t.Fatal(err)
	}
	e := torchtest.Engine(t)
	with := func(alpha string) (values []float32) {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(filepath.Join(source, "lora"))); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, nn.AdapterConfigName)
		if err := errors.Join(os.Remove(path), os.WriteFile(path, bytes.Replace(text, []byte(`"lora_alpha": 32,`), []byte(alpha), 1), 0o600)); err != nil {
			t.Fatal(err)
		}
		torchtest.Do(t, e, func() {
			m, err := qwen2.Load(e, source, nn.Options{})
			must(err)
			defer m.Free()
			adapter, err := nn.LoadAdapter(e, m, dir)
			must(err)
			defer adapter.Free()
			values = logits(e, m)
		})
		return values
	}
	without := with(``)
	if !slices.Equal(without, with(`"lora_alpha": 8,`)) {
		t.Error("without lora_alpha: other logits than with 8")
	}
	if difference(without, with(`"lora_alpha": 32,`)) < 1e-3 {
		t.Error("lora_alpha changes nothing")
	}
}

func TestNewAdapterRefuses(t *testing.T) {
	withModel(t, torch.Float32, func(e *torch.Engine, m *qwen2.Model) {
		for says, config := range map[string]gpu.LoRA{
			"lora.rank 0: expected 1 to 65536":                  {Alpha: 1},
			"lora.rank 1099511627776: expected":                 {Rank: 1 << 40, Alpha: 1},
			"lora.alpha 0: expected above 0 to 1048576":         {Rank: 2},
			"lora.alpha NaN: expected":                          {Rank: 2, Alpha: math.NaN()},
			"lora.alpha 1e+308: expected":                       {Rank: 2, Alpha: 1e308},
			"lora.alpha -5: expected":                           {Rank: 2, Alpha: -5},
			"lora.dropout NaN: expected 0 to below 1":           {Rank: 2, Alpha: 2, Dropout: math.NaN()},
			`lora.targets: expression "("`:                      {Rank: 2, Alpha: 2, Targets: []string{"regexp:("}},
			`target "nope": the model has no such linear layer`: {Rank: 2, Alpha: 2, Targets: []string{"nope"}},
		} {
			if _, err := nn.NewAdapter(e, m, config, 1); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%+v: %v, want an error with %q", config, err, says)
			}
		}
	})
}

func TestLoadAdapterRefuses(t *testing.T) {
	source := outside.Shared(t, "model-fixtures", "qwen2-tiny-tied")
	config, err := os.ReadFile(filepath.Join(source, "lora", nn.AdapterConfigName))
	if err != nil {
		t.Fatal(err)
	}
	weights, err := os.ReadFile(filepath.Join(source, "lora", nn.AdapterWeightsName))
	if err != nil {
		t.Fatal(err)
	}
	e := torchtest.Engine(t)
	for name, c := range map[string]struct{ from, to, says string }{
		"type":    {`"LORA"`, `"IA3"`, `peft_type "IA3"`},
		"dora":    {`"use_dora": false`, `"use_dora": true`, "use_dora true"},
		"bias":    {`"bias": "none"`, `"bias": "lora_only"`, `bias "lora_only"`},
		"layers":  {`"bias"`, `"layers_to_transform": [1], "bias"`, "layers_to_transform"},
		"tokens":  {`"bias"`, `"trainable_token_indices": {"a": [1]}, "bias"`, "trainable_token_indices"},
		"ahead":   {`"bias"`, `"rank_pattern": {"(?=q)q_proj": 8}, "bias"`, "look-around"},
		"save":    {`"bias"`, `"modules_to_save": ["lm_head"], "bias"`, "modules_to_save"},
		"pattern": {`"bias"`, `"rank_pattern": {"q_proj": 8}, "bias"`, "q_proj.lora_A.weight has shape [16 64]: expected [8 64]"},
		"text":    {`"bias"`, `"rank_pattern": {"q_proj": "8"}, "bias"`, "q_proj"},
		"rank":    {`"r": 16`, `"r": 8`, "q_proj.lora_A.weight has shape [16 64]: expected [8 64]"},
		"no rank": {`"r": 16`, `"r": 0`, "r 0: expected 1 to 65536"},
		"alpha":   {`"lora_alpha": 32`, `"lora_alpha": 0`, "lora_alpha 0: expected"},
		"target":  {`"q_proj",`, ``, "extra tensor base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight"},
		"json":    {`{`, ``, nn.AdapterConfigName},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, nn.AdapterConfigName), bytes.Replace(config, []byte(c.from), []byte(c.to), 1), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, nn.AdapterWeightsName), weights, 0o600); err != nil {
			t.Fatal(err)
		}
		torchtest.Do(t, e, func() {
			m, err := qwen2.Load(e, source, nn.Options{})
			if err != nil {
				panic(err)
			}
			defer m.Free()
			if _, err := nn.LoadAdapter(e, m, dir); err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), dir) {
				t.Errorf("%s: %v, want an error naming %s and %q", name, err, dir, c.says)
			}
		})
	}
}
