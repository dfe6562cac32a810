package activities

import (
	"context"
	"time"

	"github.com/hone-rl/hone/agent/learn"
	"github.com/hone-rl/hone/gpu"
)

// The parts of an update's time: until the policy is there, log-probabilities before the update and of the reference, the
// optimiser's steps, and what is stored.
const (
	spentLoad      = "load"
	spentScore     = "score"
	spentReference = "reference"
	spentUpdate    = "update"
	spentPublish   = "publish"
)

// spend begins to measure a part of an activity's time; the function that it returns ends that. Parts are not begun
// within each other.
func (b *beater) spend(part string) func() {
	begun := b.now()
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.spent == nil {
			b.spent = map[string]time.Duration{}
		}
		b.spent[part] += b.now().Sub(begun)
	}
}

// meter watches an update. With spends its parts are measured; that it goes on is told in any case.
type meter struct {
	beat   *beater
	spends bool
}

// part begins a part of the update; the function that it returns ends that.
func (m meter) part(name string) func() {
	ended := func() {}
	if m.spends {
		ended = m.beat.spend(name)
	}
	return func() {
		ended()
		m.beat.alive()
	}
}

// timedTrainer measures what its trainer is asked for. An update of a large model takes far longer than an activity may go
// without progress: each answer of the trainer is some, and each micro-batch of a step.
type timedTrainer struct {
	gpu.Trainer
	meter
}

func (t timedTrainer) LogProbs(ctx context.Context, examples []gpu.Example, how gpu.Scoring) (gpu.TokenValues, error) {
	part := spentScore
	if how.Reference {
		part = spentReference
	}
	defer t.part(part)()
	return t.Trainer.LogProbs(ctx, examples, how)
}

func (t timedTrainer) StepBy(ctx context.Context, micro [][]gpu.Example, how gpu.Scoring, objective gpu.Objective) (gpu.StepResult, error) {
	defer t.part(spentUpdate)()
	return t.Trainer.StepBy(ctx, micro, how, func(at int, values gpu.TokenValues) (float64, gpu.TokenValues, error) {
		t.beat.alive()
		return objective(at, values)
	})
}

// timedReference measures what a reference, or a teacher, is asked for.
type timedReference struct {
	learn.Reference
	meter
}

// timed is r measured; nil stays nil.
func timed(r learn.Reference, by meter) learn.Reference {
	if r == nil {
		return nil
	}
	return timedReference{r, by}
}

func (t timedReference) LogProbs(ctx context.Context, examples []gpu.Example, how gpu.Scoring) (gpu.TokenValues, error) {
	defer t.part(spentReference)()
	return t.Reference.LogProbs(ctx, examples, how)
}

// heardPolicy tells that play goes on with each answer: the episodes of a large model may take longer, all of them, than
// an activity may go without progress.
type heardPolicy struct {
	gpu.Policy
	beat *beater
}

func (p heardPolicy) Sample(ctx context.Context, requests []gpu.Sampling) ([]gpu.Sampled, error) {
	defer p.beat.alive()
	return p.Policy.Sample(ctx, requests)
}

func (p heardPolicy) Choose(ctx context.Context, requests []gpu.Choice) ([]gpu.Chosen, error) {
	defer p.beat.alive()
	return p.Policy.Choose(ctx, requests)
}
