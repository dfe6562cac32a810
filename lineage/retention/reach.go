package retention

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/signature"
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
	kind, is := plainKind(name)
	if !is {
		return r.artifact(ctx, name, d)
	}
	r.blobs[d] = true
	if r.roles[d] == "" {
		r.roles[d] = kind
	}
	return nil
}

// plain are names of what is no manifest, and what it counts as.
var plain = map[string]artifacts.Kind{
	"records/": artifacts.KindRecord, "episodes/": artifacts.KindRollouts, signature.Prefix: Signatures, NoticePrefix: artifacts.KindRecord,
}

func plainKind(name string) (artifacts.Kind, bool) {
	for prefix, kind := range plain {
		if strings.HasPrefix(name, prefix) {
			return kind, true
		}
	}
	return "", false
}

// OfManifest says whether a name points at a manifest, and not at a record, an episode, a signature or a notice.
func OfManifest(name string) bool {
	_, is := plainKind(name)
	return !is
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
		if _, seen := r.kinds[d]; seen {
			continue
		}
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

// about is the artifact that a name is by: of a policy its weights and its state in training, of whatever its signatures.
func about(name string) (of artifacts.Digest, signed, is bool) {
	if of, _, err := signature.ParseName(name); err == nil {
		return of, true, true
	}
	first, hex, _ := strings.Cut(name, "/")
	of = artifacts.Digest("sha256:" + hex)
	return of, false, name == activities.WeightsName(of) && first == "weights" || name == activities.StateName(of) && first == "states"
}
