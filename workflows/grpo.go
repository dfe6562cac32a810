package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/hone-rl/hone/activities"
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

	At *GRPOState `json:"at,omitempty"` // nil: from the beginning
}

// GRPOState is how far a training is.
type GRPOState struct {
	Step        int                    `json:"step"`   // that is done
	Policy      artifacts.Digest       `json:"policy"` // after it
	Library     artifacts.Digest       `json:"library,omitempty"`
	Models      []activities.StepModel `json:"models"` // whose weights are kept: the start, and each checkpoint
	Validations []Validated            `json:"validations,omitempty"`
	Excluded    int                    `json:"excluded,omitempty"` // episodes that the clock ended
	Examples    []string               `json:"examples,omitempty"` // the first of them
	Redone      []activities.Work      `json:"redone,omitempty"`   // activities that took more than one attempt
	Last        string                 `json:"last,omitempty"`     // the last step's figures
	Started     time.Time              `json:"started"`
	Told        control                `json:"told"`
}

// Validated is a panel played by a policy.
type Validated struct {
	Step   int              `json:"step"`
	With   bool             `json:"with"` // skills
	Digest artifacts.Digest `json:"digest"`
	Count  int              `json:"count"`
	Won    int              `json:"won"`
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
	st, err := in.GRPO.draft(in.Eval, in.Start, in.Games.Games, in.Panel.Games).stage()
	if err != nil {
		return nil, err
	}
	return stageSince(ctx, r.at.Started, in.Pace, r.progress, activities.StageInput{Run: in.Run, Name: in.Name, Stage: st},
		func(key artifacts.Digest) (*outcome, error) {
			r.key = key
			return r.train(ctx)
		})
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
	err := r.walk(ctx, r.step, func(at *GRPOState) error {
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
	if r.at.Library = r.GRPO.Bank; r.at.Library == "" && r.GRPO.Library != nil {
		res, err := r.learn(ctx, nil)
		if err != nil {
			return err
		}
		r.at.Library = res.Library
	}
	return r.validate(ctx)
}
