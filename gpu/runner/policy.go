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
	e     *torch.Engine
	model nn.Decoder // nil once closed; looked at on the engine's thread only
}

func (p *policy) do(ctx context.Context, f func() error) error {
	err := p.e.Do(ctx, func() error {
		if p.model == nil {
			return errClosed
		}
		return f()
	})
	if err != nil {
		return fmt.Errorf("policy: %w", err)
	}
	return nil
}

// Choose implements [gpu.Policy].
func (p *policy) Choose(ctx context.Context, requests []gpu.Choice) (chosen []gpu.Chosen, err error) {
	err = p.do(ctx, func() (err error) {
		chosen, err = decode.Choose(ctx, p.e, p.model, requests)
		return err
	})
	return chosen, err
}

// Sample implements [gpu.Policy].
func (p *policy) Sample(ctx context.Context, requests []gpu.Sampling) (sampled []gpu.Sampled, err error) {
	err = p.do(ctx, func() (err error) {
		sampled, err = decode.Sample(ctx, p.e, p.model, requests)
		return err
	})
	return sampled, err
}

// Close implements [gpu.Policy].
func (p *policy) Close() error {
	return p.do(context.Background(), func() error {
		p.model.Free()
		p.model = nil
		return nil
	})
}
