package train_test

import (
	"encoding/binary"
	"math"
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
	"github.com/hone-rl/hone/gpu/train"
)

func floats(t *testing.T, file *safetensors.File, name string) []float32 {
	t.Helper()
	tensor := file.Tensor(name)
	if tensor == nil {
		t.Fatalf("%s has no %s", file.Path, name)
	}
	values := make([]float32, len(tensor.Data)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(tensor.Data[4*i:]))
	}
	return values
}

// labelled turns the reference's rows into examples: labels are -100 before the answer.
func labelled(t *testing.T, ids, labels *safetensors.Tensor) []gpu.Example {
	t.Helper()
	width := int(ids.Shape[1])
	at := func(x *safetensors.Tensor, i int) int32 { return int32(binary.LittleEndian.Uint64(x.Data[8*i:])) }
	var examples []gpu.Example
	for row := range int(ids.Shape[0]) {
		x := gpu.Example{}
		for j := range width {
			x.Tokens = append(x.Tokens, at(ids, row*width+j))
			label := at(labels, row*width+j)
			switch {
			case label == -100 && x.Answer > 0:
				t.Fatalf("row %d: label %d has no loss, but one before has", row, j)
			case label != -100 && x.Answer == 0:
				x.Answer = j
			}
		}
		examples = append(examples, x)
	}
	return examples
}

// The adapter's loss, gradients, first step and loss afterwards against transformers and PEFT. Tolerances are those
// of the fixtures' README.
func TestLoRAReference(t *testing.T) {
	for _, name := range []string{"qwen2-tiny-tied", "qwen2-tiny-untied"} {
		t.Run(name, func(t *testing.T) {
			dir := torchtest.Shared(t, "model-fixtures", name)
			file, err := safetensors.Open(filepath.Join(dir, "lora", "sft_reference.safetensors"))
			if err != nil {
				t.Fatal(err)
			}
			base, err := safetensors.Open(filepath.Join(dir, "reference.safetensors"))
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := file.Close(); err != nil {
					t.Error(err)
				}
				if err := base.Close(); err != nil {
					t.Error(err)
				}
			}()
			examples := labelled(t, base.Tensor("input_ids"), file.Tensor("labels"))
			e := torchtest.Engine(t)
			torchtest.Do(t, e, func() { loraReference(t, e, dir, file, examples) })
		})
	}
}

func loraReference(t *testing.T, e *torch.Engine, dir string, file *safetensors.File, examples []gpu.Example) {
	m, err := qwen2.Load(e, dir, nn.Options{})
	if err != nil {
		t.Error(err)
		return
	}
	defer m.Free()
	adapter, err := nn.LoadAdapter(e, m, filepath.Join(dir, "lora"))
	if err != nil {
		t.Error(err)
		return
	}
	b := nn.NewBatch()
	for _, x := range examples {
		b.Add(x.Tokens, 0, nn.Place{}, 0, len(x.Tokens))
	}
	near(t, "logits", m.Logits(nn.Forward(m, b, nil)).Floats(), floats(t, file, "logits"), 1e-4)
	adapter.SetDropout(0)
	config := gpu.TrainConfig{
		Steps: 1, Rate: 1e-3, Floor: 1, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.01, Clip: 1,
	}
	trainer, err := train.Adapted(e, m, adapter, config)
	if err != nil {
		t.Error(err)
		return
	}
	defer trainer.Free()
	step, err := trainer.Step(t.Context(), [][]gpu.Example{examples})
	if err != nil {
		t.Error(err)
		return
	}
	near(t, "loss", []float32{float32(step.Loss)}, floats(t, file, "loss"), 1e-5)
	near(t, "grad_norm", []float32{float32(step.GradNorm)}, floats(t, file, "grad_norm"), 1e-4)
	grads := trainer.Grads()
	largest := 0.0
	for _, name := range file.Names() {
		if strings.HasPrefix(name, "grad.") {
			for _, v := range floats(t, file, name) {
				largest = max(largest, math.Abs(float64(v)))
			}
		}
	}
	compared := 0
	for _, p := range adapter.Parameters() {
		module := strings.TrimPrefix(p.Name, "base_model.model.")
		for _, prefix := range []string{"base_model.model.", ""} {
			if file.Tensor("grad."+prefix+module) != nil {
				module = prefix + module
				break
			}
		}
		near(t, "grad."+module, grads[p.Name], floats(t, file, "grad."+module), 1e-4*largest)
		near(t, "after."+module, p.Tensor.Floats(), floats(t, file, "after."+module), 1e-4)
		compared++
	}
	if compared != 28 {
		t.Errorf("compared %d parameters, want 28: A and B of seven projections in two layers", compared)
	}
	after, err := trainer.Loss(t.Context(), examples)
	if err != nil {
		t.Error(err)
		return
	}
	near(t, "loss_after", []float32{float32(after.Loss)}, floats(t, file, "loss_after"), 1e-5)
}

func near(t *testing.T, what string, got, want []float32, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d values, want %d", what, len(got), len(want))
		return
	}
	largest := 0.0
	for i := range got {
		if d := math.Abs(float64(got[i]) - float64(want[i])); !(d <= largest) {
			largest = d
		}
	}
	if !(largest <= tolerance) {
		t.Errorf("%s: largest difference %g, want at most %g", what, largest, tolerance)
	}
	if !slices.Contains([]string{"grad.", "after"}, what[:min(5, len(what))]) {
		t.Logf("%s: largest difference %.1e", what, largest)
	}
}
