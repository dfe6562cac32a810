package train_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/models"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
	"github.com/hone-rl/hone/gpu/train"
	"github.com/hone-rl/hone/internal/outside"
)

// nearestBF16 is the bf16 number nearest to an fp32 one, of two the one whose last bit is 0: what is cut off is added as half
// a unit, less one where the last bit that stays is 0.
func nearestBF16(bits uint32) uint16 { return uint16((bits + 0x7fff + bits>>16&1) >> 16) }

// TestNearestBF16 checks the above, which the export is held against, by numbers worked out by hand.
func TestNearestBF16(t *testing.T) {
	for _, tt := range []struct {
		bits uint32
		want uint16
	}{
		{0x3f800000, 0x3f80}, // 1
		{0x3f808000, 0x3f80}, // half way from 1 to the next: 1 is even
		{0x3f808001, 0x3f81}, // a bit above
		{0x3f818000, 0x3f82}, // half way from an odd one: up
		{0x3f817fff, 0x3f81}, // a bit below
		{0xbf818000, 0xbf82}, // its negative
		{0x3dcccccd, 0x3dcd}, // 0.1
		{0x7f7f7fff, 0x7f7f}, // the greatest that stays finite
		{0x00000001, 0x0000}, // the least above 0
		{0x80000000, 0x8000}, // -0
	} {
		if got := nearestBF16(tt.bits); got != tt.want {
			t.Errorf("%08x: got %04x, want %04x", tt.bits, got, tt.want)
		}
	}
}

// TestExportBFloat16: a model that is saved in bf16 is, tensor for tensor, the fp32 export rounded to the nearest, what it
// carries along is untouched, the configuration says so, it is one file, and it can be loaded.
func TestExportBFloat16(t *testing.T) {
	fixtures := outside.Shared(t, "model-fixtures")
	for _, dir := range []string{
		filepath.Join(fixtures, "qwen2-tiny-tied"), filepath.Join(fixtures, "qwen2-tiny-untied"), filepath.Join(fixtures, "qwen35-tiny-tied"), published(t),
	} {
		for _, compute := range []string{"float32", "bfloat16"} {
			t.Run(filepath.Base(dir)+" "+compute, func(t *testing.T) {
				full, low := exportOf(t, dir, compute, "", true), exportOf(t, dir, compute, "bfloat16", true)
				compareSaved(t, full, low)
				if _, err := os.Stat(filepath.Join(low, safetensors.SingleName)); err != nil {
					t.Error(err)
				}
				text, err := os.ReadFile(filepath.Join(low, checkpoint.ConfigName))
				if err != nil {
					t.Fatal(err)
				}
				var config struct {
					DType string `json:"dtype"`
				}
				if err := json.Unmarshal(text, &config); err != nil || config.DType != "bfloat16" {
					t.Errorf("config.json says %+v, %v, want bfloat16", config, err)
				}
				if strings.Contains(string(text), `"float32"`) {
					t.Errorf("config.json names float32 too:\n%s", text)
				}
				again := exportOf(t, low, "float32", "", false) // loaded, and written as it is
				compareSaved(t, again, low)
			})
		}
	}
}

// exportOf is the folder of a model after a step, or none.
func exportOf(t *testing.T, source, compute, save string, step bool) string {
	t.Helper()
	config := recipe
	config.DType, config.Save = compute, save
	out := t.TempDir()
	e := torchtest.Engine(t)
	torchtest.Do(t, e, func() {
		options := nn.Options{}
		if compute == "bfloat16" {
			options.DType = torch.BFloat16
		}
		m, err := models.Load(e, source, options)
		if err != nil {
			panic(err)
		}
		defer m.Free()
		trainer, err := train.New(e, m, config)
		if err != nil {
			panic(err)
		}
		defer trainer.Free()
		if step {
			if _, err := trainer.Step(t.Context(), [][]gpu.Example{batch(1, 2, 128, 5, 20)}); err != nil {
				panic(err)
			}
		}
		before := e.Handles()
		if err := trainer.Export(source, out); err != nil {
			panic(err)
		}
		if after := e.Handles(); save != "" && after > before+2*len(m.Parameters()) {
			t.Errorf("%d tensors were left by rounding", after-before)
		}
	})
	return out
}

// compareSaved holds a folder in bf16 against the same in fp32.
func compareSaved(t *testing.T, full, low string) {
	t.Helper()
	var files [2]*safetensors.File
	for i, dir := range []string{full, low} {
		f, err := safetensors.OpenModel(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}()
		files[i] = f
	}
	if !slices.Equal(files[0].Names(), files[1].Names()) {
		t.Fatalf("tensors %v, want %v", files[1].Names(), files[0].Names())
	}
	described, err := checkpoint.Read(full)
	if err != nil {
		t.Fatal(err)
	}
	carrier, _ := described.(checkpoint.Carrier)
	inexact := 0
	for _, name := range files[0].Names() {
		x, y := files[0].Tensor(name), files[1].Tensor(name)
		if carrier != nil && carrier.Carried(name) {
			if x.DType != y.DType || !bytes.Equal(x.Data, y.Data) {
				t.Errorf("%s does not go along as it is", name)
			}
			continue
		}
		if x.DType != safetensors.F32 || y.DType != safetensors.BF16 || !slices.Equal(x.Shape, y.Shape) {
			t.Errorf("%s: %s %v, want BF16 %v of %s", name, y.DType, y.Shape, x.Shape, x.DType)
			continue
		}
		for i := range len(x.Data) / 4 {
			bits := binary.LittleEndian.Uint32(x.Data[4*i:])
			got, want := binary.LittleEndian.Uint16(y.Data[2*i:]), nearestBF16(bits)
			if got != want {
				t.Fatalf("%s, element %d: %v is %04x, want %04x", name, i, math.Float32frombits(bits), got, want)
			}
			if uint32(got)<<16 != bits {
				inexact++
			}
		}
	}
	t.Logf("%d numbers were rounded", inexact)
}

// TestSaveRefuses: another type, and bf16 with an adapter.
func TestSaveRefuses(t *testing.T) {
	for want, change := range map[string]func(*gpu.TrainConfig){
		`save "float16": expected float32 or bfloat16`: func(c *gpu.TrainConfig) { c.Save = "float16" },
		"save bfloat16: expected float32 with lora": func(c *gpu.TrainConfig) {
			c.Save, c.LoRA = "bfloat16", &gpu.LoRA{Rank: 4, Alpha: 8}
		},
	} {
		config := recipe
		change(&config)
		if err := config.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
