package grpo

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hone-rl/hone/agent/credit"
)

// Aggregate is how the losses of a part's tokens make one number.
type Aggregate string

const (
	// TokenMean is the mean over all tokens of the step.
	TokenMean Aggregate = "token-mean"
	// SequenceMean is the mean over sequences of the mean over each one's tokens: the 1/|τ| of Skill1's appendix B where a
	// sequence is an episode, verl's seq-mean-token-mean where it is a sample.
	SequenceMean Aggregate = "sequence-mean"
	// SequenceSum is the mean over sequences of the sum over each one's tokens (GRPO without length normalisation).
	SequenceSum Aggregate = "sequence-sum"
	// EpisodeSum is the sum over a part's tokens over the number of the step's episodes, those that have none of the part
	// among them: the mean over all N·G episodes of log π of the whole answer (Skill1, eq. 9).
	EpisodeSum Aggregate = "episode-sum"
	// MicroMean is verl's: the mean over micro-batches of the mean over each one's tokens. It alone depends on how the
	// step is divided.
	MicroMean Aggregate = "micro-mean"
)

// The defaults: verl's, which Skill1, GiGPO, SkillRL and RetroAgent all train with.
const (
	DefaultClip    = 0.2 // ε (Schulman et al. 2017)
	DefaultDual    = 3.0 // c (Ye et al. 2020)
	DefaultKLLimit = 10.0
)

// Part is a term of the loss.
type Part struct {
	Name      string      `json:"name" yaml:"name"`
	Loss      credit.Loss `json:"loss" yaml:"loss"`
	Weight    float64     `json:"weight" yaml:"weight"` // λ, of all that the part's tokens add
	Aggregate Aggregate   `json:"aggregate" yaml:"aggregate"`
	KL        float64     `json:"kl,omitempty" yaml:"kl"`           // coefficient of k3; published: 0.01
	Entropy   float64     `json:"entropy,omitempty" yaml:"entropy"` // coefficient of the bonus; verl's default: 0.001
}

// Config says how a step's loss is computed. Fields that are 0 have the defaults above.
type Config struct {
	Parts    []Part  `json:"parts" yaml:"parts"`
	ClipLow  float64 `json:"clip_low,omitempty" yaml:"clip_low"`   // the ratio is cut at 1 - ClipLow
	ClipHigh float64 `json:"clip_high,omitempty" yaml:"clip_high"` // and 1 + ClipHigh (DAPO, Yu et al. 2025, has 0.28)
	Dual     float64 `json:"dual,omitempty" yaml:"dual"`           // with a negative advantage A a token's loss is at most -A·Dual; below 0: no bound
	// KLLimit bounds a token's k3, beyond which it has no gradient; below 0: no bound.
	KLLimit float64 `json:"kl_limit,omitempty" yaml:"kl_limit"`
	// Cap bounds the weight exp(old - sampler) of a token's policy loss (truncated importance sampling, Yao et al. 2025);
	// 0: no weight.
	Cap float64 `json:"cap,omitempty" yaml:"cap"`
}

// Parts are the terms for a credit's parts: the clipped ones with the aggregate and both penalties, and those by
// REINFORCE as Skill1's eq. 9 has it: whole answers over all episodes, and no penalty.
func Parts(c credit.Config, aggregate Aggregate, kl, entropy float64) []Part {
	parts := make([]Part, len(c.Parts))
	for i, p := range c.Parts {
		parts[i] = Part{Name: p.Name, Loss: p.Loss, Weight: p.Weight, Aggregate: EpisodeSum}
		if p.Loss == credit.Clipped {
			parts[i].Aggregate, parts[i].KL, parts[i].Entropy = aggregate, kl, entropy
		}
	}
	return parts
}

// withDefaults is c with numbers in the place of zeros.
func (c Config) withDefaults() Config {
	c.ClipLow, c.ClipHigh = or(c.ClipLow, DefaultClip), or(c.ClipHigh, DefaultClip)
	c.Dual, c.KLLimit = or(c.Dual, DefaultDual), or(c.KLLimit, DefaultKLLimit)
	if c.Dual < 0 {
		c.Dual = math.Inf(1)
	}
	if c.KLLimit < 0 {
		c.KLLimit = math.Inf(1)
	}
	return c
}

func or(x, otherwise float64) float64 {
	if x == 0 {
		return otherwise
	}
	return x
}

// Check says all that is wrong with a configuration, in one error.
func (c Config) Check() error {
	var wrong []error
	expect := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Errorf(format, args...))
		}
	}
	expect(len(c.Parts) > 0, "parts: expected at least one")
	for i, p := range c.Parts {
		expect(p.Loss == credit.Clipped || p.Loss == credit.Reinforce, "parts[%d].loss %q: expected clipped or reinforce", i, p.Loss)
		expect(p.Weight >= 0 && finite(p.Weight), "parts[%d].weight %v: expected 0 or more", i, p.Weight)
		expect(p.Aggregate.known(), "parts[%d].aggregate %q: expected of %v", i, p.Aggregate, aggregates)
		expect(p.KL >= 0 && finite(p.KL), "parts[%d].kl %v: expected 0 or more", i, p.KL)
		expect(p.Entropy >= 0 && finite(p.Entropy), "parts[%d].entropy %v: expected 0 or more", i, p.Entropy)
	}
	expect(c.ClipLow >= 0 && c.ClipLow <= 1, "clip_low %v: expected 0 to 1", c.ClipLow)
	expect(c.ClipHigh >= 0 && finite(c.ClipHigh), "clip_high %v: expected 0 or more", c.ClipHigh)
	expect(c.Dual <= 0 || c.Dual > 1 && finite(c.Dual), "dual %v: expected above 1, or below 0 for none", c.Dual)
	expect(finite(c.KLLimit), "kl_limit %v: expected a number", c.KLLimit)
	expect(c.Cap >= 0 && finite(c.Cap), "cap %v: expected 0 or more", c.Cap)
	return errors.Join(wrong...)
}

var aggregates = []Aggregate{TokenMean, SequenceMean, SequenceSum, EpisodeSum, MicroMean}

func (a Aggregate) known() bool { return slices.Contains(aggregates, a) }

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
