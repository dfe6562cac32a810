package retention

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// reach is what names lead to.
type reach struct {
	store artifacts.Store
	kinds map[artifacts.Digest]artifacts.Kind // of manifests
	blobs map[artifacts.Digest]bool           // manifests and records among them
	roles map[artifacts.Digest]artifacts.Kind // what files are of
	lax   bool                                // what cannot be read is passed over
}

func newReach(store artifacts.Store) *reach {
	return &reach{
		store: store, kinds: map[artifacts.Digest]artifacts.Kind{}, blobs: map[artifacts.Digest]bool{},
		roles: map[artifacts.Digest]artifacts.Kind{},
	}
}

// digests are what a spec names by digest: a list of games, a dataset, a model.
var digests = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

// name follows a name.
func (r *reach) name(ctx context.Context, name string, d artifacts.Digest) error {
	plain := strings.HasPrefix(name, "records/") || strings.HasPrefix(name, "episodes/") // no manifests
	if plain {
		r.blobs[d] = true
		if r.roles[d] == "" && strings.HasPrefix(name, "records/") {
			r.roles[d] = artifacts.KindRecord
		} else if r.roles[d] == "" {
			r.roles[d] = artifacts.KindRollouts
		}
		return nil
	}
	return r.artifact(ctx, name, d)
}

// artifact follows a manifest, and what the spec of a run asks for.
func (r *reach) artifact(ctx context.Context, from string, root artifacts.Digest) error {
	var asked []artifacts.Digest
	// Not artifacts.Walk: what has been followed from one name is not followed again from the next.
	stack := []artifacts.Digest{root}
	for len(stack) > 0 {
		d := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if _, seen := r.kinds[d]; seen {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		m, err := artifacts.GetManifest(ctx, r.store, d)
		if err != nil && r.lax {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: what it leads to cannot be told: %w (hone audit --all tells more; nothing is removed)", from, err)
		}
		r.kinds[d], r.blobs[d] = m.Kind, true
		for _, out := range m.Outputs {
			r.blobs[out.Digest] = true
			if r.roles[out.Digest] == "" {
				r.roles[out.Digest] = m.Kind
			}
		}
		for _, in := range m.Inputs {
			stack = append(stack, in.Digest)
		}
		if m.Kind == artifacts.KindRun {
			for _, raw := range digests.FindAll(m.Parameters, -1) {
				asked = append(asked, artifacts.Digest(raw))
			}
		}
	}
	for _, d := range asked {
		_, err := artifacts.GetManifest(ctx, r.store, d)
		if errors.Is(err, artifacts.ErrNotFound) || errors.Is(err, artifacts.ErrUnexpected) {
			continue // no artifact here: the run says so itself
		}
		if err := r.artifact(ctx, from, d); err != nil {
			return err
		}
	}
	return nil
}

// policies are names by the digest of a policy: its weights and its state in training.
func policyOf(name string) (artifacts.Digest, bool) {
	first, hex, _ := strings.Cut(name, "/")
	d := artifacts.Digest("sha256:" + hex)
	return d, name == activities.WeightsName(d) && first == "weights" || name == activities.StateName(d) && first == "states"
}
