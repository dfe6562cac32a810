package runner

import (
	"context"
	"fmt"
	"os"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/models"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/train"
)

// trainer is a [gpu.Trainer].
type trainer struct {
	e      *torch.Engine
	source string // folder of the model
	model  nn.Decoder
	t      *train.Trainer // nil once closed; looked at on the engine's thread only
}

func (t *trainer) load(config gpu.TrainConfig) (err error) {
	if err := config.Check(); err != nil { // before reading gigabytes
		return err
	}
	options, err := options(config.DType, config.Eager())
	if err != nil {
		return err
	}
	if t.model, err = models.Load(t.e, t.source, options); err != nil {
		return err
	}
	if t.t, err = train.New(t.e, t.model, config); err != nil {
		t.model.Free()
	}
	return err
}

func (t *trainer) do(ctx context.Context, f func() error) error {
	err := t.e.Do(ctx, func() error {
		if t.t == nil {
			return errClosed
		}
		return f()
	})
	if err != nil {
		return fmt.Errorf("trainer: %w", err)
	}
	return nil
}

// Step implements [gpu.Trainer].
func (t *trainer) Step(ctx context.Context, micro [][]gpu.Example) (r gpu.StepResult, err error) {
	err = t.do(ctx, func() (err error) {
		r, err = t.t.Step(ctx, micro)
		return err
	})
	return r, err
}

// StepBy implements [gpu.Trainer].
func (t *trainer) StepBy(ctx context.Context, micro [][]gpu.Example, how gpu.Scoring, objective gpu.Objective) (r gpu.StepResult, err error) {
	err = t.do(ctx, func() (err error) {
		r, err = t.t.StepBy(ctx, micro, how, objective)
		return err
	})
	return r, err
}

// LogProbs implements [gpu.Trainer].
func (t *trainer) LogProbs(ctx context.Context, examples []gpu.Example, how gpu.Scoring) (v gpu.TokenValues, err error) {
	err = t.do(ctx, func() (err error) {
		v, err = t.t.LogProbs(ctx, examples, how)
		return err
	})
	return v, err
}

// Loss implements [gpu.Trainer].
func (t *trainer) Loss(ctx context.Context, batch []gpu.Example) (r gpu.LossResult, err error) {
	err = t.do(ctx, func() (err error) {
		r, err = t.t.Loss(ctx, batch)
		return err
	})
	return r, err
}

// Steps implements [gpu.Trainer].
func (t *trainer) Steps() (n int) {
	_ = t.do(context.Background(), func() error { // closed: none
		n = t.t.Steps()
		return nil
	})
	return n
}

// SaveState implements [gpu.Trainer].
func (t *trainer) SaveState(ctx context.Context, dir string) error {
	return t.do(ctx, func() error {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		return t.t.SaveState(dir)
	})
}

// LoadState implements [gpu.Trainer].
func (t *trainer) LoadState(ctx context.Context, dir string) error {
	return t.do(ctx, func() error { return t.t.LoadState(dir) })
}

// Export implements [gpu.Trainer].
func (t *trainer) Export(ctx context.Context, dir string) error {
	return t.do(ctx, func() error {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		return t.t.Export(t.source, dir)
	})
}

// Close implements [gpu.Trainer].
func (t *trainer) Close() error {
	return t.do(context.Background(), func() error {
		t.t.Free()
		t.model.Free()
		t.t, t.model = nil, nil
		return nil
	})
}
