package train

import (
	"context"
	"fmt"
	"math"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// lossRows is how many rows Loss computes at a time.
const lossRows = 8192

// Loss is [gpu.Trainer]'s.
func (t *Trainer) Loss(ctx context.Context, batch []gpu.Example) (gpu.LossResult, error) {
	var r gpu.LossResult
	for from := 0; from < len(batch); {
		if err := ctx.Err(); err != nil {
			return gpu.LossResult{}, err
		}
		to, rows := from, 0
		for to < len(batch) && (to == from || rows+len(batch[to].Tokens) <= lossRows) {
			rows += len(batch[to].Tokens)
			to++
		}
		b, targets, err := checked(t.model, batch[from:to])
		if err != nil {
			return gpu.LossResult{}, fmt.Errorf("train: loss of examples %d to %d: %w", from, to-1, err)
		}
		t.e.Scope(func() []*torch.Tensor {
			logits := t.model.Logits(nn.Forward(t.model, b, nil))
			r.Loss += logits.CrossEntropy(t.e.FromInts(targets)).Item()
			count(&r, batch[from:to], targets, logits.Argmax().Ints())
			return nil
		})
		from = to
	}
	if r.Tokens > 0 {
		r.Loss /= float64(r.Tokens)
	}
	if math.IsNaN(r.Loss) || math.IsInf(r.Loss, 0) {
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
