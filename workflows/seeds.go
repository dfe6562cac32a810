package workflows

import (
	"fmt"
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
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
		for _, panel := range s.panels() {
			names = append(names, panelStage(panel.Name))
		}
	case "untrained":
		for _, seed := range s.starts() {
			names = append(names, seeded(step, seed))
		}
	case "teacher", "student", "distilled", "cold_start", "grpo":
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
	for _, role := range []string{"teacher", "student", "distilled"} {
		if !s.Does(role) {
			continue
		}
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
	if s.ColdStart != nil && s.GRPO != nil && s.Does("cold_start") {
		p.ColdStart = s.GRPO.coldStart(s.ColdStart, s.ColdStart.Order)
	}
	return p
}

// panels are those of the evaluation and, where rewards are learnt from, the games that this is done on.
func (s *Spec) panels() []activities.Panel {
	if !s.Does("grpo") && !s.Does("distilled") {
		return s.Evaluation.Panels
	}
	return append(slices.Clone(s.Evaluation.Panels), activities.Panel{Name: trainPanel, Splits: []string{s.Hints.Split}})
}

// trainPanel is the name of the games that GRPO and a distillation learn from.
const trainPanel = "train"

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

// trained runs a fine-tuning under every seed.
func (r *pipelineRun) trained(ctx workflow.Context, step string) error {
	i := slices.IndexFunc(r.Spec.trainings(), func(t Training) bool { return t.Step == step })
	training := r.Spec.trainings()[i]
	return r.seeds(ctx, step, SFT, func(seed uint64) any {
		in := training.input(&r.Spec, seed)
		in.Run, in.Pace, in.Model, in.Dataset = r.Run, r.Pace, r.done[r.Spec.start(seed)], r.done["hints"]
		return in
	})
}

// seeds runs a step's workflow under every seed. All are begun at once, so that as many go on as there are devices; one
// that fails does not hold up the others, whose results a later run finds.
func (r *pipelineRun) seeds(ctx workflow.Context, step string, flow any, in func(seed uint64) any) error {
	seeds := r.Spec.each()
	begun := make([]workflow.ChildWorkflowFuture, len(seeds))
	for i, seed := range seeds {
		begun[i] = r.hand(ctx, seeded(step, seed), flow, in(seed))
	}
	failed := make([]error, len(seeds))
	for i, seed := range seeds {
		failed[i] = r.await(ctx, seeded(step, seed), begun[i])
	}
	return failures(failed...)
}

// grpo trains the policies. One that was asked to stop ends the run: the same spec again goes on from there.
func (r *pipelineRun) grpo(ctx workflow.Context) error {
	games, panel := r.panel(trainPanel), r.panel(r.Spec.GRPO.Validate.Panel)
	return r.seeds(ctx, "grpo", GRPO, func(seed uint64) any {
		return GRPOInput{
			Run: r.Run, Name: seeded("grpo", seed), Start: r.done[r.Spec.grpoStart(seed)], Games: games, Panel: panel,
			GRPO: r.Spec.GRPO.under(seed), Eval: r.Spec.Evaluation, Pace: r.Pace,
		}
	})
}

// panel is a frozen panel by name.
func (r *pipelineRun) panel(name string) FrozenPanel {
	i := slices.IndexFunc(r.frozen, func(p FrozenPanel) bool { return p.Name == name })
	if i < 0 {
		return FrozenPanel{Name: name}
	}
	return r.frozen[i]
}

// grpoStart is the stage whose model GRPO begins from under a seed.
func (s *Spec) grpoStart(seed uint64) string {
	if s.GRPO.Start == "model" {
		return s.start(seed)
	}
	return seeded(s.GRPO.Start, seed)
}

// distilled trains the students on their own play.
func (r *pipelineRun) distilled(ctx workflow.Context) error {
	return r.seeds(ctx, "distilled", Distilled, func(seed uint64) any {
		in := r.Spec.distilledInput(seed, r.done)
		in.Run, in.Games, in.Pace = r.Run, r.panel(trainPanel), r.Pace
		return in
	})
}

// distilledInput is what a distillation under a seed is asked with, of what has been done by stage name.
func (s *Spec) distilledInput(seed uint64, done map[string]artifacts.Digest) DistilledInput {
	start := s.start(seed)
	if s.Distilled.Start != "model" {
		start = seeded(s.Distilled.Start, seed)
	}
	return DistilledInput{
		Name: seeded("distilled", seed), Start: done[start], Teacher: done[seeded("teacher", seed)],
		Games: FrozenPanel{Name: trainPanel, Games: done[panelStage(trainPanel)]}, Distilled: s.Distilled.under(seed), Eval: s.Evaluation, Hints: s.Hints,
	}
}
