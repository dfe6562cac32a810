package qwen3_5_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/models/qwen3_5"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

const text = `"model_type":"qwen3_5_text","hidden_size":32,"num_hidden_layers":3,"num_attention_heads":2,"num_key_value_heads":1,
"head_dim":16,"intermediate_size":48,"vocab_size":40,"max_position_embeddings":64,"linear_num_key_heads":1,
"linear_num_value_heads":2,"linear_key_head_dim":8,"linear_value_head_dim":16,"initializer_range":0.3,
"layer_types":["linear_attention","full_attention","linear_attention"],
"rope_parameters":{"rope_theta":10000,"partial_rotary_factor":0.5}`

var configs = map[string]string{
	"text, tied":     `{` + text + `,"tie_word_embeddings":true}`,
	"text, untied":   `{` + text + `,"tie_word_embeddings":false}`,
	"nested, untied": `{"model_type":"qwen3_5","text_config":{` + text + `}}`,
}

func newModel(t *testing.T, config string) string {
	t.Helper()
	dir := t.TempDir()
	if err := nn.Create([]byte(config), 3, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func with(t *testing.T, dir string, f func(e *torch.Engine, m *qwen3_5.Model)) {
	t.Helper()
	e := torchtest.Engine(t)
	torchtest.Do(t, e, func() {
		m, err := qwen3_5.Load(e, dir, nn.Options{})
		if err != nil {
			t.Error(err)
			return
		}
		f(e, m)
		m.Free()
	})
	torchtest.Do(t, e, func() {
		if e.Handles() != 0 {
			t.Errorf("%d tensors are left", e.Handles())
		}
	})
}

// A new model has the tensors that its configuration names, and gives finite logits. Its last layer is a delta net,
// of which the wanted rows alone are asked.
func TestNewModel(t *testing.T) {
	for name, config := range configs {
		t.Run(name, func(t *testing.T) {
			dir := newModel(t, config)
			described, err := checkpoint.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			with(t, dir, func(_ *torch.Engine, m *qwen3_5.Model) {
				want := map[string]string{}
				for _, x := range described.Tensors() {
					want[x.Name] = fmt.Sprint(x.Shape)
				}
				for _, p := range m.Parameters() {
					if want[p.Name] != fmt.Sprint(p.Tensor.Shape()) {
						t.Errorf("%s is %v, want %s", p.Name, p.Tensor.Shape(), want[p.Name])
					}
					delete(want, p.Name)
				}
				if len(want) > 0 {
					t.Errorf("no parameters %v", want)
				}
				var got, paths []string
				m.Linears(func(path string, _ *nn.Linear) { got = append(got, path) })
				for _, l := range described.Linears() {
					paths = append(paths, l.Path)
				}
				if !slices.Equal(got, paths) {
					t.Errorf("linear layers %v, want %v", got, paths)
				}

				tokens := []int32{1, 2, 3, 4, 5, 6, 7, 8, 9}
				whole, some := nn.NewBatch(), nn.NewBatch()
				whole.Add(tokens, 0, nn.Place{}, 0, 9)
				some.Add(tokens, 0, nn.Place{}, 4, 6)
				all := m.Logits(nn.Forward(m, whole, nil)).Floats()
				part := m.Logits(nn.Forward(m, some, nil)).Floats()
				for i, v := range part {
					if d := v - all[4*40+i]; !(d > -1e-5 && d < 1e-5) { // products of few rows add in another order
						t.Fatalf("wanted row: %v, among all %v", v, all[4*40+i])
					}
				}
			})
		})
	}
}

// rewrite changes the tensors of a model's file.
func rewrite(t *testing.T, dir string, change func([]safetensors.Tensor) []safetensors.Tensor) {
	t.Helper()
	f, err := safetensors.OpenModel(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []safetensors.Tensor
	for _, name := range f.Names() {
		x := *f.Tensor(name)
		x.Data = slices.Clone(x.Data)
		all = append(all, x)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := safetensors.WriteFile(filepath.Join(dir, safetensors.SingleName), nil, change(all)); err != nil {
		t.Fatal(err)
	}
}

// Tensors without a place are named, but for those of the parts that are carried along.
func TestLoad(t *testing.T) {
	dir := newModel(t, configs["nested, untied"])
	extra := func(names ...string) {
		rewrite(t, dir, func(all []safetensors.Tensor) []safetensors.Tensor {
			for _, name := range names {
				all = append(all, safetensors.Tensor{Name: name, DType: safetensors.U8, Shape: []int64{1}, Data: []byte{7}})
			}
			return all
		})
	}
	extra("model.visual.blocks.0.norm1.weight", "mtp.fc.weight")
	with(t, dir, func(*torch.Engine, *qwen3_5.Model) {})
	extra("model.language_model.layers.0.linear_attn.dt_scale", "model.layers.0.input_layernorm.weight")
	rewrite(t, dir, func(all []safetensors.Tensor) []safetensors.Tensor {
		return slices.DeleteFunc(all, func(x safetensors.Tensor) bool { return strings.HasSuffix(x.Name, "layers.2.linear_attn.A_log") })
	})
	e := torchtest.Engine(t)
	torchtest.Do(t, e, func() {
		_, err := qwen3_5.Load(e, dir, nn.Options{})
		for _, says := range []string{
			dir, "missing tensor model.language_model.layers.2.linear_attn.A_log: expected shape [2]",
			"extra tensor model.language_model.layers.0.linear_attn.dt_scale", "extra tensor model.layers.0.input_layernorm.weight",
		} {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%v does not say %q", err, says)
			}
		}
		if e.Handles() != 0 {
			t.Errorf("%d tensors are left", e.Handles())
		}
	})
}

// A sequence copied to another place goes on there as where it came from, bit for bit, and each for itself.
func TestCacheCopy(t *testing.T) {
	with(t, newModel(t, configs["text, tied"]), func(e *torch.Engine, m *qwen3_5.Model) {
		cache := m.NewCache(128, 5)
		defer cache.Free()
		if !cache.Recurrent() {
			t.Error("the cache does not say that it has states")
		}
		from, to, spare := nn.Place{Slot: 0, Lane: 1}, nn.Place{Slot: 32, Lane: 3}, nn.Place{Slot: 64, Lane: 4}
		step := func(tokens []int32, past int, at nn.Place) []float32 {
			b := nn.NewBatch()
			b.Add(tokens, past, at, len(tokens)-1, len(tokens))
			b.Pad(nn.MinRows(e), spare)
			return m.Logits(nn.Forward(m, b, cache)).Floats()[:40]
		}
		step([]int32{3, 1, 4, 1, 5}, 0, from)
		cache.Copy(e, from, to, 5)
		there := step([]int32{9}, 5, to)
		other := step([]int32{2}, 5, from)
		if slices.Equal(there, other) {
			t.Error("two tokens give the same")
		}
		cache.Copy(e, to, from, 6)
		if a, b := step([]int32{6, 5}, 6, to), step([]int32{6, 5}, 6, from); !slices.Equal(a, b) {
			t.Error("the copy goes on otherwise")
		}
		if slices.ContainsFunc(there, func(v float32) bool { return v != v }) {
			t.Error("not a number")
		}
	})
}

// Adapters are named after transformers' model of the text, whatever the layout of the checkpoint; one that names the
// model around text and vision is read too.
func TestAdapterNames(t *testing.T) {
	dir := newModel(t, configs["nested, untied"])
	read := func(e *torch.Engine, m *qwen3_5.Model, dir string) (names []string, values []float32) {
		a, err := nn.LoadAdapter(e, m, dir)
		if err != nil {
			t.Error(err)
			return nil, nil
		}
		for _, p := range a.Parameters() {
			names, values = append(names, p.Name), append(values, p.Tensor.Floats()...)
		}
		a.Off()
		a.Free()
		return names, values
	}
	with(t, dir, func(e *torch.Engine, m *qwen3_5.Model) {
		a, err := nn.NewAdapter(e, m, gpu.LoRA{Rank: 2, Alpha: 4, Targets: []string{checkpoint.AllLinear}}, 1)
		if err != nil {
			t.Error(err)
			return
		}
		out, around := t.TempDir(), t.TempDir()
		for _, dir := range []string{out, around} {
			if err := a.Save(dir); err != nil {
				t.Error(err)
			}
		}
		a.Off()
		a.Free()
		names, values := read(e, m, out)
		if len(names) != 2*(8+7+8) || names[0] != "base_model.model.model.layers.0.linear_attn.in_proj_qkv.lora_A.weight" {
			t.Errorf("%d names, the first %s", len(names), names[0])
		}
		path := filepath.Join(around, nn.AdapterWeightsName)
		f, err := safetensors.Open(path)
		if err != nil {
			t.Error(err)
			return
		}
		var all []safetensors.Tensor
		for _, name := range f.Names() {
			x := *f.Tensor(name)
			x.Name, x.Data = strings.Replace(name, "model.layers", "model.language_model.layers", 1), slices.Clone(x.Data)
			all = append(all, x)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if err := safetensors.WriteFile(path, nil, all); err != nil {
			t.Error(err)
		}
		if again, same := read(e, m, around); !slices.Equal(again, names) || !slices.Equal(same, values) {
			t.Error("the adapter of the model around both differs")
		}
	})
}
