package workflows

import (
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// StageResult is a stage's outcome.
type StageResult struct {
	Name   string           `json:"name"`
	Digest artifacts.Digest `json:"digest"`
	Reused bool             `json:"reused"`         // it had been done before
	Note   string           `json:"note,omitempty"` // a figure for people: "1,420 records of 236 games"
	Redone []string         `json:"redone,omitempty"`
	// Stopped is the step after which a training ended because it was asked to; 0: it has come to its end.
	Stopped int `json:"stopped,omitempty"`
}

// outcome is what a stage's own work gives.
type outcome struct {
	digest artifacts.Digest
	note   string
	work   []activities.Work
	times  []activities.StepTime

	stopped int // the step that it ended after, before its last
}

// stage runs one stage: it is looked up by its key and reused if it has been done; else work does it. Either
// way the result is named in the run and a record written.
func stage(ctx workflow.Context, pace Pace, p *progress, in activities.StageInput, work func(key artifacts.Digest) (*outcome, error)) (*StageResult, error) {
	return stageSince(ctx, workflow.Now(ctx), pace, p, in, work)
}

// stageSince is stage for what began in a workflow run before this one.
func stageSince(ctx workflow.Context, started time.Time, pace Pace, p *progress, in activities.StageInput, work func(key artifacts.Digest) (*outcome, error)) (*StageResult, error) {
	p.begin(in.Name)
	in.Again = pace.of(in.Name)
	var begun activities.Begun
	if err := workflow.ExecuteActivity(short(ctx, pace), do.Begin, in).Get(ctx, &begun); err != nil {
		return nil, p.fail(in.Name, err)
	}
	res := &StageResult{Name: in.Name, Digest: begun.Found, Reused: begun.Found != ""}
	var done []activities.Work
	var times []activities.StepTime
	if !res.Reused {
		out, err := work(begun.Key)
		if err != nil {
			return nil, p.fail(in.Name, err)
		}
		res.Digest, res.Note, res.Stopped, done = out.digest, out.note, out.stopped, out.work
		times = out.times
		res.Redone = redone(done)
	}
	info := workflow.GetInfo(ctx)
	finished := activities.Finished{
		Run: in.Run, Name: in.Name, Key: begun.Key, Digest: res.Digest, Reused: res.Reused,
		Workflow: info.WorkflowExecution.ID, RunID: info.WorkflowExecution.RunID,
		Started: started.UTC(), Ended: workflow.Now(ctx).UTC(), Work: done, Times: times, Stopped: res.Stopped,
	}
	if err := workflow.ExecuteActivity(short(ctx, pace), do.Finish, finished).Get(ctx, nil); err != nil {
		return nil, p.fail(in.Name, err)
	}
	p.end(*res)
	return res, nil
}

// redone lists the activities that needed more than one attempt.
func redone(work []activities.Work) []string {
	var all []string
	for _, w := range work {
		if w.Attempt > 1 {
			note := fmt.Sprintf("%s: attempt %d", w.Activity, w.Attempt)
			if w.Redone != "" {
				note += ", from " + w.Redone
			}
			all = append(all, note)
		}
	}
	slices.Sort(all)
	return all
}

// inputs are references by role.
func inputs(pairs ...any) []artifacts.Input {
	var all []artifacts.Input
	for i := 0; i < len(pairs); i += 2 {
		if d := pairs[i+1].(artifacts.Digest); d != "" {
			all = append(all, artifacts.Input{Role: pairs[i].(string), Digest: d})
		}
	}
	return all
}
