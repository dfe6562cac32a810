package train_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// In bf16 batches of very different lengths, one token before the answer and hundreds, give finite losses and
// gradients close to those of fp32, with attention by plain operations and fused, with an adapter and without.
func TestBF16OfMixedLengths(t *testing.T) {
	model := tiny
	model.Positions = 512
	all := [][]gpu.Example{{}, {}}
	for i, n := range []int{2, 3, 64, 128, 192, 7, 500, 65} { // lengths about which fused kernels were seen to fail
		x := batch(uint64(i), 1, 128, n, n)[0]
		x.Answer = max(1, n-4)
		all[i%2] = append(all[i%2], x)
	}
	for name, lora := range map[string]*gpu.LoRA{"full": nil, "lora": {Rank: 4, Alpha: 8, Dropout: 0.1}} {
		for _, attention := range []string{"eager", "fused"} {
			t.Run(name+" "+attention, func(t *testing.T) {
				e := torchtest.Engine(t)
				config := recipe
				config.LoRA = lora
				if lora != nil {
					config.LoRA = &gpu.LoRA{Rank: lora.Rank, Alpha: lora.Alpha} // what is dropped differs with the type
				}
				full, _ := begin(t, e, model, config)
				config.DType, config.Attention = "bfloat16", attention
				low, _ := begin(t, e, model, config)
				config.LoRA = lora
				dropping, _ := begin(t, e, model, config)
				torchtest.Do(t, e, func() {
					for i := range 4 {
						want, err := full.Step(t.Context(), all)
						if err != nil {
							panic(err)
						}
						got, err := low.Step(t.Context(), all)
						if err != nil {
							panic(err)
						}
						// 8 bits of mantissa: a part in 256 a rounding, less in a mean.
						if math.Abs(got.Loss-want.Loss) > 0.02*want.Loss || math.Abs(got.GradNorm-want.GradNorm) > 0.05*want.GradNorm {
							t.Errorf("step %d: %+v, in fp32 %+v", i, got, want)
						}
						if _, err := dropping.Step(t.Context(), all); err != nil {
							t.Error(err)
						}
					}
					grads := full.Grads()
					for name, got := range low.Grads() {
						dot, a, b := 0.0, 0.0, 0.0
						for i, w := range grads[name] {
							dot, a, b = dot+float64(w)*float64(got[i]), a+float64(w)*float64(w), b+float64(got[i])*float64(got[i])
						}
						if cosine := dot / math.Sqrt(a*b); a > 1e-8 && !(cosine > 0.97) {
							t.Errorf("%s: the gradient's cosine with that in fp32 is %v", name, cosine)
						}
					}
				})
			})
		}
	}
}

// What is trained in bf16 is kept in fp32: steps too small for bf16 add up, and what is exported is the fp32 values,
// which the model's rounded ones are not.
func TestBF16KeepsFP32(t *testing.T) {
	config := recipe
	config.DType, config.Warmup, config.Flat, config.WeightDecay = "bfloat16", 0, 1, 0
	config.Rate = 1e-6 // of weights of 0.1, whose neighbours in bf16 are 5e-4 away
	e := torchtest.Engine(t)
	trainer, source := begin(t, e, tiny, config)
	out := t.TempDir()
	steps(t, e, trainer, 0, 3)
	torchtest.Do(t, e, func() {
		if err := trainer.Export(source, out); err != nil {
			panic(err)
		}
	})
	open := func(dir string) *safetensors.File {
		file, err := safetensors.OpenModel(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := file.Close(); err != nil {
				t.Error(err)
			}
		})
		return file
	}
	was, is := open(source), open(out)
	for _, name := range was.Names() {
		before, after := values(was.Tensor(name).Data), values(is.Tensor(name).Data)
		if is.Tensor(name).DType != safetensors.F32 {
			t.Errorf("%s is %s", name, is.Tensor(name).DType)
		}
		moved := 0
		for i := range before {
			bits := math.Float32bits(before[i])
			rounded := math.Float32frombits((bits + 0x7fff + bits>>16&1) &^ 0xffff) // to bf16, halves to even
			if d := math.Abs(float64(after[i]) - float64(rounded)); d > 1e-5 {
				t.Fatalf("%s: element %d went from %v to %v", name, i, rounded, after[i])
			}
			if math.Float32bits(after[i])&0xffff != 0 {
				moved++
			}
		}
		if moved < len(before)/2 && name != "model.embed_tokens.weight" {
			t.Errorf("%s: %d of %d values have more bits than bf16", name, moved, len(before))
		}
	}
	written, err := os.ReadFile(filepath.Join(out, "config.json"))
	if err != nil || !bytes.Contains(written, []byte(`"float32"`)) {
		t.Errorf("configuration %s, %v", written, err)
	}
}

func values(data []byte) []float32 {
	all := make([]float32, len(data)/4)
	for i := range all {
		all[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return all
}
