package workflows

import (
	"errors"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"
)

// What needs a device goes to the pool's queue, what needs none to everybody's.
func TestPools(t *testing.T) {
	for pool, want := range map[string]string{"": "hone-gpu", "a100": "hone-gpu-a100"} {
		pace := Pace{Pool: pool}
		e := new(testsuite.WorkflowTestSuite).NewTestWorkflowEnvironment()
		e.ExecuteWorkflow(func(ctx workflow.Context) ([]string, error) {
			var queues []string
			for _, options := range []workflow.Context{long(ctx, QueueGPU, pace, ""), long(ctx, QueueCPU, pace, ""), short(ctx, pace)} {
				queues = append(queues, workflow.GetActivityOptions(options).TaskQueue)
			}
			return queues, nil
		})
		var queues []string
		if err := e.GetWorkflowResult(&queues); err != nil {
			t.Fatal(err)
		}
		if len(queues) != 3 || queues[0] != want || queues[1] != "hone" || queues[2] != "hone" {
			t.Errorf("pool %q: queues %q, want %s and hone", pool, queues, want)
		}
	}
	for name, ok := range map[string]bool{"": true, "a100": true, "A100": false, "a/b": false, "-a": false} {
		if err := CheckPool(name); (err == nil) != ok {
			t.Errorf("pool %q: %v", name, err)
		}
	}
}

// A training that is cancelled in the last step of a workflow run, which ends all the same, begins no other run: that one
// would not know of it.
func TestCancelledBeforeGoingOn(t *testing.T) {
	e := new(testsuite.WorkflowTestSuite).NewTestWorkflowEnvironment()
	e.RegisterDelayedCallback(e.CancelWorkflow, time.Second)
	e.ExecuteWorkflow(func(ctx workflow.Context) error {
		c := course{steps: 2, chain: 1}
		finished := func(workflow.Context) error {
			c.at.Step++
			outlasting, _ := workflow.NewDisconnectedContext(ctx)
			return workflow.Sleep(outlasting, 2*time.Second)
		}
		return c.walk(ctx, finished, func(*CourseState) error { return errors.New("gone on") })
	})
	var cancelled *temporal.CanceledError
	if err := e.GetWorkflowError(); !errors.As(err, &cancelled) {
		t.Errorf("got %v, want that it was cancelled", err)
	}
}
