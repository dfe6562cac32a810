package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/hone-rl/hone/internal/regular"
	"github.com/hone-rl/hone/version"
	"github.com/hone-rl/hone/workflows"
)

func (a *app) runCommand() *cobra.Command {
	var detach, check, dry bool
	var asked planning
	var pace workflows.Pace
	var until string
	cmd := &cobra.Command{
		Use:   "run SPEC",
		Short: "Start the run of a spec and watch it",
		Long: `run starts the run that a spec file describes, from games to report, and shows how it goes. The run's id
follows from the spec, so the same spec again is the same run: one that is going on is watched, one that has
ended runs again, each stage that has been done before being reused by its digest.

What --dry-run refuses is refused before anything is started, where the store can be reached from here; otherwise the
run's first step looks whether the stored base fits.

Stopping hone does not stop the run; hone watch RUN shows it again. With --until the run stops after a step; the
same command without it goes on from there, as the same run.

With --dry-run nothing is started. What the stages would compute, store and take of a device's memory is told from the
spec, and, where the store can be reached, which of them are done already. Records and lengths in tokens are counted
once the dataset and the model's tokenizer are stored. Before that they are estimates, and said to be, of lengths from
the records of 12 of the run's games and the stored base's tokenizer, or one that learns from them. A training that has
no record within max_tokens is refused where they are counted, and warned of where they are estimates.`,
		Example: `  hone run experiments/demo.yaml
  hone run experiments/demo.yaml --until hints    only the dataset
  hone run --dry-run experiments/teacher-qwen2.5-3b.yaml --records 20006`,
		Args: exactly(1, "a spec file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			spec, err := readSpec(args[0])
			if err != nil {
				return usage(err)
			}
			id, err := spec.RunID(version.Hone)
			if err != nil {
				return err
			}
			if check {
				fmt.Printf("%s is a good spec; its run is %s\n", args[0], id)
				return nil
			}
			if err := spec.CheckUntil(until); err != nil {
				return usage(fmt.Errorf("--%w", err))
			}
			if pace.Heartbeat < 0 {
				return usage(fmt.Errorf("--heartbeat %s: expected more than 0", pace.Heartbeat))
			}
			if err := workflows.CheckPool(pace.Pool); err != nil {
				return usage(fmt.Errorf("--pool: %w", err))
			}
			if dry {
				return a.dryRun(cmd.Context(), args[0], spec, until, asked)
			}
			if asked != (planning{}) {
				return usage(errors.New("--records and --device are for --dry-run"))
			}
			if err := spec.Runnable(); err != nil {
				return usage(spec.Located(err))
			}
			if err := a.foresee(cmd.Context(), args[0], spec, until); err != nil {
				return err
			}
			return a.startRun(cmd.Context(), workflows.PipelineInput{Run: id, Spec: *spec, Pace: pace, Until: until}, detach)
		},
	}
	cmd.Flags().BoolVar(&detach, "detach", false, "start it and do not wait")
	cmd.Flags().BoolVar(&check, "check", false, "only check the spec")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what the run would take: stages, steps, tokens, storage, memory")
	cmd.Flags().IntVar(&asked.records, "records", 0, "with --dry-run: plan for so many records to train on")
	cmd.Flags().StringVar(&asked.device, "device", "", "with --dry-run: memory of cpu or cuda (default cuda for a bfloat16 training, else cpu)")
	cmd.Flags().StringVar(&until, "until", "", "stop after this step: "+strings.Join(workflows.Steps, ", "))
	cmd.Flags().StringVar(&pace.Pool, "pool", "", "let the devices of the workers with this --pool do the work (default those of workers without)")
	cmd.Flags().DurationVar(&pace.Heartbeat, "heartbeat", 0, "silence after which a step is given to another worker (default 15s)")
	return cmd
}

// specLimit is the size in bytes beyond which a file is no spec.
const specLimit = 1 << 20

func readSpec(file string) (*workflows.Spec, error) {
	text, err := regular.Read(file, specLimit)
	if err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	return workflows.ParseSpec(file, text)
}

func (a *app) startRun(ctx context.Context, in workflows.PipelineInput, detach bool) error {
	c, err := a.Dial(ctx, client.Options{Logger: quiet{}})
	if err != nil {
		return err
	}
	defer c.Close()
	if in.Pace != (workflows.Pace{}) && going(ctx, c, in.Run) == nil {
		fmt.Fprintf(os.Stderr, "run %s goes on already, at the pace and in the pool that it was started with: hone cancel stops it\n", in.Run)
	}
	if _, err := a.start(ctx, c, in.Run, workflows.Pipeline, in); err != nil {
		return fmt.Errorf("start run %s: %w", in.Run, err)
	}
	fmt.Printf("run %s\n", in.Run)
	if pool := in.Pace.Pool; pool != "" {
		queue, err := c.DescribeTaskQueue(ctx, workflows.GPUQueue(pool), enums.TASK_QUEUE_TYPE_ACTIVITY)
		if err == nil && len(queue.GetPollers()) == 0 {
			fmt.Fprintf(os.Stderr, "no worker of pool %s has been seen: what needs a device waits for one (hone-worker --pool %[1]s)\n", pool)
		}
	}
	if detach {
		return nil
	}
	return a.watch(ctx, c, in.Run)
}

// start starts a workflow, or finds it running.
func (a *app) start(ctx context.Context, c client.Client, id string, flow, in any) (client.WorkflowRun, error) {
	return c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: workflows.QueueCPU, StaticSummary: id,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
	}, flow, in)
}

// quiet is a logger for a program whose output is for people.
type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}

var errRunFailed = errors.New("the run failed")
