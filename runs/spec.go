// Package runs reads what a store says of runs: the spec that one was started with, its stages and trainings, what their steps
// took, and what several of them have learnt, beside each other.
package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage/retention"
	"github.com/hone-rl/hone/workflows"
)

// AskedError is of what was asked for: it is not there, or does not fit. Nothing is wrong with the store.
type AskedError struct{ err error }

// Error implements error.
func (e *AskedError) Error() string { return e.err.Error() }

func (e *AskedError) Unwrap() error { return e.err }

func asked(err error) error {
	if err == nil {
		return nil
	}
	return &AskedError{err}
}

// Spec is the spec that a run was started with. An AskedError where there is no such run, or it was removed.
func Spec(ctx context.Context, store artifacts.Store, run string) (*workflows.Spec, error) {
	m, err := begun(ctx, store, run)
	if err != nil {
		return nil, err
	}
	var spec workflows.Spec
	if err := json.Unmarshal(m.Parameters, &spec); err != nil {
		return nil, fmt.Errorf("spec of run %s: %w", run, err)
	}
	return &spec, nil
}

// RawSpec is the spec as the run's manifest has it. Errors as of Spec.
func RawSpec(ctx context.Context, store artifacts.Store, run string) (json.RawMessage, error) {
	m, err := begun(ctx, store, run)
	if err != nil {
		return nil, err
	}
	return m.Parameters, nil
}

// Producer is the program that a run runs on, as the keys of its stages know it. Errors as of Spec.
func Producer(ctx context.Context, store artifacts.Store, run string) (artifacts.Producer, error) {
	m, err := begun(ctx, store, run)
	if err != nil {
		return artifacts.Producer{}, err
	}
	return m.Producer, nil
}

// begun is the manifest that a run has from its beginning.
func begun(ctx context.Context, store artifacts.Store, run string) (*artifacts.Manifest, error) {
	d, err := store.Resolve(ctx, activities.RunName(run, "spec"))
	if errors.Is(err, artifacts.ErrNotFound) {
		if err := retention.Gone(ctx, store, run); err != nil {
			return nil, asked(err)
		}
		return nil, asked(fmt.Errorf("no run %q in this store: hone list shows the runs", run))
	}
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", run, err)
	}
	m, err := artifacts.GetManifest(ctx, store, d)
	if err != nil {
		return nil, fmt.Errorf("spec of run %s: %w", run, err)
	}
	return m, nil
}
