package nn

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/internal/disk"
)

// Create is CreateContext without an end before its own.
func Create(config []byte, seed uint64, dir string) error {
	return CreateContext(context.Background(), config, seed, dir)
}

// CreateContext writes a new model of the configuration (a config.json) into dir, which is there and holds neither
// weights nor another config.json: config.json as it is given, and model.safetensors (or shards, where it is large) in
// fp32 with the values that [checkpoint.Tensor]'s kinds say. Each tensor has a generator of its own, from the seed and
// its name. No tensor library is involved. A model that the disk has no room for is refused at once; after any error,
// ctx's among them, dir is as it was, but for what a killed process left unfinished there, which is taken away.
func CreateContext(ctx context.Context, config []byte, seed uint64, dir string) error {
	if err := create(ctx, config, seed, dir); err != nil {
		return fmt.Errorf("new model: %w", err)
	}
	return nil
}

func create(ctx context.Context, config []byte, seed uint64, dir string) (err error) {
	m, err := checkpoint.Parse(config)
	if err != nil {
		return err
	}
	configured, err := vacant(dir, config)
	if err != nil {
		return err
	}
	unfinished, remove, err := beginUnfinished(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	free, err := disk.Free(dir)
	if err != nil {
		return err
	}
	if n := checkpoint.Parameters(m); n > free/4 {
		return fmt.Errorf("%s: %d parameters of 4 bytes, expected at most the %d bytes that are free there", dir, n, free)
	}
	var tensors []safetensors.Tensor
	for _, t := range m.Tensors() {
		tensors = append(tensors, safetensors.Tensor{
			Name: t.Name, DType: safetensors.F32, Shape: t.Shape, Source: initial{tensor: t, seed: seed, std: m.Deviation(), stop: ctx.Err},
		})
	}
	if !configured {
		if err := os.WriteFile(filepath.Join(unfinished, checkpoint.ConfigName), config, 0o644); err != nil {
			return err
		}
	}
	if err := safetensors.WriteModel(unfinished, fileMetadata, tensors, 0); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil { // of a model without elements, too
		return err
	}
	return settle(unfinished, dir)
}

// vacant says whether dir has the configuration already. What a model would take the place of is an error.
func vacant(dir string, config []byte) (configured bool, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		name := e.Name()
		if name == checkpoint.ConfigName {
			if text, err := checkpoint.ReadText(filepath.Join(dir, name)); err != nil || !bytes.Equal(text, config) {
				return false, errors.Join(fmt.Errorf("%s holds another %s already", dir, name), err)
			}
			configured = true
		}
		if name == safetensors.IndexName || strings.HasPrefix(name, "model") && strings.HasSuffix(name, ".safetensors") {
			return false, fmt.Errorf("%s holds %s already", dir, name)
		}
	}
	return configured, nil
}

// initial gives a tensor's first values.
type initial struct {
	tensor checkpoint.Tensor
	seed   uint64
	std    float64
	stop   func() error // asked now and then whether to go on
}

// WriteTo implements [io.WriterTo]: fp32, little-endian.
func (i initial) WriteTo(to io.Writer) (written int64, err error) {
	const most = 1 << 14
	next, buf := i.values(), make([]byte, 0, 4*most)
	for left := i.tensor.Elements(); left > 0; {
		if err := i.stop(); err != nil {
			return written, err
		}
		count := min(left, most)
		buf = buf[:0]
		for range count {
			buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(float32(next())))
		}
		n, err := to.Write(buf)
		if written += int64(n); err != nil {
			return written, err
		}
		left -= count
	}
	return written, nil
}

// values gives one value after the other. Normal ones come in pairs (Box and Muller 1958), so that they follow from the
// generator's uniform numbers by a formula that stands here.
func (i initial) values() func() float64 {
	switch i.tensor.Kind {
	case checkpoint.Zeros:
		return func() float64 { return 0 }
	case checkpoint.Ones:
		return func() float64 { return 1 }
	}
	rng, second, waits := Generator(i.seed, i.tensor.Name), 0.0, false
	return func() float64 {
		if waits {
			waits = false
			return second
		}
		radius := i.std * math.Sqrt(-2*math.Log(1-rng.Float64())) // 1-u is above 0
		sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
		second, waits = radius*sin, true
		return radius * cos
	}
}
