package lineage

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/signature"
)

// signature checks that an envelope is one of the artifact that its name has, and with the auditor's key that it holds.
func (a *Auditor) signature(ctx context.Context, name string, d artifacts.Digest) {
	a.blob(ctx, artifacts.Descriptor{Digest: d, Size: -1}, name)
	if a.sizes[d] < 0 || ctx.Err() != nil {
		return
	}
	of, by, err := signature.ParseName(name)
	if err != nil {
		a.found("name "+name, err)
		return
	}
	raw, err := artifacts.ReadAll(ctx, a.Store, d, signature.MaxEnvelope)
	if err == nil && by == a.key() {
		err = signature.Verify(raw, of, a.PublicKey)
	} else if err == nil {
		_, err = signature.About(raw, of)
	}
	if err != nil && ctx.Err() == nil {
		a.found(fmt.Sprintf("signature of %s (%s)", of, name), err)
	} else if by == a.key() {
		a.signed[of] = true
	}
}

// key is the id of the key that every manifest has to be signed with, "" for none.
func (a *Auditor) key() signature.KeyID {
	id, err := signature.IDOf(a.PublicKey)
	if err != nil {
		return ""
	}
	return id
}

// signatures checks the signatures of all manifests that were looked at, and with the auditor's key that each has one.
func (a *Auditor) signatures(ctx context.Context) error {
	names, err := a.Store.Names(ctx, signature.Prefix)
	if err != nil {
		return err
	}
	by := map[artifacts.Digest][]string{} // keys
	for _, name := range names {
		of, key, err := signature.ParseName(name)
		if _, here := a.manifests[of]; err != nil || !here {
			continue // of another run, or a name that --all finds
		}
		by[of] = append(by[of], key.Short())
		a.name(ctx, name)
	}
	if a.PublicKey == nil {
		return ctx.Err()
	}
	for _, d := range slices.Sorted(maps.Keys(a.manifests)) {
		if a.signed[d] {
			a.result.Signed++
			continue
		}
		kind := a.manifests[d]
		if kind == "" {
			kind = "manifest" // that could not be read
		}
		err := fmt.Errorf("no valid signature by key %s", a.key().Short())
		if len(by[d]) > 0 {
			err = fmt.Errorf("%w; there are signatures by %s", err, strings.Join(by[d], ", "))
		}
		a.found(fmt.Sprintf("%s %s", kind, d), err)
	}
	return ctx.Err()
}
