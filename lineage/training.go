package lineage

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// Training is what a stage of reinforcement learning has made: finished, or as far as it has come.
type Training struct {
	Key     artifacts.Digest // of the stage; "" where it is not known and Outcome is
	Outcome artifacts.Digest // its result; "" while it is under way
	Policy  artifacts.Digest // the last
	Library artifacts.Digest // the newest skill library; "" where there is none
	Step    int              // of the last update; 0 where the outcome does not say it

	store artifacts.Store
}

// ErrNoUpdate is in the error of a training that has not taken a step yet.
var ErrNoUpdate = errors.New("no update yet")

// UpdatePrefix begins the names of a stage's updates: updates/<stage key>/<step>.
func UpdatePrefix(key artifacts.Digest) string { return path.Dir(activities.UpdateName(key, 0)) + "/" }

// OpenOutcome is a training that has ended, by its result.
func OpenOutcome(ctx context.Context, store artifacts.Store, d artifacts.Digest) (*Training, error) {
	m, err := manifestOf(ctx, store, d, artifacts.KindPolicy)
	if err != nil {
		return nil, err
	}
	t := &Training{Outcome: d, store: store, Policy: inputOf(m, "policy"), Library: inputOf(m, LibraryRole)}
	if t.Policy == "" {
		return nil, fmt.Errorf("outcome %s names no policy", d)
	}
	return t, nil
}

// OpenUpdates is a training that is under way, by its stage's key. ErrNoUpdate if there is none of it.
func OpenUpdates(ctx context.Context, store artifacts.Store, key artifacts.Digest) (*Training, error) {
	prefix := UpdatePrefix(key)
	names, err := store.Names(ctx, prefix)
	if err != nil {
		return nil, fmt.Errorf("updates of stage %s: %w", key.Short(), err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("stage %s: %w", key.Short(), ErrNoUpdate)
	}
	newest := names[len(names)-1] // steps have eight digits
	step, err := strconv.Atoi(newest[len(prefix):])
	if err != nil {
		return nil, fmt.Errorf("name %s: expected a step at its end", newest)
	}
	t := &Training{Key: key, Step: step, store: store}
	if t.Policy, err = store.Resolve(ctx, newest); err != nil {
		return nil, fmt.Errorf("name %s: %w", newest, err)
	}
	m, err := manifestOf(ctx, store, t.Policy, artifacts.KindUpdate)
	if err != nil {
		return nil, fmt.Errorf("name %s: %w", newest, err)
	}
	// The library after the step where it is told, else the one that its episodes saw.
	if t.Library = inputOf(m, learnedRole); t.Library == "" {
		t.Library = inputOf(m, LibraryRole)
	}
	return t, nil
}

// learnedRole is the role of the library after an update's episodes.
const learnedRole = "learned"

func manifestOf(ctx context.Context, store artifacts.Store, d artifacts.Digest, kind artifacts.Kind) (*artifacts.Manifest, error) {
	m, err := artifacts.GetManifest(ctx, store, d)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s %s: %w", kind, d, err)
	case m.Kind != kind:
		return nil, fmt.Errorf("artifact %s is of kind %s, expected %s", d, m.Kind, kind)
	}
	return m, nil
}

// inputOf is the input of a role, "" where there is none.
func inputOf(m *artifacts.Manifest, role string) artifacts.Digest {
	i := slices.IndexFunc(m.Inputs, func(in artifacts.Input) bool { return in.Role == role })
	if i < 0 {
		return ""
	}
	return m.Inputs[i].Digest
}

// fileOf reads a file of an artifact.
func fileOf(ctx context.Context, store artifacts.Store, d artifacts.Digest, m *artifacts.Manifest, name string) ([]byte, error) {
	i := slices.IndexFunc(m.Outputs, func(out artifacts.Output) bool { return out.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%s %s has no %s", m.Kind, d, name)
	}
	raw, err := artifacts.ReadAll(ctx, store, m.Outputs[i].Digest, m.Outputs[i].Size)
	if err != nil {
		return nil, fmt.Errorf("%s of %s %s: %w", name, m.Kind, d, err)
	}
	return raw, nil
}
