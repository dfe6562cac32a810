package train

import (
	"fmt"
	"math"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// ErrNotFinite is the contract's: a loss or gradient that is not a number or without bound.
var ErrNotFinite = gpu.ErrNotFinite

// Trainer trains one model on one engine. Its methods run inside the engine's Do.
type Trainer struct {
	e       *torch.Engine
	model   nn.Decoder
	adapter *nn.Adapter // nil: all parameters are trained
	config  gpu.TrainConfig
	flat    *flat
	steps   int
}

// New prepares a model for training; with config.LoRA an adapter is put around its layers.
func New(e *torch.Engine, model nn.Decoder, config gpu.TrainConfig) (*Trainer, error) {
	if err := config.Check(); err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	if config.LoRA == nil {
		return newTrainer(e, model, nil, config), nil
	}
	adapter, err := nn.NewAdapter(e, model, *config.LoRA, config.Seed)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	return newTrainer(e, model, adapter, config), nil
}

// Adapted is New for a model that has an adapter already, of which the training goes on.
func Adapted(e *torch.Engine, model nn.Decoder, adapter *nn.Adapter, config gpu.TrainConfig) (*Trainer, error) {
	if err := config.Check(); err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	return newTrainer(e, model, adapter, config), nil
}

func newTrainer(e *torch.Engine, model nn.Decoder, adapter *nn.Adapter, config gpu.TrainConfig) *Trainer {
	trained := model.Parameters()
	if adapter != nil {
		trained = adapter.Parameters()
	}
	return &Trainer{e: e, model: model, adapter: adapter, config: config, flat: newFlat(e, trained)}
}

// Steps is how many optimiser steps have been taken.
func (t *Trainer) Steps() int { return t.steps }

func (t *Trainer) update(r gpu.StepResult) {
	c, step := t.config, float64(t.steps+1)
	torch.AdamW{
		Rate: r.Rate, Beta1: c.Beta1, Beta2: c.Beta2, Epsilon: c.Epsilon, Decay: c.WeightDecay,
		// The small number in the divisor is that of the usual clipping function.
		GradScale:   math.Min(1, c.Clip/(r.GradNorm+1e-6)),
		Decayed:     t.flat.decayed,
		Correction1: 1 - math.Pow(c.Beta1, step),
		Correction2: 1 - math.Pow(c.Beta2, step),
	}.Update(t.flat.values, t.flat.grads, t.flat.first, t.flat.second)
	t.flat.round()
	t.model.Version().Changed()
}

// Free gives the optimiser's memory back; the model's stays with the model.
func (t *Trainer) Free() {
	if t.adapter != nil {
		t.adapter.Free()
	}
	t.flat.free()
}
