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
// within each other. A nil *beater measures nothing.
func (b *beater) spend(part string) func() {
	if b == nil {
		return func() {}
	}
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

// timedTrainer measures what its trainer is asked for.
type timedTrainer struct {
	gpu.Trainer
	beat *beater
}

func (t timedTrainer) LogProbs(ctx context.Context, examples []gpu.Example, how gpu.Scoring) (gpu.TokenValues, error) {
	part := spentScore
	if how.Reference {
		part = spentReference
	}
	defer t.beat.spend(part)()
	return t.Trainer.LogProbs(ctx, examples, how)
}

func (t timedTrainer) StepBy(ctx context.Context, micro [][]gpu.Example, how gpu.Scoring, objective gpu.Objective) (gpu.StepResult, error) {
	defer t.beat.spend(spentUpdate)()
	return t.Trainer.StepBy(ctx, micro, how, objective)
}

// timedReference measures what a reference, or a teacher, is asked for.
type timedReference struct {
	learn.Reference
	beat *beater
}

// timed is r measured; nil stays nil.
func timed(r learn.Reference, beat *beater) learn.Reference {
	if r == nil {
		return nil
	}
	return timedReference{r, beat}
}

func (t timedReference) LogProbs(ctx context.Context, examples []gpu.Example, how gpu.Scoring) (gpu.TokenValues, error) {
	defer t.beat.spend(spentReference)()
	return t.Reference.LogProbs(ctx, examples, how)
}
