package decode

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// choice is a gpu.Choice under way.
type choice struct {
	at      *node
	logProb float64
}

// Choose is [gpu.Policy]'s: the prompt is computed once, then one pass for each node that has several children, over
// the tokens that led there. It runs inside the engine's Do.
func Choose(ctx context.Context, e *torch.Engine, model nn.Decoder, requests []gpu.Choice) ([]gpu.Chosen, error) {
	vocabulary, positions := model.Limits()
	roots := make([]*node, len(requests))
	for i, r := range requests {
		root, err := trie(r.Candidates)
		if err == nil {
			err = check(r, vocabulary, positions)
		}
		if err != nil {
			return nil, fmt.Errorf("choose: request %d: %w", i, err)
		}
		roots[i] = root
	}
	chosen := make([]gpu.Chosen, len(requests))
	rows := func(i int) int { return len(requests[i].Prompt) + longest(requests[i].Candidates) }
	for _, w := range waves(len(requests), rows) {
		if err := chooseWave(ctx, e, model, requests, roots, w, rows, chosen); err != nil {
			return nil, fmt.Errorf("choose: %w", err)
		}
	}
	return chosen, nil
}

func check(r gpu.Choice, vocabulary, positions int) error {
	if len(r.Prompt) == 0 {
		return errors.New("the prompt is empty")
	}
	if n := len(r.Prompt) + longest(r.Candidates); n > positions {
		return fmt.Errorf("prompt and candidate have %d tokens: the model takes %d", n, positions)
	}
	for _, tokens := range append([][]int32{r.Prompt}, r.Candidates...) {
		for _, t := range tokens {
			if t < 0 || int(t) >= vocabulary {
				return fmt.Errorf("token %d: the vocabulary has %d", t, vocabulary)
			}
		}
	}
	return nil
}

func longest(candidates [][]int32) int {
	n := 0
	for _, c := range candidates {
		n = max(n, len(c))
	}
	return n
}

func chooseWave(ctx context.Context, e *torch.Engine, model nn.Decoder, requests []gpu.Choice, roots []*node,
	wave [2]int, rows func(int) int, chosen []gpu.Chosen,
) error {
	var active []*sequence
	states := map[int]*choice{}
	slots := 0
	for i := wave[0]; i < wave[1]; i++ {
		at, path := roots[i].forced(append([]int32(nil), requests[i].Prompt...))
		if at.index >= 0 {
			chosen[i] = gpu.Chosen{Index: at.index}
			continue
		}
		states[i] = &choice{at: at}
		active = append(active, &sequence{request: i, at: nn.Place{Slot: slots, Lane: len(active)}, pending: path})
		slots += rows(i)
	}
	return run(ctx, e, model, slots, active, func(active []*sequence, hidden *torch.Tensor) ([]*sequence, error) {
		logits := childLogits(e, model, active, states, hidden)
		var open []*sequence
		for i, s := range active {
			c := states[s.request]
			best, logProb, err := pick(logits[i])
			if err != nil {
				return nil, fmt.Errorf("request %d: %w", s.request, err)
			}
			c.logProb += logProb
			next := c.at.children[best]
			c.at, s.pending = next.forced([]int32{next.token})
			if c.at.index >= 0 {
				chosen[s.request] = gpu.Chosen{Index: c.at.index, LogProb: float32(c.logProb)}
				continue
			}
			open = append(open, s)
		}
		return open, nil
	})
}

// childLogits are the logits of each sequence's children alone, in fp64: a few rows of the head against the final
// state. They are taken here and not by a matrix product over all requests, whose order of adding could depend on
// how many there are.
func childLogits(e *torch.Engine, model nn.Decoder, active []*sequence, states map[int]*choice, hidden *torch.Tensor) [][]float64 {
	var tokens []int64
	for _, s := range active {
		for _, child := range states[s.request].at.children {
			tokens = append(tokens, int64(child.token))
		}
	}
	rows := model.Head().Rows(e.FromInts(tokens)).To(torch.Float32).Floats()
	state := hidden.To(torch.Float32).Floats()
	width := int(hidden.Dim(1))
	logits := make([][]float64, len(active))
	for i, s := range active {
		h := state[i*width : (i+1)*width]
		for range states[s.request].at.children {
			sum := 0.0
			for j, w := range rows[:width] {
				sum += float64(w) * float64(h[j])
			}
			logits[i] = append(logits[i], sum)
			rows = rows[width:]
		}
	}
	return logits
}

// pick is the first largest logit and its log-probability among them.
func pick(logits []float64) (best int, logProb float64, err error) {
	for i, l := range logits {
		if math.IsNaN(l) || math.IsInf(l, 0) {
			return 0, 0, fmt.Errorf("a logit is %v", l)
		}
		if l > logits[best] {
			best = i
		}
	}
	sum := 0.0
	for _, l := range logits {
		sum += math.Exp(l - logits[best])
	}
	return best, -math.Log(sum), nil
}
