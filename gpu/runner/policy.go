package runner

import (
	"context"
	"fmt"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/decode"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// policy is a [gpu.Policy].
type policy struct {
	e       *torch.Engine
	model   nn.Decoder
	batcher *decode.Batcher
}

// Choose implements [gpu.Policy].
func (p *policy) Choose(ctx context.Context, requests []gpu.Choice) ([]gpu.Chosen, error) {
	chosen, err := p.batcher.Choose(ctx, requests)
	return answer(chosen, err)
}

// Sample implements [gpu.Policy].
func (p *policy) Sample(ctx context.Context, requests []gpu.Sampling) ([]gpu.Sampled, error) {
	sampled, err := p.batcher.Sample(ctx, requests)
	return answer(sampled, err)
}

func answer[T any](all []T, err error) ([]T, error) {
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	return all, nil
}

// Close implements [gpu.Policy].
func (p *policy) Close() error {
	if err := p.batcher.Close(); err != nil {
		return fmt.Errorf("policy: %w", err)
	}
	err := p.e.Do(context.Background(), func() error {
		p.model.Free()
		return nil
	})
	if err != nil {
		return fmt.Errorf("policy: %w", err)
	}
	return nil
}
