package grpo

import (
	"fmt"

	"github.com/hone-rl/hone/gpu"
)

// Tokens are what an update knows of one example's answer tokens, in their order.
type Tokens struct {
	// Old are the log-probabilities before the step's first update, by the trainer and not the sampler: the ratio must
	// not measure what lies between their kernels.
	Old []float32
	// Reference are those by the model that KL is the distance to; nil where no part has a coefficient.
	Reference []float32
	// Sampler are those that the tokens were drawn with; nil where they are not known. They weigh the loss where the
	// configuration has a Cap, and are compared with Old for the log.
	Sampler []float32
	// Spans are what learns, ascending and apart. A token in none of them is masked: it has no gradient and is in no mean.
	Spans []Span
	// Episode numbers the episode that the example is of. One without spans is none of the step's.
	Episode int
}

// Span is some answer tokens that share an advantage: those of one sample.
type Span struct {
	From, To  int // places among the example's answer tokens
	Part      int // index in Config.Parts
	Advantage float64
	// Sequence numbers what a sequence's mean or sum is over: spans of one part with the same number are one sequence,
	// wherever in the step they stand. An episode's index gives Skill1's |τ|, another for each sample verl's.
	Sequence int
}

// check says what is wrong with an example's tokens.
func (x Tokens) check(parts int, need func(part int) (reference, sampler bool)) error {
	n := len(x.Old)
	for _, other := range []struct {
		what   string
		values []float32
	}{{"reference", x.Reference}, {"sampler", x.Sampler}} {
		if other.values != nil && len(other.values) != n {
			return fmt.Errorf("%d log-probabilities of the %s: expected %d", len(other.values), other.what, n)
		}
	}
	end := 0
	for i, s := range x.Spans {
		if s.From < end || s.To <= s.From || s.To > n {
			return fmt.Errorf("span %d: tokens %d to %d of %d, after %d: expected spans ascending and apart", i, s.From, s.To, n, end)
		}
		if s.Part < 0 || s.Part >= parts {
			return fmt.Errorf("span %d: part %d of %d", i, s.Part, parts)
		}
		if !finite(s.Advantage) {
			return fmt.Errorf("token %d: advantage %v", s.From, s.Advantage)
		}
		reference, sampler := need(s.Part)
		if reference && x.Reference == nil {
			return fmt.Errorf("span %d: no log-probabilities of the reference for the KL penalty", i)
		}
		if sampler && x.Sampler == nil {
			return fmt.Errorf("span %d: no log-probabilities of the sampler for the importance weight", i)
		}
		for t := s.From; t < s.To; t++ {
			for _, v := range []struct {
				what   string
				values []float32
			}{{"old", x.Old}, {"reference", x.Reference}, {"sampler's", x.Sampler}} {
				if v.values != nil && !finite(float64(v.values[t])) {
					return fmt.Errorf("token %d: %s log-probability %v", t, v.what, v.values[t])
				}
			}
		}
		end = s.To
	}
	return nil
}

// shape says how values differ from a micro-batch's examples in number.
func shape(v gpu.TokenValues, lengths []int, entropy bool) error {
	if len(v.LogProbs) != len(lengths) || entropy && len(v.Entropy) != len(lengths) {
		return fmt.Errorf("log-probabilities of %d and entropies of %d examples: expected %d", len(v.LogProbs), len(v.Entropy), len(lengths))
	}
	for i, n := range lengths {
		if len(v.LogProbs[i]) != n {
			return fmt.Errorf("example %d: %d log-probabilities: expected %d", i, len(v.LogProbs[i]), n)
		}
		if v.Entropy != nil && len(v.Entropy[i]) != n {
			return fmt.Errorf("example %d: %d entropies: expected %d", i, len(v.Entropy[i]), n)
		}
	}
	return nil
}
