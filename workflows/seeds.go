package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/hone-rl/hone/activities"
)

// seeded is the name of a stage under a seed; 0 is the run's only one.
func seeded(name string, seed uint64) string {
	if seed == 0 {
		return name
	}
	return fmt.Sprintf("%s/%s", name, activities.SeedName(seed))
}

// each are the seeds that the models are trained with; 0 stands for those of the spec's own fields.
func (s *Spec) each() []uint64 {
	if len(s.Seeds) == 0 {
		return []uint64{0}
	}
	return s.Seeds
}

// starts are the seeds of the models that training starts from: a stored one is the same under all.
func (s *Spec) starts() []uint64 {
	if s.Model.Qwen2 == nil {
		return []uint64{0}
	}
	return s.each()
}

// stages are the names of a step's stages.
func (s *Spec) stages(step string) []string {
	var names []string
	switch step {
	case "panels":
		for _, panel := range s.Evaluation.Panels {
			names = append(names, panelStage(panel.Name))
		}
	case "untrained":
		for _, seed := range s.starts() {
			names = append(names, seeded(step, seed))
		}
	case "teacher", "student":
		for _, seed := range s.each() {
			names = append(names, seeded(step, seed))
		}
	default:
		names = append(names, step)
	}
	return names
}

// models are those that are played, in the order of the report, without their digests.
func (s *Spec) models() []RoleModel {
	var all []RoleModel
	for _, seed := range s.starts() {
		all = append(all, RoleModel{Role: "untrained", Seed: seed})
	}
	for _, role := range []string{"teacher", "student"} {
		for _, seed := range s.each() {
			all = append(all, RoleModel{Role: role, Seed: seed})
		}
	}
	return all
}

// initial is what a new model depends on beside the dataset.
func (s *Spec) initial(seed uint64) activities.InitParameters {
	p := activities.InitParameters{
		Qwen2: *s.Model.Qwen2, Seed: s.Model.Seed,
		Vocabulary: s.Tokenizer.Vocabulary, Split: s.Tokenizer.Split,
		Games: s.Tokenizer.Games, TokenizerSeed: s.Tokenizer.Seed, Prompt: s.Hints.Prompt,
	}
	if seed != 0 {
		p.Seed = seed
	}
	return p
}

// start is the stage whose model training starts from under a seed.
func (s *Spec) start(seed uint64) string {
	if s.Model.Qwen2 == nil {
		seed = 0
	}
	return seeded("untrained", seed)
}

// under is a stage's training under a seed.
func (s SFTSpec) under(seed uint64) SFTSpec {
	if seed != 0 {
		s.Seed, s.Order = seed, seed
	}
	return s
}

// trained runs a training under every seed. All are begun at once, so that as many go on as there are devices; one that
// fails does not hold up the others, whose results a later run finds.
func (r *pipelineRun) trained(ctx workflow.Context, role string, withHint bool, sft SFTSpec) error {
	seeds := r.Spec.each()
	begun := make([]workflow.ChildWorkflowFuture, len(seeds))
	for i, seed := range seeds {
		name := seeded(role, seed)
		begun[i] = r.hand(ctx, name, SFT, SFTInput{
			Run: r.Run, Name: name, Model: r.done[r.Spec.start(seed)], Dataset: r.done["hints"],
			WithHint: withHint, SFT: sft.under(seed), Prompt: r.Spec.Hints.Prompt, Pace: r.Pace,
		})
	}
	failed := make([]error, len(seeds))
	for i, seed := range seeds {
		failed[i] = r.await(ctx, seeded(role, seed), begun[i])
	}
	return failures(failed...)
}
