package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/hone-rl/hone/artifacts"
)

// GRPOInput asks for a policy trained by rewards, or for the rest of such a training.
type GRPOInput struct {
	Run   string           `json:"run"`
	Name  string           `json:"name"` // "grpo", "grpo/seed-1"
	Start artifacts.Digest `json:"start"`
	Games FrozenPanel      `json:"games"` // that are learnt from
	Panel FrozenPanel      `json:"panel"` // that is validated on
	GRPO  GRPOSpec         `json:"grpo"`
	Eval  EvaluationSpec   `json:"eval"` // bounds of games
	Pace  Pace             `json:"pace"`

	At *CourseState `json:"at,omitempty"` // nil: from the beginning
}

// GRPO trains a policy by what its own episodes come to: before the first step a panel is played; each step plays games in
// groups, takes what they teach into the skill library, and updates the policy; every so many steps the panel is played
// again. It can be paused, resumed and stopped between steps (SignalControl). A stopped training is not the stage's result:
// the same training again finds what each of its steps has made, and goes on behind it.
func GRPO(ctx workflow.Context, in GRPOInput) (*StageResult, error) {
	r := &grpoRun{GRPOInput: in}
	if err := r.setup(ctx); err != nil {
		return nil, err
	}
	return r.run(ctx, in.Run, in.GRPO.draft(in.Eval, in.Start, in.Games.Games, in.Panel.Games), r.train)
}

type grpoRun struct {
	GRPOInput
	course
}

func (r *grpoRun) setup(ctx workflow.Context) error {
	r.course = course{name: r.Name, start: r.Start, games: r.Games.Games, steps: r.GRPO.Steps, chain: r.GRPO.Chain, pace: r.Pace}
	r.figures = r.validated
	return r.course.setup(ctx, r.At)
}

func (r *grpoRun) train(ctx workflow.Context) (*outcome, error) {
	if r.At == nil {
		if err := r.begin(ctx); err != nil {
			return nil, err
		}
	}
	err := r.walk(ctx, r.step, func(at *CourseState) error {
		next := r.GRPOInput
		next.At = at
		return workflow.NewContinueAsNewError(ctx, GRPO, next)
	})
	if err != nil {
		return nil, err
	}
	return r.publish(ctx, r.best())
}

// begin makes the library to begin with and plays the panel with the model that training starts from.
func (r *grpoRun) begin(ctx workflow.Context) error {
	switch {
	case r.GRPO.Library == nil:
	case r.GRPO.Bank != "" && workflow.GetVersion(ctx, "bank", workflow.DefaultVersion, 1) == workflow.DefaultVersion:
		r.at.Library = r.GRPO.Bank // begun when every bank was a stored library
	default:
		res, err := r.learn(ctx, nil)
		if err != nil {
			return err
		}
		r.at.Library = res.Library
	}
	return r.validate(ctx)
}
