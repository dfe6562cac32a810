package gputest

import (
	"context"

	"github.com/hone-rl/hone/gpu"
)

// Trainer implements gpu.Runner.
func (r *Runner) Trainer(_ context.Context, dir string, config gpu.TrainConfig) (gpu.Trainer, error) {
	t := &trainer{runner: r, config: config}
	return t, r.load(dir, weightsFile, &t.base)
}

// trainer moves each answer token's number towards one of its own, with momentum, so that every step leaves its mark
// on what comes after.
type trainer struct {
	runner *Runner
	config gpu.TrainConfig
	base   weights
	state
}

type state struct {
	Steps  int     `json:"steps"`
	Delta  weights `json:"delta"`
	Moment weights `json:"moment"`
}

// pulls are the loss of the examples and the way to lessen it.
func (t *trainer) pulls(batch []gpu.Example) (gpu.LossResult, weights) {
	var res gpu.LossResult
	var pull weights
	for _, e := range batch {
		for a := range e.Answers() {
			right := true
			for _, token := range e.Tokens[a.From:a.To] {
				i := token % size
				off := t.base[i] + t.Delta[i] - float64(i)/size
				pull[i] += off
				res.Loss += off * off
				res.Tokens++
				if off*off < 0.01 {
					res.Correct++
				} else {
					right = false
				}
			}
			res.Answers++
			if right {
				res.Exact++
			}
		}
	}
	res.Loss /= float64(max(res.Tokens, 1))
	return res, pull
}

// Step implements gpu.Trainer.
func (t *trainer) Step(ctx context.Context, micro [][]gpu.Example) (gpu.StepResult, error) {
	if t.runner.OnStep != nil {
		if err := t.runner.OnStep(t.state.Steps + 1); err != nil {
			return gpu.StepResult{}, err
		}
	}
	if t.runner.OnMicro != nil {
		t.runner.OnMicro(micro)
	}
	res := gpu.StepResult{Rate: t.config.Rate}
	for _, batch := range micro {
		loss, pull := t.pulls(batch)
		res.Loss += loss.Loss / float64(len(micro))
		res.Tokens += loss.Tokens
		for i := range pull {
			t.Moment[i] = 0.5*t.Moment[i] + pull[i]/float64(max(loss.Tokens, 1))
			t.Delta[i] -= t.config.Rate * t.Moment[i]
		}
	}
	t.state.Steps++
	return res, ctx.Err()
}

// Loss implements gpu.Trainer.
func (t *trainer) Loss(ctx context.Context, batch []gpu.Example) (gpu.LossResult, error) {
	res, _ := t.pulls(batch)
	if t.runner.OnLoss != nil {
		res = t.runner.OnLoss(res)
	}
	return res, ctx.Err()
}

// Steps implements gpu.Trainer.
func (t *trainer) Steps() int { return t.state.Steps }

// SaveState implements gpu.Trainer.
func (t *trainer) SaveState(_ context.Context, dir string) error {
	return write(dir, stateFile, t.state)
}

// LoadState implements gpu.Trainer.
func (t *trainer) LoadState(_ context.Context, dir string) error {
	return read(dir, stateFile, &t.state)
}

// Export implements gpu.Trainer.
func (t *trainer) Export(_ context.Context, dir string) error {
	if t.config.LoRA != nil {
		if err := write(dir, "adapter_config.json", map[string]any{"peft_type": "LORA"}); err != nil {
			return err
		}
		return write(dir, adapterFile, t.Delta)
	}
	whole := t.base
	for i := range whole {
		whole[i] += t.Delta[i]
	}
	if err := write(dir, "config.json", map[string]any{"model_type": "table", "max_position_embeddings": 4096}); err != nil {
		return err
	}
	return write(dir, weightsFile, whole)
}

// Close implements gpu.Trainer.
func (t *trainer) Close() error { return nil }
