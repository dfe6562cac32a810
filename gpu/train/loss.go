package train

import (
	"context"
	"fmt"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/torch"
)

// Loss is [gpu.Trainer]'s.
func (t *Trainer) Loss(ctx context.Context, batch []gpu.Example) (gpu.LossResult, error) {
	var r gpu.LossResult
	err := t.score(ctx, batch, torch.Ask{Best: true}, func(part []gpu.Example, targets []int64, s torch.TokenScores) {
		for _, p := range s.LogProb.Floats()[:len(targets)] {
			r.Loss -= float64(p)
		}
		count(&r, part, targets, s.Best.Ints())
	})
	if err != nil {
		return gpu.LossResult{}, err
	}
	if r.Tokens > 0 {
		r.Loss /= float64(r.Tokens)
	}
	if !finite(r.Loss) {
		return r, fmt.Errorf("train: loss %v: %w", r.Loss, ErrNotFinite)
	}
	return r, nil
}

func count(r *gpu.LossResult, examples []gpu.Example, targets, best []int64) {
	at := 0
	for _, x := range examples {
		for a := range x.Answers() {
			exact := true
			for range a.To - a.From {
				if targets[at] == best[at] {
					r.Correct++
				} else {
					exact = false
				}
				at++
				r.Tokens++
			}
			r.Answers++
			if exact {
				r.Exact++
			}
		}
	}
}
