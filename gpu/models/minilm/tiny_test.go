package minilm_test

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu/models/minilm"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

const tinyConfig = `{"model_type": "bert", "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
	"intermediate_size": 48, "vocab_size": 30, "max_position_embeddings": 40, "type_vocab_size": 2}`

// tinyTensors are the tensors of a model of random weights, by name.
func tinyTensors() map[string][]int64 {
	shapes := map[string][]int64{
		"embeddings.word_embeddings.weight":       {30, 32},
		"embeddings.position_embeddings.weight":   {40, 32},
		"embeddings.token_type_embeddings.weight": {2, 32},
		"embeddings.LayerNorm.weight":             {32},
		"embeddings.LayerNorm.bias":               {32},
	}
	const at = "encoder.layer.0."
	for name, out := range map[string][2]int64{
		"attention.self.query": {32, 32}, "attention.self.key": {32, 32}, "attention.self.value": {32, 32},
		"attention.output.dense": {32, 32}, "intermediate.dense": {48, 32}, "output.dense": {32, 48},
	} {
		shapes[at+name+".weight"], shapes[at+name+".bias"] = out[:], out[:1]
	}
	for _, name := range []string{"attention.output.LayerNorm", "output.LayerNorm"} {
		shapes[at+name+".weight"], shapes[at+name+".bias"] = []int64{32}, []int64{32}
	}
	return shapes
}

func write(t *testing.T, config string, shapes map[string][]int64) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	var tensors []safetensors.Tensor
	for name, shape := range shapes {
		n := int64(1)
		for _, d := range shape {
			n *= d
		}
		var data []byte
		for range n {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(rng.NormFloat64())/4))
		}
		tensors = append(tensors, safetensors.Tensor{Name: name, DType: safetensors.F32, Shape: shape, Data: data})
	}
	if err := safetensors.WriteFile(filepath.Join(dir, "model.safetensors"), nil, tensors); err != nil {
		t.Fatal(err)
	}
	return dir
}

func tiny(t *testing.T) string {
	t.Helper()
	return write(t, tinyConfig, tinyTensors())
}

// TestNames: a whole BERT's prefix and what is not used are no obstacle.
func TestNames(t *testing.T) {
	shapes := map[string][]int64{}
	for name, shape := range tinyTensors() {
		shapes["bert."+name] = shape
	}
	shapes["bert.pooler.dense.weight"], shapes["bert.pooler.dense.bias"] = []int64{32, 32}, []int64{32}
	e := torchtest.Engine(t)
	load(t, e, write(t, tinyConfig, shapes))
}

func TestLoadErrors(t *testing.T) {
	e := torchtest.Engine(t)
	for name, test := range map[string]struct {
		config [2]string // replaced
		change func(map[string][]int64)
		want   string
	}{
		"missing": {want: "missing tensor encoder.layer.0.output.dense.bias", change: func(s map[string][]int64) { delete(s, "encoder.layer.0.output.dense.bias") }},
		"shape":   {want: "tensor embeddings.LayerNorm.weight has shape [31]", change: func(s map[string][]int64) { s["embeddings.LayerNorm.weight"] = []int64{31} }},
		"extra":   {want: "extra tensor encoder.layer.1.output.dense.bias", change: func(s map[string][]int64) { s["encoder.layer.1.output.dense.bias"] = []int64{1} }},
		"type":    {config: [2]string{`"bert"`, `"qwen2"`}, want: `model_type "qwen2": expected bert`},
		"heads":   {config: [2]string{`heads": 2`, `heads": 3`}, want: "hidden_size 32: expected a multiple of num_attention_heads 3"},
		"none":    {config: [2]string{`layers": 1`, `layers": 0`}, want: "num_hidden_layers 0: expected 1 to"},
		"huge":    {config: [2]string{`size": 30`, `size": 300000000`}, want: "vocab_size 300000000"},
		"gelu":    {config: [2]string{`"type_`, `"hidden_act": "relu", "type_`}, want: `hidden_act "relu"`},
		"rotary":  {config: [2]string{`"type_`, `"position_embedding_type": "rotary", "type_`}, want: `position_embedding_type "rotary"`},
		"letters": {config: [2]string{`"vocab_size`, `"VOCAB_SIZE`}, want: "vocab_size 0"},
		"twice":   {config: [2]string{`"type_`, `"hidden_act": "gelu", "hidden_act": "gelu", "type_`}, want: `"hidden_act" stands twice`},
		"json":    {config: [2]string{`{`, `[`}, want: "config.json"},
	} {
		shapes := tinyTensors()
		if test.change != nil {
			test.change(shapes)
		}
		dir := write(t, strings.Replace(tinyConfig, test.config[0], test.config[1], 1), shapes)
		err := e.Do(t.Context(), func() error {
			_, err := minilm.Load(e, dir)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want one with %q", name, err, test.want)
		}
	}
	if n := e.Handles(); n != 0 {
		t.Errorf("%d tensors are held after failed loads", n)
	}
}

func TestEmbedErrors(t *testing.T) {
	e := torchtest.Engine(t)
	m := load(t, e, tiny(t))
	for name, test := range map[string]struct {
		text []int32
		want string
	}{
		"empty":    {nil, "text 1: 0 tokens: expected 1 to 40"},
		"long":     {make([]int32, 41), "text 1: 41 tokens: expected 1 to 40"},
		"unknown":  {[]int32{1, 30}, "text 1: token 1 is 30: the vocabulary has 30"},
		"negative": {[]int32{-1}, "text 1: token 0 is -1"},
	} {
		err := e.Do(t.Context(), func() error {
			_, err := m.Embed(t.Context(), [][]int32{{1}, test.text})
			return err
		})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want one with %q", name, err, test.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := e.Do(t.Context(), func() error {
		cancel()
		_, err := m.Embed(ctx, [][]int32{{1}})
		return err
	}); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("cancelled: got error %v", err)
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte(tinyConfig))
	f.Add([]byte(`{"model_type": "bert", "hidden_size": -1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := minilm.ParseConfig(text)
		if err == nil && (c.Hidden%c.Heads != 0 || min(c.Hidden, c.Layers, c.Vocabulary, c.Positions, c.Types, c.Intermediate) < 1) {
			t.Errorf("accepted %+v", c)
		}
	})
}
