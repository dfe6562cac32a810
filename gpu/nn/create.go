package nn

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
)

// Create writes a new model of the configuration (a config.json) into dir, which is there: config.json as it is
// given, and model.safetensors (or shards, where it is large) in fp32 with the values that [checkpoint.Tensor]'s kinds say. Each tensor has a
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
			Name: t.Name, DType: safetensors.F32, Shape: t.Shape, Source: initial{tensor: t, seed: seed, std: std},
		})
	}
	if err := os.WriteFile(filepath.Join(dir, checkpoint.ConfigName), config, 0o644); err != nil {
		return fmt.Errorf("new model: %w", err)
	}
	if err := safetensors.WriteModel(dir, fileMetadata, tensors, 0); err != nil {
		return fmt.Errorf("new model: %w", err)
	}
	return nil
}

// initial gives a tensor's first values.
type initial struct {
	tensor checkpoint.Tensor
	seed   uint64
	std    float64
}

// WriteTo implements [io.WriterTo]: fp32, little-endian. Normal values come in pairs (Box and Muller 1958), so that
// they follow from the generator's uniform numbers by a formula that stands here.
func (i initial) WriteTo(to io.Writer) (int64, error) {
	w := bufio.NewWriterSize(to, 1<<16)
	n, put := i.tensor.Elements(), func(v float64) {
		_, _ = w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), math.Float32bits(float32(v)))) // Flush tells
	}
	switch i.tensor.Kind {
	case checkpoint.Zeros:
		for range n {
			put(0)
		}
	case checkpoint.Ones:
		for range n {
			put(1)
		}
	default:
		rng := Generator(i.seed, i.tensor.Name)
		for k := int64(0); k < n; k += 2 {
			radius := i.std * math.Sqrt(-2*math.Log(1-rng.Float64())) // 1-u is above 0
			sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
			if put(radius * cos); k+1 < n {
				put(radius * sin)
			}
		}
	}
	return 4 * n, w.Flush()
}
