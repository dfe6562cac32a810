package train

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// StepBy is [gpu.Trainer]'s.
func (t *Trainer) StepBy(ctx context.Context, micro [][]gpu.Example, how gpu.Scoring, objective gpu.Objective) (gpu.StepResult, error) {
	if how.Reference {
		return gpu.StepResult{}, fmt.Errorf("train: step %d: the reference model is not trained", t.steps)
	}
	if err := gpu.CheckTemperature(how.Temperature); err != nil {
		return gpu.StepResult{}, fmt.Errorf("train: step %d: %w", t.steps, err)
	}
	ask := torch.Ask{Temperature: how.Temperature, Entropy: how.Entropy}
	return t.step(ctx, micro, func(int) learn {
		return func(i int, hidden, targets *torch.Tensor) (float64, *torch.Tensor, error) {
			scores := hidden.TokenScores(t.model.Head(), targets, ask)
			loss, by, err := objective(i, values(scores, micro[i]))
			if err != nil {
				return 0, nil, fmt.Errorf("objective: %w", err)
			}
			g, err := t.rows("log-probabilities", by.LogProbs, micro[i])
			if err != nil {
				return 0, nil, err
			}
			var h *torch.Tensor
			if by.Entropy != nil {
				if !how.Entropy {
					return 0, nil, errors.New("objective: derivatives by an entropy that was not asked for")
				}
				if h, err = t.rows("entropy", by.Entropy, micro[i]); err != nil {
					return 0, nil, err
				}
			}
			return loss, scores.Gradient(hidden, t.model.Head(), targets, g, h, ask), nil
		}
	})
}

// LogProbs is [gpu.Trainer]'s.
func (t *Trainer) LogProbs(ctx context.Context, examples []gpu.Example, how gpu.Scoring) (gpu.TokenValues, error) {
	if err := gpu.CheckTemperature(how.Temperature); err != nil {
		return gpu.TokenValues{}, fmt.Errorf("train: %w", err)
	}
	if how.Reference {
		if t.adapter == nil {
			return gpu.TokenValues{}, errors.New("train: the reference model: without LoRA there is none beside what is trained")
		}
		t.adapter.Off()
		defer t.adapter.On()
	}
	ask := torch.Ask{Temperature: how.Temperature, Entropy: how.Entropy}
	var all gpu.TokenValues
	err := t.score(ctx, examples, ask, func(part []gpu.Example, _ []int64, s torch.TokenScores) {
		v := values(s, part)
		all.LogProbs, all.Entropy = append(all.LogProbs, v.LogProbs...), append(all.Entropy, v.Entropy...)
	})
	if err == nil {
		err = errors.Join(allFinite("log-probability", all.LogProbs), allFinite("entropy", all.Entropy))
	}
	if err != nil {
		return gpu.TokenValues{}, err
	}
	return all, nil
}

func allFinite(what string, values [][]float32) error {
	for i, row := range values {
		if j := slices.IndexFunc(row, func(v float32) bool { return !finite(float64(v)) }); j >= 0 {
			return fmt.Errorf("train: example %d: %s %v of answer token %d: %w", i, what, row[j], j, ErrNotFinite)
		}
	}
	return nil
}

// scoreRows is how many positions score computes at a time.
const scoreRows = 8192

// score scores the answer tokens of examples, some examples at a time, and shows each part with its targets.
func (t *Trainer) score(ctx context.Context, examples []gpu.Example, ask torch.Ask, see func(part []gpu.Example, targets []int64, s torch.TokenScores)) error {
	for from := 0; from < len(examples); {
		if err := ctx.Err(); err != nil {
			return err
		}
		to, rows := from, 0
		for to < len(examples) && (to == from || rows+len(examples[to].Tokens) <= scoreRows) {
			rows += len(examples[to].Tokens)
			to++
		}
		b, targets, err := checked(t.model, examples[from:to])
		if err != nil {
			return fmt.Errorf("train: examples %d to %d: %w", from, to-1, err)
		}
		b.Pad(nn.MinRows(t.e), nn.Place{})
		padded := append(slices.Clip(targets), make([]int64, len(b.Want)-len(targets))...)
		t.e.Scope(func() []*torch.Tensor {
			s := nn.Forward(t.model, b, nil).TokenScores(t.model.Head(), t.e.FromInts(padded), ask)
			see(examples[from:to], targets, s)
			return nil
		})
		from = to
	}
	return nil
}

// values cuts scores into those of each example. There may be more rows than the examples have answer tokens.
func values(s torch.TokenScores, examples []gpu.Example) gpu.TokenValues {
	v := gpu.TokenValues{LogProbs: cut(s.LogProb.Floats(), examples)}
	if s.Entropy != nil {
		v.Entropy = cut(s.Entropy.Floats(), examples)
	}
	return v
}

func cut(all []float32, examples []gpu.Example) [][]float32 {
	parts := make([][]float32, len(examples))
	for i, x := range examples {
		n := len(x.Learned())
		parts[i], all = all[:n:n], all[n:]
	}
	return parts
}

// rows puts an objective's derivatives behind each other.
func (t *Trainer) rows(what string, parts [][]float32, examples []gpu.Example) (*torch.Tensor, error) {
	if len(parts) != len(examples) {
		return nil, fmt.Errorf("objective: derivatives by the %s of %d examples: expected %d", what, len(parts), len(examples))
	}
	var all []float32
	for i, x := range examples {
		if n := len(x.Learned()); len(parts[i]) != n {
			return nil, fmt.Errorf("objective: example %d: %d derivatives by the %s: expected %d", i, len(parts[i]), what, n)
		}
		all = append(all, parts[i]...)
	}
	return t.e.FromFloats(all, int64(len(all))), nil
}
