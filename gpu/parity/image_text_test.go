package parity_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/runner"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
	"github.com/hone-rl/hone/internal/outside"
)

// TestImageText: a trained model in the published layout, saved in bf16, is one file that transformers' image-text class
// loads: nothing is missing, and every tensor of the language model is there bit for bit.
func TestImageText(t *testing.T) {
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
	out := filepath.Join(t.TempDir(), "trained")
	trainer, err := run.Trainer(t.Context(), outside.Shared(t, "model-fixtures", "qwen35-tiny-vl-layout"), gpu.TrainConfig{
		Steps: 2, Rate: 1e-2, Flat: 1, Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-9, Clip: 1, Save: "bfloat16",
	})
	if err != nil {
		t.Fatal(err)
	}
	var batch []gpu.Example
	for _, tokens := range texts(4, 2) {
		batch = append(batch, gpu.Example{Tokens: tokens, Answer: 1})
	}
	if _, err := trainer.Step(t.Context(), [][]gpu.Example{batch}); err != nil {
		t.Fatal(err)
	}
	if err := trainer.Export(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	if err := trainer.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(out, safetensors.SingleName)); err != nil {
		t.Error(err)
	}
	var theirs []struct {
		Class, DType                    string
		Missing, Unexpected, Mismatched []string
		Tensors                         map[string][2]string
	}
	python.Read(t, &theirs, "image_text.py", out)
	got := theirs[0]
	if got.Class != "Qwen3_5ForConditionalGeneration" || got.DType != "bfloat16" || len(got.Missing)+len(got.Mismatched) > 0 {
		t.Errorf("%s of %s: missing %v, mismatched %v", got.Class, got.DType, got.Missing, got.Mismatched)
	}
	for _, name := range got.Unexpected {
		if !strings.HasPrefix(name, "mtp.") { // the head for several tokens, which the class has no use for
			t.Errorf("%s is unexpected", name)
		}
	}
	file, err := safetensors.OpenModel(out)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, name := range file.Names() {
		if !strings.HasPrefix(name, "model.language_model.") {
			continue
		}
		sum := sha256.Sum256(file.Tensor(name).Data)
		if want := [2]string{"bfloat16", hex.EncodeToString(sum[:])}; got.Tensors[name] != want {
			t.Errorf("%s: they have %v, the file %v", name, got.Tensors[name], want)
		}
		compared++
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}
