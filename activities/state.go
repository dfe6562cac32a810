package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hone-rl/hone/artifacts"
)

// StateName is the name of a checkpoint that holds the whole state of a policy in training, by the policy's digest.
func StateName(policy artifacts.Digest) string { return "states/" + policy.Hex() }

// keptState is a checkpoint of a policy in training.
type keptState struct {
	policy   artifacts.Digest
	manifest *artifacts.Manifest
}

// kept is the state of a policy, nil if none is kept.
func (a *Activities) kept(ctx context.Context, policy artifacts.Digest) (*keptState, error) {
	d, err := a.Store.Resolve(ctx, StateName(policy))
	if errors.Is(err, artifacts.ErrNotFound) {
		return nil, nil //nolint:nilnil // most policies have none
	}
	if err != nil {
		return nil, fmt.Errorf("look for the state of policy %s: %w", policy.Short(), err)
	}
	m, err := a.manifest(ctx, d, artifacts.KindCheckpoint)
	if err != nil {
		return nil, err
	}
	return &keptState{policy, m}, nil
}

func (s *keptState) load(ctx context.Context, a *Activities, l *learner) error {
	dir, err := artifacts.Fetch(ctx, a.Store, s.manifest, a.Cache)
	if err == nil {
		err = l.trainer.LoadState(ctx, dir)
	}
	if err != nil {
		return fmt.Errorf("go on from the state of policy %s: %w", s.policy.Short(), err)
	}
	l.at = s.policy
	return nil
}

// keep stores the state of the policy in training, whose step it is.
func (a *Activities) keep(ctx context.Context, step int) error {
	l := a.learners.current()
	dir := filepath.Join(l.scratch, "state")
	defer a.dropScratch(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := l.trainer.SaveState(ctx, dir); err != nil {
		return fmt.Errorf("save the state of step %d: %w", step, err)
	}
	outputs, err := artifacts.PutFolder(ctx, a.Store, dir)
	if err != nil {
		return fmt.Errorf("store the state of step %d: %w", step, err)
	}
	summary, err := json.Marshal(map[string]any{"step": step})
	if err != nil {
		return err
	}
	d, err := a.put(ctx, artifacts.Manifest{
		Kind: artifacts.KindCheckpoint, Inputs: []artifacts.Input{{Role: "policy", Digest: l.at}}, Outputs: outputs, Summary: summary,
	})
	if err != nil {
		return fmt.Errorf("store the state of step %d: %w", step, err)
	}
	return a.Store.Name(ctx, StateName(l.at), d)
}
