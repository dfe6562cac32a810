package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/hone-rl/hone/agent/grpo"
	"github.com/hone-rl/hone/gpu"
)

// DistilConfig says how a student learns on its own play from a teacher who reads more. Fields that are 0 have the
// defaults beside them.
type DistilConfig struct {
	grpo.DistilConfig `yaml:",inline"`
	MiniBatch         int `json:"mini_batch,omitempty" yaml:"mini_batch"`     // answers an optimiser step; 0: all in one
	Micro             int `json:"micro_tokens,omitempty" yaml:"micro_tokens"` // of the student's, a micro-batch; 0 is 4,096
}

func (c DistilConfig) withDefaults() (DistilConfig, error) {
	c.Coefficient = cmp.Or(c.Coefficient, 0.01)
	c.Aggregate = cmp.Or(c.Aggregate, grpo.TokenMean)
	c.Micro = cmp.Or(c.Micro, defaultMicro)
	_, err := grpo.NewDistillation(c.DistilConfig, nil)
	if c.MiniBatch < 0 || c.Micro < 0 {
		err = errors.Join(err, fmt.Errorf("mini_batch %d, micro_tokens %d: expected none below 0", c.MiniBatch, c.Micro))
	}
	if err != nil {
		return c, fmt.Errorf("distillation: %w", err)
	}
	return c, nil
}

// Validate says all that is wrong with c, nil if nothing is.
func (c DistilConfig) Validate() error {
	_, err := c.withDefaults()
	return err
}

// Lesson is a text of the student's own play as it read it and as the teacher does, with the same answers. The texts of an
// episode have its number.
type Lesson struct {
	Student, Teacher gpu.Example
	Episode          int
}

// DistilReport is what a distillation's update tells.
type DistilReport struct {
	Steps   []DistilStep `json:"steps"` // none without lessons
	Lessons int          `json:"lessons"`
	Tokens  int          `json:"tokens"` // of the student's texts, prompts and all
}

// DistilStep is one optimiser step.
type DistilStep struct {
	grpo.DistilNumbers
	GradNorm float64 `json:"grad_norm"` // before clipping
	Rate     float64 `json:"rate"`
}

// Distil takes the optimiser steps on lessons, in their order.
func Distil(ctx context.Context, trainer gpu.Trainer, teacher Reference, cfg DistilConfig, lessons []Lesson) (*DistilReport, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	report := &DistilReport{Lessons: len(lessons)}
	for _, l := range lessons {
		report.Tokens += len(l.Student.Tokens)
	}
	for _, batch := range cut(lessons, func(n int, l Lesson) (int, bool) {
		return n + len(l.Student.Read) + 1, cfg.MiniBatch > 0 && n >= cfg.MiniBatch
	}) {
		step, err := distilStep(ctx, trainer, teacher, cfg, batch)
		if err != nil {
			return nil, fmt.Errorf("distillation, optimiser step %d: %w", len(report.Steps)+1, err)
		}
		report.Steps = append(report.Steps, *step)
	}
	return report, nil
}

func distilStep(ctx context.Context, trainer gpu.Trainer, teacher Reference, cfg DistilConfig, batch []Lesson) (*DistilStep, error) {
	var micro [][]gpu.Example
	var taught [][]grpo.Taught
	for _, part := range cut(batch, func(n int, l Lesson) (int, bool) {
		return n + len(l.Student.Tokens), n > 0 && n+len(l.Student.Tokens) > cfg.Micro
	}) {
		students, teachers := make([]gpu.Example, len(part)), make([]gpu.Example, len(part))
		for i, l := range part {
			students[i], teachers[i] = l.Student, l.Teacher
		}
		values, err := teacher.LogProbs(ctx, teachers, gpu.Scoring{})
		if err != nil {
			return nil, fmt.Errorf("log-probabilities of the teacher: %w", err)
		}
		all := make([]grpo.Taught, len(part))
		for i, l := range part {
			n := len(values.LogProbs[i])
			if said := len(l.Student.Learned()); said != n {
				return nil, fmt.Errorf("lesson of episode %d: %d tokens of answers, the teacher's %d: expected the same", l.Episode, said, n)
			}
			all[i] = grpo.Taught{Teacher: values.LogProbs[i], Spans: []grpo.Span{{From: 0, To: n, Sequence: l.Episode}}, Episode: l.Episode}
		}
		micro, taught = append(micro, students), append(taught, all)
	}
	loss, err := grpo.NewDistillation(cfg.DistilConfig, taught)
	if err != nil {
		return nil, err
	}
	res, err := trainer.StepBy(ctx, micro, gpu.Scoring{}, loss.Objective)
	if err != nil {
		return nil, err
	}
	return &DistilStep{DistilNumbers: loss.Statistics(), GradNorm: res.GradNorm, Rate: res.Rate}, nil
}
