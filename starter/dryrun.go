package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/plan"
	"github.com/hone-rl/hone/version"
	"github.com/hone-rl/hone/workflows"
)

// planning is what a dry run is asked beside its spec.
type planning struct {
	records int
	device  string // "cpu", "cuda"; "": by the spec
}

// dryRun prints what the run of a spec would take.
func (a *app) dryRun(ctx context.Context, file string, spec *workflows.Spec, until string, asked planning) error {
	cuda := spec.BFloat16()
	switch asked.device {
	case "":
	case "cpu", "cuda":
		cuda = asked.device == "cuda"
	default:
		return usage(fmt.Errorf("--device %s: expected cpu or cuda", asked.device))
	}
	if asked.records < 0 || asked.records > plan.MaxRecords {
		return usage(fmt.Errorf("--records %d: expected from 1 to %d", asked.records, plan.MaxRecords))
	}
	p, err := makePlan(ctx, plan.Config{
		Spec: spec, Dir: filepath.Dir(file), Store: a.reachable(ctx), Until: until, Count: asked.records, CUDA: cuda,
	})
	if err != nil {
		return err
	}
	if a.json {
		return printJSON(p)
	}
	return p.Text(os.Stdout)
}

// makePlan makes the plan of a run that is told of or about to be started: what the one refuses the other refuses.
func makePlan(ctx context.Context, c plan.Config) (*plan.Plan, error) {
	c.Producer, c.Sample = artifacts.Producer{Name: "hone", Version: version.Hone}, sampledGames
	p, err := plan.Make(ctx, c)
	if err != nil && ctx.Err() == nil {
		err = usage(c.Spec.Located(err))
	}
	return p, err
}

// sampledGames are played to estimate the lengths of records: all task types, and a second.
const sampledGames = 12

// foresee refuses a run that could not be gone through, as its dry run does, and tells what it would warn of. Where the
// store cannot be seen from here, the run's first step looks, on a worker.
func (a *app) foresee(ctx context.Context, file string, spec *workflows.Spec, until string) error {
	store := a.reachable(ctx)
	if store == nil {
		return ctx.Err()
	}
	return foresee(ctx, store, os.Stderr, file, spec, until)
}

func foresee(ctx context.Context, store artifacts.Store, out io.Writer, file string, spec *workflows.Spec, until string) error {
	p, err := makePlan(ctx, plan.Config{Spec: spec, Dir: filepath.Dir(file), Store: store, Until: until, Start: true})
	if err != nil {
		return err
	}
	for _, warning := range p.Warnings {
		fmt.Fprintln(out, "hone: warning:", warning)
	}
	return nil
}

// reachable is the store, if it answers.
func (a *app) reachable(ctx context.Context) artifacts.Store {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	store, err := a.Store(ctx) // which asks it
	if err != nil {
		return nil
	}
	return store
}
