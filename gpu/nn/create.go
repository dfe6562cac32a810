package nn

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
)

// Create writes a new model of the configuration (a config.json) into dir, which is there: config.json as it is
// given, and model.safetensors in fp32 with the values that [checkpoint.Tensor]'s kinds say. Each tensor has a
// generator of its own, from the seed and its name. No tensor library is involved.
func Create(config []byte, seed uint64, dir string) error {
	m, err := checkpoint.Parse(config)
	if err != nil {
		return fmt.Errorf("new model: %w", err)
	}
	std := m.Deviation()
	if !(std > 0) || math.IsInf(std, 0) {
		return fmt.Errorf("new model: initializer_range %v: expected above 0", std)
	}
	var tensors []safetensors.Tensor
	for _, t := range m.Tensors() {
		tensors = append(tensors, safetensors.Tensor{
			Name: t.Name, DType: safetensors.F32, Shape: t.Shape, Data: fill(t, seed, std),
		})
	}
	if err := os.WriteFile(filepath.Join(dir, checkpoint.ConfigName), config, 0o644); err != nil {
		return fmt.Errorf("new model: %w", err)
	}
	path := filepath.Join(dir, safetensors.SingleName)
	if err := safetensors.WriteFile(path, map[string]string{"format": "pt"}, tensors); err != nil {
		return fmt.Errorf("new model: %w", err)
	}
	return nil
}

// fill gives the first values, fp32 little-endian. Normal ones come in pairs (Box and Muller 1958), so that they
// follow from the generator's uniform numbers by a formula that stands here.
func fill(t checkpoint.Tensor, seed uint64, std float64) []byte {
	n := t.Elements()
	data := make([]byte, 0, 4*n+4) // the pair's second value may be one too many
	put := func(v float64) { data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(v))) }
	switch t.Kind {
	case checkpoint.Zeros:
		return data[:4*n]
	case checkpoint.Ones:
		for range n {
			put(1)
		}
		return data
	}
	rng := Generator(seed, t.Name)
	if t.Kind == checkpoint.LogUniform {
		const least, most = 0.01, 16
		for range n {
			put(math.Log(least + (most-least)*rng.Float64()))
		}
		return data
	}
	for int64(len(data)) < 4*n {
		radius := std * math.Sqrt(-2*math.Log(1-rng.Float64())) // 1-u is above 0
		sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
		put(radius * cos)
		put(radius * sin)
	}
	return data[:4*n]
}
