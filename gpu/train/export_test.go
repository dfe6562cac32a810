package train_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/models"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
	"github.com/hone-rl/hone/gpu/train"
	"github.com/hone-rl/hone/internal/outside"
)

// The vision tower and the other head of a checkpoint in the published layout, two shards of several types, are in
// what training exports, byte for byte; the language model's tensors have changed.
func TestExportCarriesTheRest(t *testing.T) {
	source := published(t)
	e := torchtest.Engine(t)
	out := t.TempDir()
	torchtest.Do(t, e, func() {
		m, err := models.Load(e, source, nn.Options{})
		if err != nil {
			panic(err)
		}
		defer m.Free()
		trainer, err := train.New(e, m, recipe)
		if err != nil {
			panic(err)
		}
		defer trainer.Free()
		if _, err := trainer.Step(t.Context(), [][]gpu.Example{batch(1, 2, 128, 5, 20)}); err != nil {
			panic(err)
		}
		if err := trainer.Export(source, out); err != nil {
			panic(err)
		}
		again, err := models.Load(e, out, nn.Options{})
		if err != nil {
			panic(err)
		}
		again.Free()
	})
	before, err := safetensors.OpenModel(source)
	if err != nil {
		t.Fatal(err)
	}
	after, err := safetensors.OpenModel(out)
	if err != nil {
		t.Fatal(err)
	}
	described, err := checkpoint.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	if got := after.Names(); !slices.Equal(got, before.Names()) {
		t.Errorf("tensors %v, want %v", got, before.Names())
	}
	carried := 0
	for _, name := range before.Names() {
		x, y := before.Tensor(name), after.Tensor(name)
		unchanged := x.DType == y.DType && slices.Equal(x.Shape, y.Shape) && bytes.Equal(x.Data, y.Data)
		if want := described.(checkpoint.Carrier).Carried(name); unchanged != want {
			t.Errorf("%s unchanged: %v, want %v", name, unchanged, want)
		} else if want {
			carried++
		}
	}
	if carried != 23 { // 21 of the tower, mtp.fc.weight, and one in bf16
		t.Errorf("%d tensors went along, want 23", carried)
	}
	text, err := os.ReadFile(filepath.Join(out, checkpoint.ConfigName))
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		DType string `json:"dtype"`
		Text  struct {
			DType string `json:"dtype"`
		} `json:"text_config"`
	}
	if err := json.Unmarshal(text, &config); err != nil || config.DType != "float32" || config.Text.DType != "float32" {
		t.Errorf("config.json says %+v, %v, want float32", config, err)
	}
	for _, f := range []*safetensors.File{before, after} {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// published is a copy of the fixture in the published layout with one more tensor beside the model, of bf16.
func published(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(outside.Shared(t, "model-fixtures", "qwen35-tiny-vl-layout"))); err != nil {
		t.Fatal(err)
	}
	const name, shard = "model.visual.more.weight", "model-00003-of-00003.safetensors"
	if err := safetensors.WriteFile(filepath.Join(dir, shard), nil, []safetensors.Tensor{
		{Name: name, DType: safetensors.BF16, Shape: []int64{1, 3}, Data: []byte{1, 2, 3, 4, 5, 6}},
	}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, safetensors.IndexName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(`"weight_map": {`), []byte(`"weight_map": {"`+name+`": "`+shard+`",`), 1)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}
