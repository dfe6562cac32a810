package grpo

import (
	"fmt"

	"github.com/hone-rl/hone/gpu"
)

// Step is the loss of one optimiser step. It is for one goroutine at a time.
type Step struct {
	config Config
	micro  [][]Tokens
	shares shares
	bonus  bool     // some part has one for entropy
	seen   [][]sums // by micro-batch and part; nil for one that has not been computed
}

// New prepares the loss of a step over its micro-batches. What is not finite or does not fit is an error that names
// micro-batch, example and token.
func New(config Config, micro [][]Tokens) (*Step, error) {
	if err := config.Check(); err != nil {
		return nil, fmt.Errorf("grpo: %w", err)
	}
	s := &Step{config: config.withDefaults(), micro: micro, seen: make([][]sums, len(micro))}
	for _, p := range config.Parts {
		s.bonus = s.bonus || p.Entropy != 0 && p.Weight != 0
	}
	need := func(part int) (reference, sampler bool) { return s.config.Parts[part].KL != 0, s.config.Cap > 0 }
	counts := make([][]counted, len(micro))
	for m, examples := range micro {
		counts[m] = make([]counted, len(examples))
		for i, x := range examples {
			if err := x.check(len(config.Parts), need); err != nil {
				return nil, fmt.Errorf("grpo: micro-batch %d: example %d: %w", m, i, err)
			}
			counts[m][i] = counted{x.Spans, x.Episode}
		}
	}
	s.shares = newShares(counts, func(part int) Aggregate { return config.Parts[part].Aggregate })
	return s, nil
}

// Scoring is what the trainer must be asked for, at the temperature that the tokens were drawn at. Entropies are logged
// where they are not learnt from, too.
func (s *Step) Scoring(temperature float64) gpu.Scoring {
	return gpu.Scoring{Temperature: temperature, Entropy: true}
}

// Objective is a [gpu.Objective]: the part of the loss that micro-batch number micro has, and its derivatives. By
// entropies only where a part has a bonus. It may be asked for a micro-batch again and answers the same.
func (s *Step) Objective(micro int, v gpu.TokenValues) (loss float64, by gpu.TokenValues, err error) {
	if micro < 0 || micro >= len(s.micro) {
		return 0, by, fmt.Errorf("grpo: micro-batch %d of %d", micro, len(s.micro))
	}
	examples := s.micro[micro]
	lengths := make([]int, len(examples))
	for i, x := range examples {
		lengths[i] = len(x.Old)
	}
	if err := shape(v, lengths, s.bonus); err != nil {
		return 0, by, fmt.Errorf("grpo: micro-batch %d: %w", micro, err)
	}
	by.LogProbs = zeros(lengths)
	if s.bonus {
		by.Entropy = zeros(lengths)
	}
	seen := make([]sums, len(s.config.Parts))
	for i, x := range examples {
		for j, span := range x.Spans {
			if err := s.span(x, span, s.shares[micro][i][j], i, v, by, &seen[span.Part]); err != nil {
				return 0, gpu.TokenValues{}, fmt.Errorf("grpo: micro-batch %d: example %d: %w", micro, i, err)
			}
		}
	}
	for _, p := range seen {
		loss += p.loss
	}
	s.seen[micro] = seen
	return loss, by, nil
}

// span adds one span of example i. Its part's weight times its share of the aggregate is what each of its tokens
// counts for.
func (s *Step) span(x Tokens, span Span, share float64, i int, v, by gpu.TokenValues, seen *sums) error {
	part := s.config.Parts[span.Part]
	counts := part.Weight * share
	for k := span.From; k < span.To; k++ {
		t := token{logp: float64(v.LogProbs[i][k]), old: float64(x.Old[k]), advantage: span.Advantage}
		if x.Reference != nil {
			t.reference = float64(x.Reference[k])
		}
		if x.Sampler != nil {
			t.sampler = float64(x.Sampler[k])
		}
		s.config.score(&t, part.Loss, x.Reference != nil)
		loss, slope, entropy := t.policy, t.slope, 0.0
		if part.KL != 0 {
			loss, slope = loss+part.KL*t.k3, slope+part.KL*t.pull
		}
		if v.Entropy != nil {
			entropy = float64(v.Entropy[i][k])
			loss -= part.Entropy * entropy
		}
		for _, value := range []struct {
			what string
			is   float64
		}{{"log-probability", t.logp}, {"entropy", entropy}, {"ratio", t.ratio}, {"loss", counts * loss}, {"derivative", float64(float32(counts * slope))}} {
			if !finite(value.is) {
				return fmt.Errorf("token %d: %s %v", k, value.what, value.is)
			}
		}
		if part.Weight != 0 {
			by.LogProbs[i][k] = float32(counts * slope)
			if by.Entropy != nil {
				by.Entropy[i][k] = float32(-counts * part.Entropy)
			}
		}
		seen.add(t, counts*loss, counts*t.policy, entropy, x)
	}
	return nil
}

func zeros(lengths []int) [][]float32 {
	all := make([][]float32, len(lengths))
	for i, n := range lengths {
		all[i] = make([]float32, n)
	}
	return all
}
