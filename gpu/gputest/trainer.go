package gputest

import (
	"context"
	"errors"

	"github.com/hone-rl/hone/gpu"
)

// Trainer implements gpu.Runner.
func (r *Runner) Trainer(_ context.Context, dir string, config gpu.TrainConfig) (gpu.Trainer, error) {
	t := &trainer{runner: r, config: config}
	return t, r.load(dir, weightsFile, &t.base)
}

// Scorer implements gpu.Runner.
func (r *Runner) Scorer(_ context.Context, config gpu.PolicyConfig) (gpu.Scorer, error) {
	t := &trainer{runner: r}
	if err := r.load(config.Model, weightsFile, &t.base); err != nil || config.Adapter == "" {
		return t, err
	}
	return t, r.load(config.Adapter, adapterFile, &t.Delta)
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
				off := t.off(token, false)
				pull[token%size] += off
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

// begin asks OnStep. A batch that it finds not finite is kept, as the contract says.
func (t *trainer) begin(micro [][]gpu.Example) error {
	if t.runner.OnStep == nil {
		return nil
	}
	err := t.runner.OnStep(t.state.Steps + 1)
	if !errors.Is(err, gpu.ErrNotFinite) || t.config.Failures == "" {
		return err
	}
	failed := gpu.FailedBatch{Step: t.state.Steps, Reason: err.Error(), Config: t.config, Batch: micro}
	if _, kept := failed.Write(t.config.Failures); kept != nil {
		return kept
	}
	return err
}

// Step implements gpu.Trainer.
func (t *trainer) Step(ctx context.Context, micro [][]gpu.Example) (gpu.StepResult, error) {
	if err := t.begin(micro); err != nil {
		return gpu.StepResult{}, err
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

// StepBy implements gpu.Trainer. A token's log-probability is minus its part of the loss that Step lessens.
func (t *trainer) StepBy(ctx context.Context, micro [][]gpu.Example, how gpu.Scoring, objective gpu.Objective) (gpu.StepResult, error) {
	if err := t.begin(micro); err != nil {
		return gpu.StepResult{}, err
	}
	res := gpu.StepResult{Rate: t.config.Rate}
	for m, batch := range micro {
		loss, by, err := objective(m, t.values(batch, how))
		if err != nil {
			return gpu.StepResult{}, err
		}
		res.Loss += loss
		var pull weights
		for i, e := range batch {
			for j, token := range e.Learned() {
				pull[token%size] -= float64(by.LogProbs[i][j]) * t.off(token, false)
				res.Tokens++
			}
		}
		for i := range pull {
			t.Moment[i] = 0.5*t.Moment[i] + pull[i]
			t.Delta[i] -= t.config.Rate * t.Moment[i]
		}
	}
	t.state.Steps++
	return res, ctx.Err()
}

// LogProbs implements gpu.Trainer.
func (t *trainer) LogProbs(ctx context.Context, examples []gpu.Example, how gpu.Scoring) (gpu.TokenValues, error) {
	return t.values(examples, how), ctx.Err()
}

func (t *trainer) values(examples []gpu.Example, how gpu.Scoring) gpu.TokenValues {
	var v gpu.TokenValues
	for _, e := range examples {
		answer := e.Learned()
		logp := make([]float32, len(answer))
		for j, token := range answer {
			off := t.off(token, how.Reference)
			logp[j] = float32(-off * off)
		}
		v.LogProbs = append(v.LogProbs, logp)
		if how.Entropy {
			v.Entropy = append(v.Entropy, make([]float32, len(answer)))
		}
	}
	return v
}

// off is how far a token's number is from where it should be.
func (t *trainer) off(token int32, reference bool) float64 {
	i := token % size
	off := t.base[i] - float64(i)/size
	if !reference {
		off += t.Delta[i]
	}
	return off
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
