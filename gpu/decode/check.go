package decode

import (
	"errors"
	"fmt"

	"github.com/hone-rl/hone/gpu"
)

// limits are the model's.
type limits struct{ vocabulary, positions int }

func (l limits) tokens(what string, tokens []int32) error {
	for _, t := range tokens {
		if t < 0 || int(t) >= l.vocabulary {
			return fmt.Errorf("%s: token %d: the vocabulary has %d", what, t, l.vocabulary)
		}
	}
	return nil
}

func (l limits) prompt(tokens []int32, more int) error {
	switch {
	case len(tokens) == 0:
		return errors.New("the prompt is empty")
	case len(tokens) > l.positions || more > l.positions-len(tokens): // the sum may be more than an int holds
		return fmt.Errorf("a prompt of %d tokens and up to %d more: the model takes %d", len(tokens), more, l.positions)
	}
	return l.tokens("prompt", tokens)
}

func (l limits) sampling(r gpu.Sampling) error {
	if r.MaxTokens < 0 {
		return fmt.Errorf("max tokens %d: expected 0 or more", r.MaxTokens)
	}
	if err := errors.Join(gpu.CheckTemperature(r.Temperature), l.prompt(r.Prompt, r.MaxTokens)); err != nil {
		return err
	}
	switch {
	case r.TopK < 0:
		return fmt.Errorf("top-k %d: expected 0 or more", r.TopK)
	case !(r.TopP >= 0 && r.TopP <= 1):
		return fmt.Errorf("top-p %v: expected 0 to 1", r.TopP)
	case r.Best < 0 || r.Best > min(gpu.MaxBest, l.vocabulary):
		return fmt.Errorf("best %d: expected 0 to %d", r.Best, min(gpu.MaxBest, l.vocabulary))
	}
	for i, s := range r.StopSequences {
		if len(s) == 0 {
			return fmt.Errorf("stop sequence %d is empty", i)
		}
		if err := l.tokens(fmt.Sprintf("stop sequence %d", i), s); err != nil {
			return err
		}
	}
	return l.tokens("stop", r.Stop)
}

func (l limits) choice(r gpu.Choice) error {
	switch r.Score {
	case "", gpu.ScoreNodes, gpu.ScoreSequence:
	default:
		return fmt.Errorf("score %q: expected %q, %q or none", r.Score, gpu.ScoreNodes, gpu.ScoreSequence)
	}
	longest := 0
	for i, c := range r.Candidates {
		longest = max(longest, len(c))
		if err := l.tokens(fmt.Sprintf("candidate %d", i), c); err != nil {
			return err
		}
	}
	return errors.Join(gpu.CheckTemperature(r.Temperature), l.prompt(r.Prompt, longest))
}
