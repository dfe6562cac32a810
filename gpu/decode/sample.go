package decode

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// Sample is [gpu.Policy]'s. Each request draws from a generator of its own. It runs inside the engine's Do.
func Sample(ctx context.Context, e *torch.Engine, model nn.Decoder, requests []gpu.Sampling) ([]gpu.Sampled, error) {
	vocabulary, positions := model.Limits()
	for i, r := range requests {
		if err := checkSampling(r, vocabulary, positions); err != nil {
			return nil, fmt.Errorf("sample: request %d: %w", i, err)
		}
	}
	sampled := make([]gpu.Sampled, len(requests))
	rows := func(i int) int { return len(requests[i].Prompt) + requests[i].MaxTokens }
	for _, w := range waves(len(requests), rows) {
		if err := sampleWave(ctx, e, model, requests, w, rows, sampled); err != nil {
			return nil, fmt.Errorf("sample: %w", err)
		}
	}
	return sampled, nil
}

func checkSampling(r gpu.Sampling, vocabulary, positions int) error {
	switch {
	case r.MaxTokens < 0:
		return fmt.Errorf("max tokens %d: expected 0 or more", r.MaxTokens)
	case !(r.Temperature >= 0) || math.IsInf(float64(r.Temperature), 0):
		return fmt.Errorf("temperature %v: expected 0 or more", r.Temperature)
	case len(r.Prompt) == 0:
		return errors.New("the prompt is empty")
	case len(r.Prompt)+r.MaxTokens > positions:
		return fmt.Errorf("prompt and text have up to %d tokens: the model takes %d", len(r.Prompt)+r.MaxTokens, positions)
	}
	for _, t := range r.Prompt {
		if t < 0 || int(t) >= vocabulary {
			return fmt.Errorf("token %d: the vocabulary has %d", t, vocabulary)
		}
	}
	return nil
}

func sampleWave(ctx context.Context, e *torch.Engine, model nn.Decoder, requests []gpu.Sampling, wave [2]int,
	rows func(int) int, sampled []gpu.Sampled,
) error {
	var active []*sequence
	generators := map[int]*rand.Rand{}
	slots := 0
	for i := wave[0]; i < wave[1]; i++ {
		if requests[i].MaxTokens == 0 {
			continue
		}
		generators[i] = rand.New(rand.NewPCG(requests[i].Seed, 0x73616d706c65)) // "sample"
		active = append(active, &sequence{request: i, at: nn.Place{Slot: slots, Lane: len(active)}, pending: slices.Clone(requests[i].Prompt)})
		slots += rows(i)
	}
	vocabulary, _ := model.Limits()
	return run(ctx, e, model, slots, active, func(active []*sequence, hidden *torch.Tensor) ([]*sequence, error) {
		logits := model.Logits(hidden).To(torch.Float32).Floats()
		var open []*sequence
		for i, s := range active {
			r, out := requests[s.request], &sampled[s.request]
			token, logProb, err := draw(logits[i*vocabulary:(i+1)*vocabulary], float64(r.Temperature), generators[s.request])
			if err != nil {
				return nil, fmt.Errorf("request %d: token %d: %w", s.request, len(out.Tokens), err)
			}
			out.Tokens = append(out.Tokens, token)
			out.LogProbs = append(out.LogProbs, float32(logProb))
			out.Stopped = slices.Contains(r.Stop, token)
			if out.Stopped || len(out.Tokens) == r.MaxTokens {
				continue
			}
			s.pending = []int32{token}
			open = append(open, s)
		}
		return open, nil
	})
}

// draw takes a token: the first of the largest logits at temperature 0, else by one uniform number along the
// cumulated probabilities. The log-probability is at temperature 1 in both cases.
func draw(logits []float32, temperature float64, generator *rand.Rand) (token int32, logProb float64, err error) {
	top := slices.Max(logits) // not a number if any is
	if math.IsNaN(float64(top)) || math.IsInf(float64(top), 0) {
		return 0, 0, fmt.Errorf("the largest logit is %v", top)
	}
	normal, heated := 0.0, 0.0
	for _, l := range logits {
		d := float64(l) - float64(top)
		normal += math.Exp(d)
		if temperature > 0 {
			heated += math.Exp(d / temperature)
		}
	}
	chosen := slices.Index(logits, top)
	if temperature > 0 {
		left := generator.Float64() * heated
		for i, l := range logits {
			p := math.Exp((float64(l) - float64(top)) / temperature)
			if left -= p; left < 0 && p > 0 {
				chosen = i
				break
			}
		}
	}
	return int32(chosen), float64(logits[chosen]) - float64(top) - math.Log(normal), nil
}
