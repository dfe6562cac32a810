package lineage

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/signature"
)

// Signed is what was signed.
type Signed struct {
	Run       string          `json:"run"`
	Key       signature.KeyID `json:"key"`
	Manifests int             `json:"manifests"`
}

// ErrUnsound is in the error of a run that has a manifest that cannot be read: none of its manifests is signed.
var ErrUnsound = errors.New("nothing was signed; hone audit shows all that is wrong")

// Sign signs every manifest that an audit of the run looks at: of its stages, of all that they were made from, and of what stands
// under shared names. Manifests are read and compared with their digests first, and if one of them is wrong none is signed. Signing again
// writes nothing. Tick is told of each; it may be nil.
func Sign(ctx context.Context, store artifacts.Store, run string, key ed25519.PrivateKey, tick func(string)) (*Signed, error) {
	public, is := key.Public().(ed25519.PublicKey)
	if !is {
		return nil, fmt.Errorf("a key of %d bytes, expected %d", len(key), ed25519.PrivateKeySize)
	}
	id, err := signature.IDOf(public)
	if err != nil {
		return nil, err
	}
	a := &Auditor{Store: store, Tick: tick, manifestsOnly: true}
	found, err := a.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	if len(found.Findings) > 0 {
		first := found.Findings[0]
		return nil, fmt.Errorf("run %s: %s: %s: %w", run, first.Where, first.Problem, ErrUnsound)
	}
	signed := &Signed{Run: run, Key: id}
	for _, d := range slices.Sorted(maps.Keys(a.manifests)) {
		a.Tick("signature of " + d.Short())
		if err := signature.Store(ctx, store, d, key, id); err != nil {
			return nil, fmt.Errorf("sign %s %s: %w", a.manifests[d], d, err)
		}
		signed.Manifests++
	}
	return signed, nil
}
