package artifacts

import (
	"context"
	"fmt"
)

// WalkFunc is called with a manifest, or with the error that kept it from being read; m is nil then. The error that
// it returns ends the walk.
type WalkFunc func(d Digest, m *Manifest, err error) error

// Walk visits root and all that it was made from, each manifest once: first an artifact, then its inputs in the
// order of its manifest, each with its own inputs behind it. The order follows from the manifests alone. An
// unreadable manifest is given to visit and has no inputs.
func Walk(ctx context.Context, s Store, root Digest, visit WalkFunc) error {
	type step struct {
		digest Digest
		via    string // how it was reached, for errors
	}
	seen := map[Digest]bool{}
	// A stack of our own: lineage can be as deep as a run has epochs.
	stack := []step{{digest: root}}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[at.digest] {
			continue
		}
		seen[at.digest] = true
		if err := ctx.Err(); err != nil {
			return err
		}
		m, err := GetManifest(ctx, s, at.digest)
		if err != nil && at.via != "" {
			err = fmt.Errorf("%s: %w", at.via, err)
		}
		if err := visit(at.digest, m, err); err != nil {
			return err
		}
		if m == nil {
			continue
		}
		for i := len(m.Inputs) - 1; i >= 0; i-- {
			in := m.Inputs[i]
			stack = append(stack, step{in.Digest, fmt.Sprintf("input %s of %s %s", in.Role, m.Kind, at.digest.Short())})
		}
	}
	return nil
}
