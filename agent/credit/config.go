package credit

import (
	"errors"
	"fmt"
	"slices"
)

// Signal is what a sample is credited with, before it is compared with others.
type Signal string

const (
	// WholeEpisode is the episode's whole reward, the same for each of its samples, less the penalty of the sample's own
	// answer. GRPO (Shao et al. 2024) as verl-agent has it.
	WholeEpisode Signal = "episode"
	// Discounted is the return from the sample on, G_t = r_t + γ·G_{t+1} over the part's samples, less the penalty of
	// its own answer, which is not discounted backwards (GiGPO, eq. 5; RetroAgent; Skill1's released loop).
	Discounted Signal = "discounted"
	// Anchored is WholeEpisode's advantage plus StepWeight times that of Discounted among samples in the same state
	// (GiGPO, Feng et al. 2025, eq. 6 to 8).
	Anchored Signal = "anchored"
	// OwnReward is the sample's own reward and nothing else: no penalty, no factor (Skill1, eq. 6 and 7).
	OwnReward Signal = "own"
)

// Baseline is what a sample is compared with.
type Baseline string

const (
	// OfRollouts is one value for each rollout of the task: that of its first sample in the part.
	OfRollouts Baseline = "rollouts"
	// OfSamples is every sample of the task's rollouts, so long episodes weigh more (verl-agent's
	// compute_mean_std_cross_steps).
	OfSamples Baseline = "samples"
	// NoBaseline leaves the value as it is.
	NoBaseline Baseline = "none"
)

// Scale is what the difference to the baseline's mean is divided by.
type Scale string

// The scales.
const (
	ByStd    Scale = "std"  // the unbiased standard deviation + 1e-6 (mean_std_norm)
	Unscaled Scale = "none" // nothing (mean_norm; Dr. GRPO, Liu et al. 2025)
)

// Loss is the loss that an advantage goes into.
type Loss string

// The losses; package grpo has their formulas.
const (
	Clipped   Loss = "clipped"   // PPO's, with both clips
	Reinforce Loss = "reinforce" // -A·log π
)

// Single is what becomes of the only value that a mean could be taken over.
type Single string

const (
	// KeepSingle leaves it as it is, as if the mean were 0 and the deviation 1: what the sources do for episodes.
	KeepSingle Single = "keep"
	// ZeroSingle makes it 0: without another nothing is known. Within anchors every source does so, and so do we.
	ZeroSingle Single = "zero"
)

// Drop is which groups go out of the gradient for having nothing to tell: without it their tokens have advantage 0 and
// still feel the KL penalty and the entropy bonus. It never concerns a part without a baseline.
type Drop string

// The ways of dropping. A group of one episode has one outcome, so DropOutcomes drops it.
const (
	DropNone     Drop = ""
	DropOutcomes Drop = "outcomes" // all episodes have the same reward (DAPO, Yu et al. 2025; verl-agent); not parts of OwnReward
	DropZeros    Drop = "zeros"    // each advantage is 0
)

// Part is one term of the objective: some phases, compared among themselves. A phase is in one part at most.
type Part struct {
	Name     string   `json:"name" yaml:"name"`
	Phases   []Phase  `json:"phases" yaml:"phases"` // whose samples make the returns and the statistics
	Signal   Signal   `json:"signal" yaml:"signal"`
	Baseline Baseline `json:"baseline" yaml:"baseline"`
	Scale    Scale    `json:"scale" yaml:"scale"`
	Loss     Loss     `json:"loss" yaml:"loss"`
	Weight   float64  `json:"weight" yaml:"weight"` // λ; 0: no gradient
}

// Config says how a step's episodes become advantages. [Named] has the published ones.
type Config struct {
	Parts []Part `json:"parts" yaml:"parts"`
	// Train are the phases in the gradient; none: all that have a part. A phase that is left out still counts in returns
	// and statistics.
	Train []Phase `json:"train,omitempty" yaml:"train"`
	// Win is the reward of a won episode, at its last turn: 1 in Skill1's paper, 10 in verl-agent and its kin.
	Win float64 `json:"win" yaml:"win"`
	// Gamma is γ, from sample to sample.
	Gamma float64 `json:"gamma,omitempty" yaml:"gamma"`
	// Penalty is taken off an invalid answer's value.
	Penalty float64 `json:"penalty,omitempty" yaml:"penalty"`
	// Own is what the own rewards of query, rank and distil are multiplied by as they enter discounted returns, 0 for a
	// phase that is not named. (Skill1's released loop puts λ here.)
	Own map[Phase]float64 `json:"own,omitempty" yaml:"own"`
	// Intrinsic is what an episode's bonus is multiplied by as it joins the win at the last turn; 0: none. (RetroAgent: 1.)
	Intrinsic float64 `json:"intrinsic,omitempty" yaml:"intrinsic"`
	// StepWeight is ω of GiGPO's eq. 8.
	StepWeight float64 `json:"step_weight,omitempty" yaml:"step_weight"`
	// Similarity is how alike two states must be to be one, by [Ratio] to the first of its kind in the group; 0: equal.
	Similarity float64 `json:"similarity,omitempty" yaml:"similarity"`
	Single     Single  `json:"single,omitempty" yaml:"single"` // "" is keep
	Drop       Drop    `json:"drop,omitempty" yaml:"drop"`
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
	names, phases := map[string]bool{}, map[Phase]bool{}
	for i, p := range c.Parts {
		expect(p.Name != "" && !names[p.Name], "parts[%d].name %q: expected another for each part", i, p.Name)
		names[p.Name] = true
		expect(len(p.Phases) > 0, "parts[%d].phases: expected at least one", i)
		for _, phase := range p.Phases {
			expect(phase.rank() >= 0, "parts[%d].phases: %q: expected of %v", i, phase, Phases)
			expect(!phases[phase], "parts[%d].phases: %s is in two", i, phase)
			phases[phase] = true
		}
		oneOf(expect, i, "signal", p.Signal, WholeEpisode, Discounted, Anchored, OwnReward)
		oneOf(expect, i, "baseline", p.Baseline, OfRollouts, OfSamples, NoBaseline)
		oneOf(expect, i, "scale", p.Scale, ByStd, Unscaled)
		oneOf(expect, i, "loss", p.Loss, Clipped, Reinforce)
		expect(p.Baseline != NoBaseline || p.Signal != Anchored && p.Scale == Unscaled,
			"parts[%d].baseline none: expected scale none, and another signal than anchored", i)
		expect(p.Weight >= 0 && finite(p.Weight), "parts[%d].weight %v: expected 0 or more", i, p.Weight)
	}
	for _, phase := range c.Train {
		expect(phases[phase], "train: %q is in no part", phase)
	}
	expect(finite(c.Win), "win %v: expected a number", c.Win)
	expect(c.Gamma >= 0 && c.Gamma <= 1, "gamma %v: expected 0 to 1", c.Gamma)
	expect(c.Penalty >= 0 && finite(c.Penalty), "penalty %v: expected 0 or more", c.Penalty)
	for _, phase := range Phases {
		expect(finite(c.Own[phase]), "own.%s %v: expected a number", phase, c.Own[phase])
	}
	for phase := range c.Own {
		expect(phase == Query || phase == Rank || phase == Distil, "own: %q: expected query, rank or distil", phase)
	}
	expect(c.Intrinsic >= 0 && finite(c.Intrinsic), "intrinsic %v: expected 0 or more", c.Intrinsic)
	expect(finite(c.StepWeight), "step_weight %v: expected a number", c.StepWeight)
	expect(c.Similarity >= 0 && c.Similarity <= 1, "similarity %v: expected 0 to 1", c.Similarity)
	expect(slices.Contains([]Single{"", KeepSingle, ZeroSingle}, c.Single), "single %q: expected keep or zero", c.Single)
	expect(slices.Contains([]Drop{DropNone, DropOutcomes, DropZeros}, c.Drop), "drop %q: expected outcomes or zeros", c.Drop)
	return errors.Join(wrong...)
}

func oneOf[T ~string](expect func(bool, string, ...any), part int, field string, got T, want ...T) {
	expect(slices.Contains(want, got), "parts[%d].%s %q: expected of %v", part, field, got, want)
}

// part is the index of the phase's part, -1 if it has none.
func (c Config) part(phase Phase) int {
	return slices.IndexFunc(c.Parts, func(p Part) bool { return slices.Contains(p.Phases, phase) })
}

// learns says whether a phase's tokens are in the gradient.
func (c Config) learns(phase Phase) bool {
	i := c.part(phase)
	return i >= 0 && c.Parts[i].Weight != 0 && (len(c.Train) == 0 || slices.Contains(c.Train, phase))
}
