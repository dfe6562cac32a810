package grpo

import "math"

// sums are what the tokens of a part add up to.
type sums struct {
	tokens, clipped, dual, zero int
	loss, policy                float64 // with weights and shares
	ratio, ratioMax             float64
	k3, drift, entropy          float64
	reference, sampled          int // tokens that have a reference's, a sampler's log-probability
	gap, gapMax                 float64
}

func (s *sums) add(t token, loss, policy, entropy float64, x Tokens) {
	s.tokens++
	s.loss += loss
	s.policy += policy
	s.clipped += one(t.clipped)
	s.dual += one(t.dual)
	s.zero += one(t.advantage == 0)
	s.ratio += t.ratio
	s.ratioMax = max(s.ratioMax, t.ratio)
	s.drift += t.old - t.logp
	s.entropy += entropy
	if x.Reference != nil {
		s.reference++
		s.k3 += t.k3
	}
	if x.Sampler != nil {
		s.sampled++
		gap := math.Abs(t.old - t.sampler)
		s.gap += gap
		s.gapMax = max(s.gapMax, gap)
	}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// plus adds what other counted.
func (s *sums) plus(o sums) {
	s.tokens, s.clipped, s.dual, s.zero = s.tokens+o.tokens, s.clipped+o.clipped, s.dual+o.dual, s.zero+o.zero
	s.loss, s.policy = s.loss+o.loss, s.policy+o.policy
	s.ratio, s.ratioMax = s.ratio+o.ratio, max(s.ratioMax, o.ratioMax)
	s.k3, s.drift, s.entropy = s.k3+o.k3, s.drift+o.drift, s.entropy+o.entropy
	s.reference, s.sampled = s.reference+o.reference, s.sampled+o.sampled
	s.gap, s.gapMax = s.gap+o.gap, max(s.gapMax, o.gapMax)
}

// Numbers are what the log of a step says about some of its tokens. Means and shares are over those tokens, without
// weights; 0 where there are none.
type Numbers struct {
	Name      string  `json:"name"`   // of the part; "" for the whole step
	Tokens    int     `json:"tokens"` // that learn
	Loss      float64 `json:"loss"`   // as it is in the step's loss
	Policy    float64 `json:"policy"` // of it, without penalty and bonus
	KL        float64 `json:"kl"`     // mean k3 to the reference, where it is known
	Drift     float64 `json:"drift"`  // mean log old/new, PPO's own distance
	Entropy   float64 `json:"entropy"`
	Clip      float64 `json:"clip"` // share of tokens where the clip's term stands
	Dual      float64 `json:"dual"` // where the second clip's does
	Zero      float64 `json:"zero"` // share of tokens with advantage 0
	RatioMean float64 `json:"ratio_mean"`
	RatioMax  float64 `json:"ratio_max"`
	GapMean   float64 `json:"gap_mean"` // of |trainer - sampler|, where the sampler's log-probabilities are known
	GapMax    float64 `json:"gap_max"`
}

// Statistics are the numbers of the whole step, then of its parts. Micro-batches that have not been computed are left
// out.
func (s *Step) Statistics() (step Numbers, parts []Numbers) {
	all, each := sums{}, make([]sums, len(s.config.Parts))
	for _, micro := range s.seen {
		for p, seen := range micro {
			each[p].plus(seen)
		}
	}
	for p, part := range s.config.Parts {
		all.plus(each[p])
		n := each[p].numbers()
		n.Name = part.Name
		parts = append(parts, n)
	}
	return all.numbers(), parts
}

func (s sums) numbers() Numbers {
	of := func(sum float64, n int) float64 {
		if n == 0 {
			return 0
		}
		return sum / float64(n)
	}
	return Numbers{
		Tokens: s.tokens, Loss: s.loss, Policy: s.policy,
		KL: of(s.k3, s.reference), Drift: of(s.drift, s.tokens), Entropy: of(s.entropy, s.tokens),
		Clip: of(float64(s.clipped), s.tokens), Dual: of(float64(s.dual), s.tokens), Zero: of(float64(s.zero), s.tokens),
		RatioMean: of(s.ratio, s.tokens), RatioMax: s.ratioMax,
		GapMean: of(s.gap, s.sampled), GapMax: s.gapMax,
	}
}
