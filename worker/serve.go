package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/games"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/runner"
	"github.com/hone-rl/hone/internal/scratch"
	"github.com/hone-rl/hone/stack"
	"github.com/hone-rl/hone/version"
	"github.com/hone-rl/hone/workflows"
)

type config struct {
	stack.Config
	queues   []string
	device   string
	threads  int
	parallel int
	pool     string
}

// serve works until ctx ends, and then waits for what runs to reach a safe place.
func serve(ctx context.Context, cfg config) error {
	for _, q := range cfg.queues {
		if q != "cpu" && q != "gpu" {
			return fmt.Errorf("--queues %s: expected cpu, gpu or both", q)
		}
	}
	if len(cfg.queues) == 0 {
		return errors.New("--queues: expected cpu, gpu or both")
	}
	for flag, n := range map[string]int{"threads": cfg.threads, "parallel": cfg.parallel} {
		if n < 1 {
			return fmt.Errorf("--%s %d: expected 1 or more", flag, n)
		}
	}
	if err := workflows.CheckPool(cfg.pool); err != nil {
		return fmt.Errorf("--pool: %w", err)
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	faults, err := faultsFromEnv()
	if err != nil {
		return err
	}
	c, err := cfg.Dial(ctx, client.Options{Logger: sdklog.NewStructuredLogger(log.With("from", "temporal"))})
	if err != nil {
		return err
	}
	defer c.Close()
	store, err := cfg.Store(ctx)
	if err != nil {
		return err
	}
	own, release, err := scratch.Take(filepath.Join(cfg.DataDir(), "worker", "scratch"), "worker-")
	if err != nil {
		return err
	}
	defer func() { _ = release() }() // else the next worker sweeps it
	a, err := lend(faults.store(store), own, cfg)
	if err != nil {
		return err
	}
	a.OpenGame = faults.open(a.OpenGame)
	workers := start(c, cfg, a, faults)
	for i, w := range workers {
		if err := w.Start(); err != nil {
			stopAll(workers[:i])
			return fmt.Errorf("start worker: %w", err)
		}
	}
	log.Info("hone-worker is ready", "queues", cfg.queues, "version", version.Hone)
	<-ctx.Done()
	log.Info("hone-worker is stopping")
	stopAll(workers)
	return nil
}

func stopAll(workers []worker.Worker) {
	for _, w := range slices.Backward(workers) {
		w.Stop()
	}
}

// lend makes what the activities work with.
func lend(store artifacts.Store, scratch string, cfg config) (*activities.Activities, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	opener := games.New(games.Config{Store: store, Folder: filepath.Join(cfg.DataDir(), "worker", "catalogues")})
	a := &activities.Activities{
		Store: store, Cache: filepath.Join(cfg.DataDir(), "worker", "cache"), Scratch: scratch,
		Producer: artifacts.Producer{Name: "hone", Version: version.Hone},
		Host:     host, Now: time.Now, OpenGame: opener.Open, Household: games.Household, Shop: opener.Shop,
		MiniLM: besideProgram(".minilm"),
	}
	if slices.Contains(cfg.queues, "gpu") {
		if a.Runner, err = openRunner(cfg); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func openRunner(cfg config) (gpu.Runner, error) {
	r, err := runner.New(runner.Config{Device: cfg.device, Threads: cfg.threads})
	if err != nil {
		return nil, fmt.Errorf("open device %s: %w", cfg.device, err)
	}
	return r, nil
}

// beatEvery bounds how long the SDK keeps heartbeats back: else four fifths of the time in which one has to come, so that a
// machine that is busy for the last fifth counts as lost, and its work begins again.
const beatEvery = time.Second

// start makes a worker for each queue. The device's queue has one slot: what two workflows want from one device
// they get one after the other.
func start(c client.Client, cfg config, a *activities.Activities, faults *faults) []worker.Worker {
	var workers []worker.Worker
	if slices.Contains(cfg.queues, "cpu") {
		w := worker.New(c, workflows.QueueCPU, worker.Options{
			MaxConcurrentActivityExecutionSize: cfg.parallel, WorkerStopTimeout: 20 * time.Second,
			// How long a workflow waits for the worker that knows it before any other may replay its history.
			StickyScheduleToStartTimeout: 2 * time.Second,
			MaxHeartbeatThrottleInterval: beatEvery,
			Interceptors:                 faults.interceptors(),
		})
		w.RegisterWorkflow(workflows.Pipeline)
		w.RegisterWorkflow(workflows.HintGeneration)
		w.RegisterWorkflow(workflows.SFT)
		w.RegisterWorkflow(workflows.Evaluation)
		w.RegisterWorkflow(workflows.Distilled)
		w.RegisterWorkflow(workflows.GRPO)
		w.RegisterActivity(a)
		workers = append(workers, w)
	}
	if slices.Contains(cfg.queues, "gpu") {
		w := worker.New(c, workflows.GPUQueue(cfg.pool), worker.Options{
			MaxConcurrentActivityExecutionSize: 1, MaxConcurrentActivityTaskPollers: 1,
			DisableWorkflowWorker: true, DisableEagerActivities: true, WorkerStopTimeout: 30 * time.Second,
			MaxHeartbeatThrottleInterval: beatEvery,
			Interceptors:                 faults.interceptors(),
		})
		w.RegisterActivityWithOptions(a, activity.RegisterOptions{SkipInvalidStructFunctions: true})
		workers = append(workers, w)
	}
	return workers
}
