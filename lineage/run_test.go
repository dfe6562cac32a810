package lineage_test

import (
	"context"
	"sync"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/gputest"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/lineagetest"
	"github.com/hone-rl/hone/workflows"
)

const (
	runID     = "small-run"
	smallSpec = lineagetest.SmallSpec
	learnSpec = lineagetest.LearnSpec
)

var (
	planned = lineagetest.Planned
	specOf  = lineagetest.SpecOf
)

type pupils = lineagetest.Pupils

// finished is a store with one whole run in it, made once.
var finished lasting

type lasting struct {
	once  sync.Once
	store *mem.Store
	run   *workflows.PipelineResult
}

// get is the run for tests that leave it as it is.
func (l *lasting) get(t *testing.T) (*mem.Store, *workflows.PipelineResult) {
	t.Helper()
	l.once.Do(func() { l.store, l.run = wholeRun(t) })
	if l.run == nil {
		t.Fatal("there is no run: see the first test")
	}
	return l.store, l.run
}

// copy is the run in a store of the test's own.
func (l *lasting) copy(t *testing.T) *mem.Store {
	t.Helper()
	from, _ := l.get(t)
	to := mem.New()
	err := from.Blobs(t.Context(), func(d artifacts.Digest, size int64) error {
		raw, err := artifacts.ReadAll(t.Context(), from, d, size)
		if err != nil {
			return err
		}
		_, err = artifacts.PutBytes(t.Context(), to, "", raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names, err := from.Names(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		d, err := from.Resolve(t.Context(), name)
		if err == nil {
			err = to.Name(t.Context(), name, d)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// wholeRun runs the real workflows and activities on real games, with models that learn in microseconds.
func wholeRun(t *testing.T) (*mem.Store, *workflows.PipelineResult) {
	t.Helper()
	store := mem.New()
	return store, runSpec(t, store, runID, smallSpec)
}

// runSpec runs a spec in a store.
func runSpec(t *testing.T, store artifacts.Store, run, text string) *workflows.PipelineResult {
	t.Helper()
	return runSpecBy(t, store, run, text, &gputest.Runner{}, "")
}

// runSpecBy runs a spec on a device, with the folder of a sentence encoder where it asks for one.
func runSpecBy(t *testing.T, store artifacts.Store, run, text string, runner gpu.Runner, encoder string) *workflows.PipelineResult {
	t.Helper()
	return pipeline(t, store, workflows.PipelineInput{Run: run, Spec: *specOf(t, text)}, runner, encoder)
}

// pipeline is runSpecBy of whatever input.
func pipeline(t *testing.T, store artifacts.Store, in workflows.PipelineInput, runner gpu.Runner, encoder string) *workflows.PipelineResult {
	t.Helper()
	return lineagetest.Pipeline(t, store, in, runner, encoder)
}

func auditor(store artifacts.Store) *lineage.Auditor {
	return &lineage.Auditor{Store: store, OpenGame: opener(store)}
}

func opener(store artifacts.Store) func(context.Context, string, []byte) (env.Game, error) {
	return lineagetest.Opener(store)
}

// audits are the two audits of a store, by name.
func audits(store artifacts.Store) map[string]func(context.Context) (*lineage.Result, error) {
	return map[string]func(context.Context) (*lineage.Result, error){
		"run": func(ctx context.Context) (*lineage.Result, error) { return auditor(store).Run(ctx, runID) },
		"all": func(ctx context.Context) (*lineage.Result, error) { return auditor(store).All(ctx) },
	}
}
