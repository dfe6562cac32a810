package workflows

import (
	"fmt"
	"strings"
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
	*progress
	key  artifacts.Digest
	at   GRPOState
	here int // steps in this workflow run

	phase string
}

func (r *grpoRun) setup(ctx workflow.Context) (err error) {
	if r.progress, err = newProgress(ctx, r.Name); err != nil {
		return err
	}
	r.at = GRPOState{Policy: r.Start, Models: []activities.StepModel{{Model: r.Start}}, Started: workflow.Now(ctx)}
	if r.At != nil {
		r.at = *r.At
	}
	r.at.Told.listen(ctx, func() { r.show(r.phase) })
	r.show("")
	return nil
}

func (r *grpoRun) train(ctx workflow.Context) (*outcome, error) {
	if r.At == nil {
		if err := r.begin(ctx); err != nil {
			return nil, err
		}
	}
	for r.at.Step < r.GRPO.Steps {
		if err := r.hold(ctx); err != nil {
			return nil, err
		}
		if r.at.Told.Stop && r.at.Step > 0 {
			break
		}
		if r.here == r.GRPO.Chain {
			return nil, r.goOn(ctx)
		}
		if err := r.step(ctx); err != nil {
			return nil, err
		}
		r.here++
	}
	return r.publish(ctx)
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

// hold waits while the training is paused.
func (r *grpoRun) hold(ctx workflow.Context) error {
	if !r.at.Told.Paused || r.at.Told.Stop {
		return nil
	}
	r.show("paused")
	return workflow.Await(ctx, func() bool { return !r.at.Told.Paused || r.at.Told.Stop })
}

// goOn is the error that has a new workflow run, with a history of its own, go on from here.
func (r *grpoRun) goOn(ctx workflow.Context) error {
	r.at.Told.drain(ctx)
	next := r.GRPOInput
	next.At = &r.at
	return workflow.NewContinueAsNewError(ctx, GRPO, next)
}

// publish stores what the training came to.
func (r *grpoRun) publish(ctx workflow.Context) (*outcome, error) {
	r.show("publishing")
	in := activities.OutcomeInput{
		Key: r.key, Start: r.Start, Games: r.Games.Games, Policy: r.at.Policy, Library: r.at.Library, Models: r.at.Models,
		Best: r.best(), Stopped: r.at.Step < r.GRPO.Steps,
	}
	for _, v := range r.at.Validations {
		in.Validations = append(in.Validations, v.Digest)
	}
	var res activities.OutcomeResult
	if err := workflow.ExecuteActivity(long(ctx, QueueGPU, r.Pace, "publish "+r.Name), do.PublishOutcome, in).Get(ctx, &res); err != nil {
		return nil, err
	}
	out := &outcome{digest: res.Digest, note: res.Note, work: append(r.at.Redone, res.Work)}
	if in.Stopped {
		out.stopped = r.at.Step
		out.note = fmt.Sprintf("stopped after step %d of %d; %s", r.at.Step, r.GRPO.Steps, res.Note)
	}
	if n := r.at.Excluded; n > 0 {
		out.note += fmt.Sprintf("; %d episodes excluded by the clock, the first: %s", n, strings.Join(r.at.Examples, ", "))
	}
	return out, nil
}
