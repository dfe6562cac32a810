// Package runner joins the rooms that compute into a [gpu.Runner]: one engine and the models on it. No locks are needed:
// everything that touches them runs on the engine's thread, one call after the other.
package runner

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/decode"
	"github.com/hone-rl/hone/gpu/models"
	"github.com/hone-rl/hone/gpu/models/qwen2"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// Config sets up a Runner.
type Config struct {
	Device  string // "cpu", "cuda", "cuda:N" or "auto" (cuda:0 where there is one); "" is "auto"
	Threads int    // of one operation on the CPU; 0 is the number of processors the program may use
}

// Runner is a [gpu.Runner] over one engine. Close ends its thread.
type Runner struct {
	e *torch.Engine
}

// New starts the engine.
func New(config Config) (*Runner, error) {
	e, err := torch.New(torch.Config{Device: config.Device, Threads: config.Threads})
	if err != nil {
		return nil, fmt.Errorf("runner: %w", err)
	}
	return &Runner{e: e}, nil
}

// Close ends the engine. Policies and trainers must have been closed.
func (r *Runner) Close() error { return r.e.Close() }

// Info implements [gpu.Runner].
func (r *Runner) Info() gpu.Info {
	return gpu.Info{
		Device: r.e.Device(), Name: r.e.Name(), Library: torch.Version(), Threads: r.e.Threads(), Class: r.e.Class(),
	}
}

// Init implements [gpu.Runner].
func (r *Runner) Init(ctx context.Context, config gpu.ModelConfig, seed uint64, dir string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("runner: %w", err)
	}
	return qwen2.Init(config, seed, dir)
}

// Policy implements [gpu.Runner].
func (r *Runner) Policy(ctx context.Context, config gpu.PolicyConfig) (gpu.Policy, error) {
	options, err := options(config.DType, config.Eager)
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	p := &policy{e: r.e}
	if p.model, err = r.merged(ctx, config, options); err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	if p.batcher, err = decode.New(r.e, p.model, decode.Config{CacheTokens: config.CacheTokens}); err != nil {
		return nil, fmt.Errorf("policy: %w", errors.Join(err, r.e.Do(context.Background(), func() error { p.model.Free(); return nil })))
	}
	return p, nil
}

// merged loads a model, with its adapter merged into the weights where it has one.
func (r *Runner) merged(ctx context.Context, config gpu.PolicyConfig, options nn.Options) (model nn.Decoder, err error) {
	err = r.e.Do(ctx, func() (err error) {
		if model, err = models.Load(r.e, config.Model, options); err != nil || config.Adapter == "" {
			return err
		}
		defer func() {
			if err != nil {
				model.Free()
			}
		}()
		a, err := nn.LoadAdapter(r.e, model, config.Adapter)
		if err != nil {
			return err
		}
		return a.Merge()
	})
	return model, err
}

// options are the model's for the names of a contract.
func options(dtype string, eager bool) (nn.Options, error) {
	types := map[string]torch.DType{"": torch.Float32, "float32": torch.Float32, "bfloat16": torch.BFloat16}
	t, ok := types[dtype]
	if !ok {
		return nn.Options{}, fmt.Errorf("dtype %q: expected float32 or bfloat16", dtype)
	}
	return nn.Options{DType: t, Eager: eager}, nil
}

// Trainer implements [gpu.Runner].
func (r *Runner) Trainer(ctx context.Context, dir string, config gpu.TrainConfig) (gpu.Trainer, error) {
	t := &trainer{e: r.e, source: dir}
	err := r.e.Do(ctx, func() error { return t.load(config) })
	if err != nil {
		return nil, fmt.Errorf("trainer: %w", err)
	}
	return t, nil
}

var errClosed = errors.New("it has been closed")

var _ gpu.Runner = (*Runner)(nil)
