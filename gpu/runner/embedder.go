package runner

import (
	"context"
	"fmt"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/models/minilm"
	"github.com/hone-rl/hone/gpu/torch"
)

// Embedder implements [gpu.Runner].
func (r *Runner) Embedder(ctx context.Context, dir string) (gpu.Embedder, error) {
	m := &embedder{e: r.e}
	err := r.e.Do(ctx, func() (err error) {
		m.model, err = minilm.Load(r.e, dir)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("embedder: %w", err)
	}
	return m, nil
}

// embedder is a [gpu.Embedder].
type embedder struct {
	e     *torch.Engine
	model *minilm.Model // nil once closed; looked at on the engine's thread only
}

func (m *embedder) do(ctx context.Context, f func() error) error {
	err := m.e.Do(ctx, func() error {
		if m.model == nil {
			return errClosed
		}
		return f()
	})
	if err != nil {
		return fmt.Errorf("embedder: %w", err)
	}
	return nil
}

// Embed implements [gpu.Embedder].
func (m *embedder) Embed(ctx context.Context, texts [][]int32) (vectors [][]float32, err error) {
	err = m.do(ctx, func() (err error) {
		vectors, err = m.model.Embed(ctx, texts)
		return err
	})
	return vectors, err
}

// Close implements [gpu.Embedder].
func (m *embedder) Close() error {
	return m.do(context.Background(), func() error {
		m.model.Free()
		m.model = nil
		return nil
	})
}
