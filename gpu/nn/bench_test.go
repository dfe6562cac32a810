package nn_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
	"github.com/hone-rl/hone/scripts/bench"
)

// BenchmarkPython is loading a file of 1 GB in matrices of 8 MB beside a plain read of it into fresh memory (read) and
// Python's safetensors (tensors: its tensors, copied, for the library only maps the file). All find the file in the
// system's cache: what a disk adds is the same for all. The peak of resident memory stands beside.
func BenchmarkPython(b *testing.B) {
	const megabytes = 1000
	path := filepath.Join(b.TempDir(), "x.safetensors")
	weights(b, path, megabytes/8)
	peer := bench.Start(b, bench.Program{Environment: ".venv", Script: "load.py", Args: []string{path}})
	b.Run("load", func(b *testing.B) {
		e := torchtest.Engine(b)
		most := int64(0)
		bench.Comparison{
			Unit: "MB", Work: megabytes,
			Ours: func(c *bench.Clock) (any, error) {
				bytes := int64(0)
				err := e.Do(context.Background(), func() (err error) {
					var all []*torch.Tensor
					most = max(most, peak(b, func() {
						err = c.Time(func() (err error) {
							all, err = load(e, path)
							return err
						})
					}))
					for _, t := range all {
						bytes += 4 * t.Elements()
						t.Free()
					}
					e.Trim() // the next round is to find fresh memory, as the peers do
					return err
				})
				return bytes, err
			},
			Peers: []bench.Rival{{Name: "read", Peer: peer, Round: "read"}, {Name: "safetensors", Peer: peer, Round: "tensors"}},
		}.Run(b)
		b.ReportMetric(float64(most)/(1<<20), "ours-peak-MB")
	})
}

// load loads every tensor.
func load(e *torch.Engine, path string) (all []*torch.Tensor, err error) {
	file, err := safetensors.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	loader := nn.NewLoader(e, file, "", torch.Float32)
	for _, name := range file.Names() {
		all = append(all, loader.Tensor(name, file.Tensor(name).Shape...))
	}
	return all, loader.Finish()
}
