package train

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
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
	if err := Check(config); err != nil {
		return nil, err
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
	if err := Check(config); err != nil {
		return nil, err
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

// Step is [gpu.Trainer]'s.
func (t *Trainer) Step(ctx context.Context, micro [][]gpu.Example) (gpu.StepResult, error) {
	r := gpu.StepResult{Rate: Rate(t.config, t.steps)}
	batches, targets, total, err := t.prepare(micro)
	if err != nil {
		return r, fmt.Errorf("train: step %d: %w", t.steps, err)
	}
	t.e.Seed(t.dropoutSeed())
	t.setDropout(true)
	defer t.setDropout(false)
	t.flat.grads.Zero()
	for i, b := range batches {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		loss := t.backward(b, targets[i], total)
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return r, fmt.Errorf("train: step %d: micro-batch %d: loss %v: %w", t.steps, i, loss, ErrNotFinite)
		}
		r.Loss += loss
		r.Tokens += len(b.Tokens)
	}
	r.GradNorm = math.Sqrt(t.flat.grads.SquareSum())
	if math.IsNaN(r.GradNorm) || math.IsInf(r.GradNorm, 0) {
		return r, fmt.Errorf("train: step %d: gradient norm %v: %w", t.steps, r.GradNorm, ErrNotFinite)
	}
	t.update(r)
	return r, nil
}

// prepare packs the micro-batches; total is the number of answer tokens in all of them.
func (t *Trainer) prepare(micro [][]gpu.Example) (batches []*nn.Batch, targets [][]int64, total int, err error) {
	for i, examples := range micro {
		b, target, err := checked(t.model, examples)
		if err != nil {
			return nil, nil, 0, fmt.Errorf("micro-batch %d: %w", i, err)
		}
		if len(target) == 0 {
			return nil, nil, 0, fmt.Errorf("micro-batch %d: no examples", i)
		}
		batches, targets, total = append(batches, b), append(targets, target), total+len(target)
	}
	if total == 0 {
		return nil, nil, 0, errors.New("no micro-batches")
	}
	return batches, targets, total, nil
}

// backward adds the gradient of one micro-batch's part of the mean and returns that part.
func (t *Trainer) backward(b *nn.Batch, targets []int64, total int) (loss float64) {
	t.e.Grad(func() {
		t.e.Scope(func() []*torch.Tensor {
			logits := t.model.Logits(nn.Forward(t.model, b, nil))
			part := logits.CrossEntropy(t.e.FromInts(targets)).Times(1 / float64(total))
			if loss = part.Item(); !math.IsNaN(loss) && !math.IsInf(loss, 0) {
				part.Backward()
			}
			return nil
		})
	})
	return loss
}

func (t *Trainer) update(r gpu.StepResult) {
	c := t.config
	t.steps++
	torch.AdamW{
		Rate: r.Rate, Beta1: c.Beta1, Beta2: c.Beta2, Epsilon: c.Epsilon, Decay: c.WeightDecay,
		// The small number in the divisor is that of the usual clipping function.
		GradScale:   math.Min(1, c.Clip/(r.GradNorm+1e-6)),
		Decayed:     t.flat.decayed,
		Correction1: 1 - math.Pow(c.Beta1, float64(t.steps)),
		Correction2: 1 - math.Pow(c.Beta2, float64(t.steps)),
	}.Update(t.flat.values, t.flat.grads, t.flat.first, t.flat.second)
}

// dropoutSeed is a function of seed and step, so that a resumed run draws what an uninterrupted one does.
func (t *Trainer) dropoutSeed() uint64 {
	h := fnv.New64a()
	_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, t.config.Seed)) // a hash takes everything
	_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, uint64(t.steps)))
	return h.Sum64()
}

func (t *Trainer) setDropout(on bool) {
	if t.adapter != nil {
		t.adapter.Train = on
	}
}

// Free gives the optimiser's memory back; the model's stays with the model.
func (t *Trainer) Free() {
	if t.adapter != nil {
		for _, p := range t.adapter.Parameters() {
			p.Tensor.Free()
		}
	}
	t.flat.free()
}
