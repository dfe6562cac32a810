package workflows

import (
	"fmt"
	"slices"
	"strings"
)

// Optional are the steps that a spec may leave out, in their order. Panels, hints and the model to start from are made
// where one of them needs them.
var Optional = []string{"teacher", "student", "distilled", "cold_start", "grpo", "evaluation"}

// usual are the steps of a spec that names none.
var usual = []string{"teacher", "student", "evaluation"}

// Does says whether the run has a step of Optional.
func (s *Spec) Does(step string) bool {
	if len(s.Stages) == 0 {
		return slices.Contains(usual, step)
	}
	return slices.Contains(s.Stages, step)
}

// steps are those of Steps that the run has.
func (s *Spec) steps() []string {
	return slices.DeleteFunc(slices.Clone(Steps), func(step string) bool {
		if step == "report" {
			step = "evaluation"
		}
		if step == "hints" {
			return !s.records()
		}
		return slices.Contains(Optional, step) && !s.Does(step)
	})
}

// CheckUntil refuses what is no step of the run; "" is all of them.
func (s *Spec) CheckUntil(step string) error {
	if steps := s.steps(); step != "" && !slices.Contains(steps, step) {
		return fmt.Errorf("until %q: expected a step of this run: %s", step, strings.Join(steps, ", "))
	}
	return nil
}

// records says whether anything is made of the experts' records: what is trained on them, or a new model's tokenizer.
func (s *Spec) records() bool {
	return s.Model.Qwen2 != nil || slices.ContainsFunc([]string{"teacher", "student", "distilled", "cold_start"}, s.Does)
}

// BFloat16 says whether the spec has a training compute in bf16, as on a GPU.
func (s *Spec) BFloat16() bool {
	all := []string{s.Teacher.DType, s.Student.DType}
	if s.ColdStart != nil {
		all = append(all, s.ColdStart.DType)
	}
	if s.Distilled != nil {
		all = append(all, s.Distilled.Optimiser.DType)
	}
	if s.GRPO != nil {
		all = append(all, s.GRPO.Optimiser.DType)
	}
	return slices.Contains(all, "bfloat16")
}

// trainings are the fine-tunings that the run has, by step.
func (s *Spec) trainings() []Training {
	all := []Training{{"teacher", true, s.Teacher}, {"student", false, s.Student}}
	if s.ColdStart != nil && s.GRPO != nil {
		all = append(all, Training{Step: "cold_start", SFT: s.ColdStart.SFTSpec})
	}
	return slices.DeleteFunc(all, func(t Training) bool { return !s.Does(t.Step) })
}

// Training is a fine-tuning of a run.
type Training struct {
	Step     string
	WithHint bool
	SFT      SFTSpec
}

// input is the training's under a seed, without its model, dataset and pace.
func (t Training) input(s *Spec, seed uint64) SFTInput {
	in := SFTInput{Name: seeded(t.Step, seed), WithHint: t.WithHint, SFT: t.SFT.under(seed), Prompt: s.Hints.Prompt}
	if t.Step == "cold_start" {
		in.Prompt, in.ColdStart = "", s.GRPO.coldStart(s.ColdStart, in.SFT.Order)
	}
	return in
}

// undone complains of what a spec says of a step that it has not: it would do nothing.
func (d *document) undone(s *Spec) (wrong []error) {
	for _, step := range []string{"teacher", "student", "distilled", "cold_start", "grpo"} {
		used := s.Does(step) || step == "grpo" && s.Does("cold_start") // which teaches grpo's forms
		if d.lines[step] != 0 && !used {
			wrong = append(wrong, fmt.Errorf("%s: expected it among stages, or left out", step))
		}
	}
	return wrong
}
