package main

import (
	"context"
	"fmt"
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
	cuda := spec.Teacher.DType == "bfloat16" || spec.Student.DType == "bfloat16"
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
	p, err := plan.Make(ctx, plan.Config{
		Spec: spec, Dir: filepath.Dir(file), Store: a.reachable(ctx), Until: until, Count: asked.records, CUDA: cuda,
		Producer: artifacts.Producer{Name: "hone", Version: version.Hone},
	})
	if err != nil {
		return usage(spec.Located(err))
	}
	if a.json {
		return printJSON(p)
	}
	return p.Text(os.Stdout)
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
