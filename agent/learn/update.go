package learn

import (
	"context"
	"fmt"

	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/agent/grpo"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/gpu"
)

// Report is what an update tells.
type Report struct {
	Credit credit.Result `json:"-"`
	// Parts are the credit's; Steps the loss's numbers for each optimiser step, and of each of its parts.
	Parts   []credit.PartResult      `json:"parts"`
	Rewards map[string]credit.Spread `json:"rewards"`
	Dropped []credit.Dropped         `json:"dropped,omitempty"`
	Short   []credit.Short           `json:"short,omitempty"`
	// Intrinsic is nil where the credit has no such reward. Best is then Φ of the step's tasks after it.
	Intrinsic *IntrinsicReport   `json:"intrinsic,omitempty"`
	Best      map[string]float64 `json:"-"`
	Steps     []StepReport       `json:"steps"` // none where no answer has a gradient
	Samples   int                `json:"samples"`
	Tokens    int                `json:"tokens"` // of the samples, prompts and all
}

// StepReport is one optimiser step.
type StepReport struct {
	grpo.Numbers
	Parts    []grpo.Numbers `json:"parts"`
	GradNorm float64        `json:"grad_norm"` // before clipping
	Rate     float64        `json:"rate"`
}

// Update takes the optimiser steps of one step's episodes. The groups' order is that of their tasks: mini-batches are cut
// from it as it stands, without a shuffle (verl). Old log-probabilities are the trainer's own, before the first of them;
// the reference is the model with the adapter off, or given by reference where all is trained.
func Update(ctx context.Context, trainer gpu.Trainer, cfg Config, groups []Group, reference Reference) (*Report, error) {
	u := update{trainer: trainer, reference: reference}
	report, err := u.begin(cfg, groups)
	if err != nil {
		return nil, err
	}
	if err := u.score(ctx); err != nil {
		return nil, fmt.Errorf("update: %w", err)
	}
	for _, batch := range u.miniBatches() {
		step, err := u.step(ctx, batch)
		if err != nil {
			return nil, fmt.Errorf("update, optimiser step %d: %w", len(report.Steps)+1, err)
		}
		report.Steps = append(report.Steps, *step)
	}
	return report, nil
}

// Credited is what of an update's report follows from its episodes alone: all but the optimiser steps. Their number, which
// follows too, is beside it.
func Credited(cfg Config, groups []Group) (report *Report, steps int, err error) {
	var u update
	if report, err = u.begin(cfg, groups); err != nil {
		return nil, 0, err
	}
	return report, len(u.miniBatches()), nil
}

// begin gives the episodes their credit and lists the samples.
func (u *update) begin(cfg Config, groups []Group) (*Report, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	given := make([]credit.Group, len(groups))
	for i, g := range groups {
		if given[i], err = credited(g, cfg.Expect); err != nil {
			return nil, fmt.Errorf("update: %w", err)
		}
	}
	report := &Report{}
	if cfg.Credit.Intrinsic != 0 {
		if report.Intrinsic, report.Best, err = intrinsic(groups, given); err != nil {
			return nil, fmt.Errorf("update: %w", err)
		}
	}
	result, err := credit.Assign(cfg.Credit, given)
	if err != nil {
		return nil, fmt.Errorf("update: %w", err)
	}
	u.Config = cfg
	for g, group := range groups {
		for i, e := range group.Episodes {
			u.add(e, result.Credits[g][i])
		}
	}
	report.Credit, report.Parts, report.Rewards, report.Dropped, report.Short = result, result.Parts, result.Rewards, result.Dropped, result.Short
	report.Samples = len(u.samples)
	for _, s := range u.samples {
		report.Tokens += len(s.Tokens)
	}
	return report, nil
}

// Reference gives the reference's log-probabilities of answer tokens at a temperature.
type Reference interface {
	LogProbs(ctx context.Context, examples []gpu.Example, how gpu.Scoring) (gpu.TokenValues, error)
}

// update is the samples of a step on their way through the optimiser.
type update struct {
	Config
	trainer   gpu.Trainer
	reference Reference // nil: the trainer with its adapter off
	samples   []sample
	answers   int // sequence numbers given away
	episodes  int
}

// sample is an example with what the loss knows of its tokens.
type sample struct {
	gpu.Example
	tokens  grpo.Tokens
	answers int
}

// add takes an episode's samples in, but those without an answer that learns.
func (u *update) add(e rollout.Episode, credits []credit.Credit) {
	for _, s := range e.Samples() {
		x := sample{Example: s.Example, answers: len(s.Said)}
		x.tokens.Episode = u.episodes
		at := 0
		for _, i := range s.Said {
			said, c := e.Said[i], credits[i]
			x.tokens.Sampler = append(x.tokens.Sampler, said.LogProbs...)
			if c.Learn {
				sequence := u.episodes
				if u.PerSample {
					sequence = u.answers
				}
				x.tokens.Spans = append(x.tokens.Spans, grpo.Span{
					From: at, To: at + len(said.Tokens), Part: c.Part, Advantage: c.Advantage, Sequence: sequence,
				})
			}
			at += len(said.Tokens)
			u.answers++
		}
		if len(x.tokens.Spans) > 0 {
			u.samples = append(u.samples, x)
		}
	}
	u.episodes++
}

// score asks for the log-probabilities before the update and, where a part has the penalty, of the reference.
func (u *update) score(ctx context.Context) error {
	how := gpu.Scoring{Temperature: u.Temperature}
	for _, micro := range u.micro(u.samples) {
		old, err := u.trainer.LogProbs(ctx, examples(micro), how)
		if err != nil {
			return fmt.Errorf("old log-probabilities: %w", err)
		}
		var ref gpu.TokenValues
		if u.KL != 0 {
			from, how := u.reference, how
			if from == nil {
				from, how.Reference = u.trainer, true
			}
			if ref, err = from.LogProbs(ctx, examples(micro), how); err != nil {
				return fmt.Errorf("log-probabilities of the reference: %w", err)
			}
		}
		for i := range micro {
			micro[i].tokens.Old = old.LogProbs[i]
			if u.KL != 0 {
				micro[i].tokens.Reference = ref.LogProbs[i]
			}
		}
	}
	return nil
}

// step is one optimiser step on a mini-batch.
func (u *update) step(ctx context.Context, batch []sample) (*StepReport, error) {
	var micro [][]gpu.Example
	var tokens [][]grpo.Tokens
	for _, m := range u.micro(batch) {
		micro = append(micro, examples(m))
		var all []grpo.Tokens
		for _, s := range m {
			all = append(all, s.tokens)
		}
		tokens = append(tokens, all)
	}
	loss, err := grpo.New(u.Loss, tokens)
	if err != nil {
		return nil, err
	}
	res, err := u.trainer.StepBy(ctx, micro, loss.Scoring(u.Temperature), loss.Objective)
	if err != nil {
		return nil, err
	}
	report := &StepReport{GradNorm: res.GradNorm, Rate: res.Rate}
	report.Numbers, report.Parts = loss.Statistics()
	return report, nil
}

// miniBatches cut the samples after at least MiniBatch answers each. A sample is never cut.
func (u *update) miniBatches() (all [][]sample) {
	if u.MiniBatch == 0 {
		if len(u.samples) == 0 {
			return nil
		}
		return [][]sample{u.samples}
	}
	return cut(u.samples, func(n int, s sample) (int, bool) { return n + s.answers, n > 0 && n >= u.MiniBatch })
}

// micro cuts samples so that none but a single one has more than Micro tokens. The parts share memory with samples.
func (u *update) micro(samples []sample) [][]sample {
	return cut(samples, func(n int, s sample) (int, bool) { return n + len(s.Tokens), n > 0 && n+len(s.Tokens) > u.Micro })
}

// cut begins a new part where next, told what the part has so far and what comes, says so.
func cut[S any](samples []S, next func(has int, s S) (with int, begin bool)) (all [][]S) {
	from, has := 0, 0
	for i, s := range samples {
		with, begin := next(has, s)
		if begin {
			all = append(all, samples[from:i])
			from = i
			with, _ = next(0, s)
		}
		has = with
	}
	if from < len(samples) {
		all = append(all, samples[from:])
	}
	return all
}

func examples(samples []sample) []gpu.Example {
	all := make([]gpu.Example, len(samples))
	for i, s := range samples {
		all[i] = s.Example
	}
	return all
}
