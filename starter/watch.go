package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/workflows"
)

func (a *app) watchCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "watch RUN",
		Short: "Show how a run goes",
		Args:  runArg(1, "a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Dial(cmd.Context(), client.Options{Logger: quiet{}})
			if err != nil {
				return err
			}
			defer c.Close()
			return a.watch(cmd.Context(), c, args[0])
		},
	}
}

// watch shows a workflow until it ends.
func (a *app) watch(ctx context.Context, c client.Client, id string) error {
	tty := isatty.IsTerminal(os.Stdout.Fd()) && !a.json
	var screen screen = &lineScreen{said: map[string]string{}}
	if tty {
		screen = newBarScreen()
	}
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		view, err := look(ctx, c, id)
		if err == nil {
			screen.show(view)
			if view.status != enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
				screen.close()
				return a.outcome(ctx, c, id, view)
			}
		} else {
			var missing *serviceerror.NotFound
			if errors.As(err, &missing) {
				return usage(fmt.Errorf("no run %s on this server: hone list shows the runs", id))
			}
			screen.trouble(a.diagnose(err)) // the server may come back
		}
		select {
		case <-ctx.Done():
			screen.close()
			fmt.Fprintf(os.Stderr, "the run goes on; see it again with: hone watch %s\n", id)
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// diagnose adds to an error of looking at a run what the local stack knows of its cause.
func (a *app) diagnose(err error) string {
	text := "cannot see the run now: " + innermost(err)
	if a.Remote() {
		return text + " (is a worker running?)"
	}
	local, problem := a.Local()
	switch {
	case problem != nil:
		text = innermost(problem) + "; the run goes on when it is up again"
	case local.Worker == nil:
		text += " (the local stack was started without a worker)"
	case local.Worker.PID == 0 || local.Worker.Restarts > 2:
		text += fmt.Sprintf(" (the worker has ended %d times, see %s)", local.Worker.Restarts, local.Worker.Log)
	}
	return text
}

// view is a run as a person sees it at one time.
type view struct {
	status enums.WorkflowExecutionStatus
	stages []workflows.StageProgress
	beats  map[string]activities.Beat // by stage, of the activity that runs now
	tries  map[string]int32           // attempts of that activity
	fails  map[string]string          // last failure of that activity
}

// screen shows views.
type screen interface {
	show(view)
	trouble(string)
	close()
}

// look asks the workflow, and the children that run, how far they are.
func look(ctx context.Context, c client.Client, id string) (view, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	desc, err := c.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return view{}, err
	}
	v := view{
		status: desc.WorkflowExecutionInfo.Status,
		beats:  map[string]activities.Beat{}, tries: map[string]int32{}, fails: map[string]string{},
	}
	p, err := ask(ctx, c, id)
	if err != nil && v.status != enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return v, nil // it has ended, which is all there is to see
	}
	if err != nil {
		return v, err
	}
	v.stages = p.Stages
	for i, s := range v.stages {
		if s.State != workflows.Running {
			continue
		}
		owner := id
		if s.Child != "" {
			owner = s.Child
			if own, err := ask(ctx, c, owner); err == nil {
				for _, cs := range own.Stages {
					if cs.Name == s.Name {
						v.stages[i].Done, v.stages[i].Total, v.stages[i].Unit, v.stages[i].Note = cs.Done, cs.Total, cs.Unit, cs.Note
					}
				}
			}
		}
		v.running(ctx, c, owner, s.Name)
	}
	return v, nil
}

func ask(ctx context.Context, c client.Client, id string) (workflows.Progress, error) {
	var p workflows.Progress
	val, err := c.QueryWorkflow(ctx, id, "", workflows.QueryProgress)
	if err != nil {
		return p, err
	}
	return p, val.Get(&p)
}

// running reads the heartbeat of what the workflow is doing now.
func (v *view) running(ctx context.Context, c client.Client, owner, stage string) {
	desc, err := c.DescribeWorkflowExecution(ctx, owner, "")
	if err != nil {
		return // a child that has not begun, or has just ended
	}
	for _, pending := range desc.PendingActivities {
		v.tries[stage] = max(v.tries[stage], pending.Attempt)
		if f := pending.LastFailure; f != nil {
			v.fails[stage] = f.Message
		}
		var beat activities.Beat
		if err := converter.GetDefaultDataConverter().FromPayloads(pending.HeartbeatDetails, &beat); err == nil && beat.Unit != "" {
			v.beats[stage] = beat
		}
	}
}

// outcome prints what came of a run that has ended.
func (a *app) outcome(ctx context.Context, c client.Client, id string, v view) error {
	run := c.GetWorkflow(ctx, id, "")
	if v.status != enums.WORKFLOW_EXECUTION_STATUS_COMPLETED {
		return failure(v, run.Get(ctx, nil))
	}
	var res json.RawMessage
	if err := run.Get(ctx, &res); err != nil {
		return err
	}
	if a.json {
		fmt.Println(string(res))
		return nil
	}
	var p workflows.PipelineResult
	if err := json.Unmarshal(res, &p); err == nil && p.Stopped {
		fmt.Printf("run %s was stopped before the last step of %s: hone run with its spec goes on from there\n", p.Run, p.Until)
		return nil
	} else if err == nil && p.Until != "" {
		fmt.Printf("run %s has stopped after %s, as it was asked to: hone run with its spec goes on from there\n", p.Run, p.Until)
		return nil
	} else if err == nil && p.Run != "" {
		fmt.Printf("run %s is done: %s\n", p.Run, p.Digest)
		if err := a.printReport(ctx, p.Run); !errors.Is(err, errNoReport) { // its stages need not make one
			return err
		}
		return nil
	}
	var s workflows.StageResult
	if err := json.Unmarshal(res, &s); err != nil {
		return err
	}
	fmt.Printf("%s is done: %s\n%s\n", s.Name, s.Digest, s.Note)
	return nil
}

// failure is the error of a run that has ended with err: each stage that failed with its cause, or, where one cause
// stands for them all or none has, the run's.
func failure(v view, err error) error {
	var failed []string
	var each strings.Builder
	for _, s := range v.stages {
		if s.State == workflows.Failed {
			failed = append(failed, s.Name)
			fmt.Fprintf(&each, "\n  %s: %s", s.Name, s.Error)
		}
	}
	switch len(failed) {
	case 0:
		return fmt.Errorf("%w (%s): %s", errRunFailed, strings.ToLower(v.status.String()), workflows.Reason(err))
	case 1:
		return fmt.Errorf("%w at %s: %s", errRunFailed, failed[0], workflows.Reason(err))
	}
	return fmt.Errorf("%w at %d stages:%s", errRunFailed, len(failed), each.String())
}

// innermost is the message of the first cause.
func innermost(err error) string {
	if err == nil {
		return "no reason was given"
	}
	for {
		next := errors.Unwrap(err)
		if next == nil {
			break
		}
		err = next
	}
	return err.Error()
}
