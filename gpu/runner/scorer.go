package runner

import (
	"context"
	"fmt"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/train"
)

// Scorer implements [gpu.Runner].
func (r *Runner) Scorer(ctx context.Context, config gpu.PolicyConfig) (gpu.Scorer, error) {
	options, err := options(config.DType, config.Eager)
	if err != nil {
		return nil, fmt.Errorf("scorer: %w", err)
	}
	model, err := r.merged(ctx, config, options)
	if err != nil {
		return nil, fmt.Errorf("scorer: %w", err)
	}
	return &scorer{e: r.e, model: model, t: train.Frozen(r.e, model)}, nil
}

// scorer is a [gpu.Scorer].
type scorer struct {
	e     *torch.Engine
	model nn.Decoder
	t     *train.Trainer // nil once closed; looked at on the engine's thread only
}

func (s *scorer) do(ctx context.Context, f func() error) error {
	err := s.e.Do(ctx, func() error {
		if s.t == nil {
			return errClosed
		}
		return f()
	})
	if err != nil {
		return fmt.Errorf("scorer: %w", err)
	}
	return nil
}

// LogProbs implements [gpu.Scorer].
func (s *scorer) LogProbs(ctx context.Context, examples []gpu.Example, how gpu.Scoring) (v gpu.TokenValues, err error) {
	err = s.do(ctx, func() (err error) {
		v, err = s.t.LogProbs(ctx, examples, how)
		return err
	})
	return v, err
}

// Close implements [gpu.Scorer].
func (s *scorer) Close() error {
	return s.do(context.Background(), func() error {
		s.model.Free()
		s.t = nil
		return nil
	})
}
