// Package workflows orders the work: what runs after what, what is retried, what is reused. No clock, file or
// tensor is touched here; values are references and small figures.
package workflows

import (
	"encoding/json"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/hone-rl/hone/activities"
)

// The task queues: workflows and what needs a CPU, and what needs a device.
const (
	QueueCPU = "hone"
	QueueGPU = "hone-gpu"
)

// GPUQueue is the queue of a pool of devices; "" is the pool of those that are in none.
func GPUQueue(pool string) string {
	if pool == "" {
		return QueueGPU
	}
	return QueueGPU + "-" + pool
}

// CheckPool refuses what is no pool's name.
func CheckPool(name string) error {
	if name != "" && !nameForm.MatchString(name) {
		return fmt.Errorf("pool %q: expected lower-case letters, digits and dashes", name)
	}
	return nil
}

// do names activities through a nil pointer, so that a renamed one fails to compile.
var do *activities.Activities

// Pace is where work is done, and how long lost work goes unnoticed. It changes no result and is no part of a spec.
type Pace struct {
	// Pool has the workers whose devices do the work, by their --pool: one of a run's own keeps its policy in memory, where
	// workers that take turns each repeat what the others did. "": those in none.
	Pool      string        `json:"pool,omitempty"`
	Heartbeat time.Duration `json:"heartbeat"` // silence after which an activity is given to another worker; 0: 15 s
	Again
}

func (p Pace) heartbeat() time.Duration {
	if p.Heartbeat > 0 {
		return p.Heartbeat
	}
	return 15 * time.Second
}

// lost retries without end: what ends an attempt here is a lost machine or store, and the work goes on when
// they are back. Errors that a retry cannot mend are marked as final by the activities.
// So is a panic: the same input gives it again.
var lost = temporal.RetryPolicy{
	InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second,
	NonRetryableErrorTypes: []string{"PanicError"},
}

// short is for activities of seconds at the CPU queue. A lost worker is noticed by its silence here as well.
func short(ctx workflow.Context, pace Pace) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: QueueCPU, StartToCloseTimeout: time.Minute, HeartbeatTimeout: pace.heartbeat(), RetryPolicy: &lost,
	})
}

// long is for activities that report progress, at the queue named.
func long(ctx workflow.Context, queue string, pace Pace, summary string) workflow.Context {
	if queue == QueueGPU {
		queue = GPUQueue(pace.Pool)
	}
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: queue, StartToCloseTimeout: 30 * 24 * time.Hour, HeartbeatTimeout: pace.heartbeat(),
		RetryPolicy: &lost, WaitForCancellation: true, Summary: summary,
	})
}

// child is a stage's own workflow.
func child(ctx workflow.Context, id string) workflow.Context {
	return workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID: id, TaskQueue: QueueCPU, StaticSummary: id,
	})
}

// parameters is v as the JSON that stands in stage keys and manifests. json.Marshal sorts what it ranges over; the
// caches that the check sees in it change no result.
//
//workflowcheck:ignore
func parameters(v any) (json.RawMessage, error) { return json.Marshal(v) }
