package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/hone-rl/hone/workflows"
)

// controlCommands tell the trainings by steps of a run, grpo and distilled, what to do between two of them.
func (a *app) controlCommands() []*cobra.Command {
	return []*cobra.Command{
		a.controlCommand("pause", workflows.Pause, "Hold a run's training after this step",
			`pause holds the training by steps (grpo, distilled) that a run is at, under each of its seeds, once the step under way is
done. Nothing is lost or computed again; hone resume goes on from there, and hone watch says that it waits.`,
			"pauses after this step; it goes on with: hone resume %s"),
		a.controlCommand("resume", workflows.Resume, "Go on with a training that is paused",
			`resume goes on with a training that hone pause holds, or takes back a hone stop that has not been heeded yet.`,
			"goes on; see it with: hone watch %s"),
		a.controlCommand("stop", workflows.Stop, "End a run's training after this step",
			`stop ends the training by steps (grpo, distilled) that a run is at, under each of its seeds, once the step under way is
done; a training has one step in any case. What it has come to is stored under a name of its own (grpo-stopped-STEP), and the run ends there. It
is not the stage's result: hone run with the same spec goes through the training again, finds what each of its steps has
made, and goes on behind the last. hone cancel stops a run at once, whatever it is at.`,
			"stops after this step; hone run with its spec goes on from there (%s)"),
	}
}

func (a *app) controlCommand(name string, told workflows.Control, short, long, said string) *cobra.Command {
	return &cobra.Command{
		Use: name + " RUN", Short: short, Long: long, Args: runArg(1, "a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Dial(cmd.Context(), client.Options{Logger: quiet{}})
			if err != nil {
				return err
			}
			defer c.Close()
			all, err := control(cmd.Context(), c, args[0], told)
			if err != nil {
				return err
			}
			fmt.Printf("%s of run %s "+said+"\n", strings.Join(all, ", "), args[0], args[0])
			return nil
		},
	}
}

// control tells each of a run's trainings by steps that are under way, and says which.
func control(ctx context.Context, c client.Client, run string, told workflows.Control) ([]string, error) {
	if err := going(ctx, c, run); err != nil {
		return nil, err
	}
	p, err := ask(ctx, c, run)
	if err != nil {
		return nil, fmt.Errorf("ask run %s how far it is, which a worker answers (is one running?): %w", run, err)
	}
	var all []string
	for _, s := range underway(p) {
		var missing *serviceerror.NotFound
		err := c.SignalWorkflow(ctx, s.Child, "", workflows.SignalControl, told)
		if errors.As(err, &missing) {
			continue // it has just ended
		}
		if err != nil {
			return nil, fmt.Errorf("%s %s of run %s: %w", told, s.Name, run, err)
		}
		all = append(all, s.Name)
	}
	if len(all) == 0 {
		return nil, usage(fmt.Errorf("run %s has no training by steps (grpo, distilled) under way%s: hone watch %[1]s shows how it goes", run, at(p)))
	}
	return all, nil
}

// going refuses a run that has ended, or never was.
func going(ctx context.Context, c client.Client, run string) error {
	var missing *serviceerror.NotFound
	desc, err := c.DescribeWorkflowExecution(ctx, run, "")
	if errors.As(err, &missing) || err == nil && desc.GetWorkflowExecutionInfo().GetStatus() != enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return usage(fmt.Errorf("no run %s is going on: hone list shows the runs", run))
	}
	if err != nil {
		return fmt.Errorf("find run %s: %w", run, err)
	}
	return nil
}

// underway are the trainings by steps that run now.
func underway(p workflows.Progress) (all []workflows.StageProgress) {
	for _, s := range p.Stages {
		step, _, _ := strings.Cut(s.Name, "/")
		if (step == "grpo" || step == "distilled") && s.State == workflows.Running && s.Child != "" {
			all = append(all, s)
		}
	}
	return all
}

// at is where a run is.
func at(p workflows.Progress) string {
	var running []string
	for _, s := range p.Stages {
		if s.State == workflows.Running {
			running = append(running, s.Name)
		}
	}
	if len(running) == 0 {
		return ""
	}
	return ", it is at " + strings.Join(running, ", ")
}
