package workflows

import (
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// CourseState is how far a training is.
type CourseState struct {
	Step        int                    `json:"step"`   // that is done
	Policy      artifacts.Digest       `json:"policy"` // after it
	Library     artifacts.Digest       `json:"library,omitempty"`
	Models      []activities.StepModel `json:"models"` // whose weights are kept: the start, and each checkpoint
	Validations []Validated            `json:"validations,omitempty"`
	Excluded    int                    `json:"excluded,omitempty"` // episodes that the clock ended
	Examples    []string               `json:"examples,omitempty"` // the first of them
	Redone      []activities.Work      `json:"redone,omitempty"`   // activities that took more than one attempt
	Times       []activities.StepTime  `json:"times,omitempty"`
	Last        string                 `json:"last,omitempty"` // the last step's figures
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
	Score  float64          `json:"score,omitempty"` // as in activities.Validation
}

// course is a training of a policy by steps, each a chain of activities, over as many workflow runs as it takes.
type course struct {
	*progress
	name         string
	start, games artifacts.Digest
	steps, chain int
	pace         Pace
	figures      func() string // of what has been played beside the steps; nil: none

	key   artifacts.Digest
	at    CourseState
	here  int // steps in this workflow run
	phase string
}

func (c *course) setup(ctx workflow.Context, at *CourseState) (err error) {
	if c.progress, err = newProgress(ctx, c.name); err != nil {
		return err
	}
	c.at = CourseState{Policy: c.start, Models: []activities.StepModel{{Model: c.start}}, Started: workflow.Now(ctx)}
	if at != nil {
		c.at = *at
	}
	c.at.Told.listen(ctx, func() { c.show(c.phase) })
	c.show("")
	return nil
}

// run goes through the training as a stage of a run.
func (c *course) run(ctx workflow.Context, run string, d draft, train func(workflow.Context) (*outcome, error)) (*StageResult, error) {
	st, err := d.stage()
	if err != nil {
		return nil, err
	}
	return stageSince(ctx, c.at.Started, c.pace, c.progress, activities.StageInput{Run: run, Name: c.name, Stage: st},
		func(key artifacts.Digest) (*outcome, error) {
			c.key = key
			return train(ctx)
		})
}

// walk takes the steps that are left. It ends early where it is asked to stop. After so many steps another workflow run
// goes on, with a history of its own: goOn is the error that begins it.
func (c *course) walk(ctx workflow.Context, step func(workflow.Context) error, goOn func(*CourseState) error) error {
	for c.at.Step < c.steps {
		if err := ctx.Err(); err != nil {
			return err // the run that would go on is not the one that was cancelled
		}
		if err := c.hold(ctx); err != nil {
			return err
		}
		if c.at.Told.Stop && c.at.Step > 0 {
			break
		}
		if c.here == c.chain {
			c.at.Told.drain(ctx)
			return goOn(&c.at)
		}
		if err := step(ctx); err != nil {
			return err
		}
		c.here++
	}
	return nil
}

// hold waits while the training is paused.
func (c *course) hold(ctx workflow.Context) error {
	if !c.at.Told.Paused || c.at.Told.Stop {
		return nil
	}
	c.show("paused")
	return workflow.Await(ctx, func() bool { return !c.at.Told.Paused || c.at.Told.Stop })
}

// update is the end of a step.
func (c *course) update(ctx workflow.Context, in activities.UpdateInput) error {
	var res activities.UpdateResult
	if err := c.do(ctx, fmt.Sprintf("update %d", in.Step), do.UpdatePolicy, in, &res); err != nil {
		return err
	}
	c.redone(res.Work)
	c.spent(in.Step, res.Work, timeUpdate)
	c.at.Step, c.at.Policy, c.at.Last = in.Step, res.Policy, res.Note
	if res.Model != "" {
		c.at.Models = append(c.at.Models, activities.StepModel{Step: in.Step, Model: res.Model})
	}
	return nil
}

// publish stores what the training came to. Where it ended between two checkpoints, its last policy is kept first.
func (c *course) publish(ctx workflow.Context, best int) (*outcome, error) {
	c.show("publishing")
	if last := c.at.Models[len(c.at.Models)-1]; last.Step < c.at.Step {
		var res activities.UpdateResult
		if err := c.do(ctx, "keep "+c.name, do.StorePolicy, activities.StorePolicyInput{Policy: c.at.Policy}, &res); err != nil {
			return nil, err
		}
		c.at.Models = append(c.at.Models, activities.StepModel{Step: c.at.Step, Model: res.Model})
	}
	in := activities.OutcomeInput{
		Key: c.key, Start: c.start, Games: c.games, Policy: c.at.Policy, Library: c.at.Library, Models: c.at.Models,
		Best: best, Stopped: c.at.Step < c.steps,
	}
	for _, v := range c.at.Validations {
		in.Validations = append(in.Validations, v.Digest)
	}
	var res activities.OutcomeResult
	if err := c.do(ctx, "publish "+c.name, do.PublishOutcome, in, &res); err != nil {
		return nil, err
	}
	out := &outcome{digest: res.Digest, note: res.Note, work: append(c.at.Redone, res.Work), times: c.at.Times}
	if in.Stopped {
		out.stopped = c.at.Step
		out.note = fmt.Sprintf("stopped after step %d of %d; %s", c.at.Step, c.steps, res.Note)
	}
	if n := c.at.Excluded; n > 0 {
		out.note += fmt.Sprintf("; %d episodes excluded by the clock, the first: %s", n, strings.Join(c.at.Examples, ", "))
	}
	return out, nil
}

// do runs an activity of a device's.
func (c *course) do(ctx workflow.Context, summary string, what, in, res any) error {
	return workflow.ExecuteActivity(long(ctx, QueueGPU, c.pace, summary), what, in).Get(ctx, res)
}

// mostRedone bounds what a long training carries from workflow run to workflow run.
const mostRedone = 100

func (c *course) redone(w activities.Work) {
	if w.Attempt > 1 && len(c.at.Redone) < mostRedone {
		c.at.Redone = append(c.at.Redone, w)
	}
}

// show tells how far the training is, and what it is at.
func (c *course) show(phase string) {
	c.phase = phase
	c.count(c.name, c.at.Step, c.steps, "steps")
	var parts []string
	played := ""
	if c.figures != nil {
		played = c.figures()
	}
	for _, part := range []string{phase, c.told(), c.at.Last, played} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	c.of(c.name).Note = strings.Join(parts, "; ")
}

// told is what is going to be heeded.
func (c *course) told() string {
	switch {
	case c.at.Told.Stop:
		return "will stop after this step"
	case c.at.Told.Paused && c.phase != "paused":
		return "will pause after this step"
	}
	return ""
}
