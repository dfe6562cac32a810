package train

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// Step is [gpu.Trainer]'s.
func (t *Trainer) Step(ctx context.Context, micro [][]gpu.Example) (gpu.StepResult, error) {
	return t.step(ctx, micro, func(total int) learn { return t.supervised(total) })
}

// packed is a micro-batch.
type packed struct {
	batch   *nn.Batch
	targets []int64 // answer tokens
}

// learn gives a micro-batch's part of the loss and the gradient by its final states.
type learn func(i int, hidden, targets *torch.Tensor) (loss float64, gradient *torch.Tensor, err error)

// supervised is the mean over total answer tokens.
func (t *Trainer) supervised(total int) learn {
	return func(_ int, hidden, targets *torch.Tensor) (float64, *torch.Tensor, error) {
		weights := slices.Repeat([]float32{float32(1 / float64(total))}, int(targets.Dim(0)))
		loss, gradient := hidden.TokenLoss(t.model.Head(), targets, t.e.FromFloats(weights, int64(len(weights))), 0)
		return loss, gradient, nil
	}
}

func (t *Trainer) step(ctx context.Context, micro [][]gpu.Example, by func(total int) learn) (gpu.StepResult, error) {
	r := gpu.StepResult{Rate: Rate(t.config, t.steps)}
	batches, total, err := t.prepare(micro)
	if err != nil {
		return r, fmt.Errorf("train: step %d: %w", t.steps, err)
	}
	learn := by(total)
	t.setDropout(true)
	defer t.setDropout(false)
	t.flat.grads.Zero()
	for i, b := range batches {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		loss, err := t.backward(i, b, learn)
		if err != nil {
			return r, fmt.Errorf("train: step %d: micro-batch %d: %w", t.steps, i, err)
		}
		if !finite(loss) {
			return r, t.failed(micro, i, fmt.Sprintf("loss %v", loss))
		}
		r.Loss += loss
		r.Tokens += len(b.batch.Tokens)
	}
	r.GradNorm = math.Sqrt(t.flat.grads.SquareSum())
	if !finite(r.GradNorm) {
		i, err := t.culprit(batches, learn)
		if err != nil {
			return r, fmt.Errorf("train: step %d: gradient norm %v: looking for the micro-batch: %w", t.steps, r.GradNorm, err)
		}
		return r, t.failed(micro, i, fmt.Sprintf("gradient norm %v", r.GradNorm))
	}
	t.update(r)
	if sum := t.flat.values.SquareSum(); !finite(sum) {
		return r, t.failed(micro, -1, fmt.Sprintf("the parameters' squares sum up to %v after the update", sum))
	}
	t.steps++
	return r, nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// prepare packs the micro-batches; total is the number of answer tokens in all of them.
func (t *Trainer) prepare(micro [][]gpu.Example) (batches []packed, total int, err error) {
	for i, examples := range micro {
		b, targets, err := checked(t.model, examples)
		if err != nil {
			return nil, 0, fmt.Errorf("micro-batch %d: %w", i, err)
		}
		if len(targets) == 0 {
			return nil, 0, fmt.Errorf("micro-batch %d: no examples", i)
		}
		batches, total = append(batches, packed{b, targets}), total+len(targets)
	}
	if total == 0 {
		return nil, 0, errors.New("no micro-batches")
	}
	return batches, total, nil
}

// backward adds the gradient of one micro-batch's part of the loss and returns that part. What dropout drops is a
// function of the run's seed, step and micro-batch, so that a resumed run drops what an uninterrupted one does.
func (t *Trainer) backward(i int, b packed, learn learn) (loss float64, err error) {
	if t.adapter != nil {
		t.adapter.Seed = hash(t.config.Seed, uint64(t.steps), uint64(i))
	}
	t.e.Scope(func() []*torch.Tensor {
		pass := nn.Begin(t.model, b.batch, t.config.Recompute)
		var gradient *torch.Tensor
		if loss, gradient, err = learn(i, pass.Hidden, t.e.FromInts(b.targets)); err == nil && finite(loss) {
			pass.Back(gradient)
		}
		return nil
	})
	return loss, err
}

// culprit is the micro-batch whose gradient alone is not finite, -1 if each is. All are computed once more.
func (t *Trainer) culprit(batches []packed, learn learn) (int, error) {
	for i, b := range batches {
		t.flat.grads.Zero()
		if _, err := t.backward(i, b, learn); err != nil {
			return 0, err
		}
		if !finite(t.flat.grads.SquareSum()) {
			return i, nil
		}
	}
	return -1, nil
}

// failed is the error of a step that is not finite. The batch is kept where the configuration says so.
func (t *Trainer) failed(micro [][]gpu.Example, i int, reason string) error {
	err := fmt.Errorf("train: step %d: micro-batch %d: %s: %w", t.steps, i, reason, ErrNotFinite)
	if i < 0 {
		err = fmt.Errorf("train: step %d: all micro-batches together: %s: %w", t.steps, reason, ErrNotFinite)
	}
	if t.config.Failures == "" {
		return err
	}
	failed := gpu.FailedBatch{Step: t.steps, Micro: i, Reason: reason, Config: t.config, Batch: micro}
	if _, kept := failed.Write(t.config.Failures); kept != nil {
		return errors.Join(err, kept)
	}
	return err
}

// hash mixes numbers into one.
func hash(numbers ...uint64) uint64 {
	h := fnv.New64a()
	for _, n := range numbers {
		_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, n)) // a hash takes everything
	}
	return h.Sum64()
}

func (t *Trainer) setDropout(on bool) {
	if t.adapter != nil {
		t.adapter.Train = on
	}
}
