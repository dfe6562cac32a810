package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/hone-rl/hone/devserver/stackfile"
)

const (
	queue = "steps"
	steps = 40
)

// quiet is a logger of the SDK that says nothing: what it would say is that servers are being killed.
type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}

func countRequest(query string) *workflowservice.CountWorkflowExecutionsRequest {
	return &workflowservice.CountWorkflowExecutionsRequest{Namespace: "default", Query: query}
}

// takeSteps leaves a file for each of its steps in dir. What it finds there has been done.
func takeSteps(ctx context.Context, dir string) (int, error) {
	for i := range steps {
		path := filepath.Join(dir, strconv.Itoa(i))
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if err := os.WriteFile(path, fmt.Appendf(nil, "attempt %d\n", activity.GetInfo(ctx).Attempt), 0o600); err != nil {
			return 0, err
		}
		activity.RecordHeartbeat(ctx, i)
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(150 * time.Millisecond):
		}
	}
	return steps, nil
}

func stepsWorkflow(ctx workflow.Context, dir string) (int, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Hour, HeartbeatTimeout: 2 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 1},
	})
	var n int
	err := workflow.ExecuteActivity(ctx, takeSteps, dir).Get(ctx, &n)
	return n, err
}

func runTestWorker() int {
	if len(os.Args) != 3 || os.Args[1] != "--data" {
		fmt.Fprintln(os.Stderr, "expected --data DIR, got", os.Args[1:])
		return 2
	}
	s, err := stackfile.Dir(os.Args[2]).Read()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	c, err := client.Dial(client.Options{HostPort: s.Temporal.Address, Logger: quiet{}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer c.Close()
	w := worker.New(c, queue, worker.Options{})
	w.RegisterWorkflow(stepsWorkflow)
	w.RegisterActivity(takeSteps)
	if err := w.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("worker started")
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, syscall.SIGTERM)
	<-quit
	w.Stop()
	fmt.Println("worker stopped")
	return 0
}
