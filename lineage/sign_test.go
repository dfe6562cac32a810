package lineage_test

import (
	"crypto/ed25519"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/artifacts/signature"
	"github.com/hone-rl/hone/lineage"
)

// signer is a key with its id.
type signer struct {
	ed25519.PrivateKey
	id signature.KeyID
}

// newSigner is the key whose seed is that byte, over and over.
func newSigner(t *testing.T, b byte) signer {
	t.Helper()
	key := ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(b)), ed25519.SeedSize)))
	id, err := signature.IDOf(key.Public().(ed25519.PublicKey))
	if err != nil {
		t.Fatal(err)
	}
	return signer{key, id}
}

func (s signer) public() ed25519.PublicKey { return s.Public().(ed25519.PublicKey) }

// audits are both audits of a store in which everything has to be signed.
func (s signer) audits(t *testing.T, store artifacts.Store) map[string]*lineage.Result {
	t.Helper()
	results := map[string]*lineage.Result{}
	for name, audit := range map[string]func(*lineage.Auditor) (*lineage.Result, error){
		"run": func(a *lineage.Auditor) (*lineage.Result, error) { return a.Run(t.Context(), runID) },
		"all": func(a *lineage.Auditor) (*lineage.Result, error) { return a.All(t.Context()) },
	} {
		a := auditor(store)
		a.PublicKey = s.public()
		res, err := audit(a)
		if err != nil {
			t.Fatal(err)
		}
		results[name] = res
	}
	return results
}

// TestSign: a signed run passes both audits with its key, whatever it trained, and has the digests that it had; with another key each
// manifest is found.
func TestSign(t *testing.T) {
	for name, made := range map[string]func(*testing.T) *mem.Store{"models": finished.copy, "skills": skilledRun} {
		t.Run(name, func(t *testing.T) {
			store, key, other := made(t), newSigner(t, 'a'), newSigner(t, 'b')
			before := names(t, store)
			signed, err := lineage.Sign(t.Context(), store, runID, key.PrivateKey, nil)
			if err != nil || signed.Key != key.id || signed.Run != runID {
				t.Fatalf("got %+v, %v", signed, err)
			}
			after := names(t, store)
			if len(after) != len(before)+signed.Manifests {
				t.Errorf("%d names became %d with %d signatures", len(before), len(after), signed.Manifests)
			}
			for name, d := range before {
				if after[name] != d {
					t.Errorf("%s has become %s", name, after[name])
				}
			}
			for audit, res := range key.audits(t, store) {
				if len(res.Findings) != 0 || res.Signed != signed.Manifests || res.Manifests != signed.Manifests || res.Names != len(after) {
					t.Errorf("%s: %d of %d signed, %d names, %+v, want %d, %d and no finding", audit, res.Signed, res.Manifests, res.Names, res.Findings, signed.Manifests, len(after))
				}
			}
			for audit, res := range other.audits(t, store) {
				if len(res.Findings) != res.Manifests || res.Signed != 0 {
					t.Fatalf("%s, another key: %d findings of %d manifests, want all", audit, len(res.Findings), res.Manifests)
				}
				want := "no valid signature by key " + other.id.Short() + "; there are signatures by " + key.id.Short()
				if f := res.Findings[0]; f.Problem != want || !strings.Contains(f.Where, "sha256:") {
					t.Errorf("%s, another key: got %+v, want %s", audit, f, want)
				}
			}
			if again, err := lineage.Sign(t.Context(), store, runID, key.PrivateKey, nil); err != nil || *again != *signed || len(names(t, store)) != len(after) {
				t.Errorf("again: got %+v, %v, %d names", again, err, len(names(t, store)))
			}
		})
	}
}

// TestSignedGraphs: signatures are in no lineage.
func TestSignedGraphs(t *testing.T) {
	store := finished.copy(t)
	games, err := store.Resolve(t.Context(), activities.RunName(runID, "games"))
	if err != nil {
		t.Fatal(err)
	}
	before := follow(t, store, games).Text()
	if _, err := lineage.Sign(t.Context(), store, runID, newSigner(t, 'a').PrivateKey, nil); err != nil {
		t.Fatal(err)
	}
	if after := follow(t, store, games).Text(); after != before {
		t.Errorf("got\n%swant\n%s", after, before)
	}
}

// TestAuditFindsSignatures: a signature that is missing, cut, of another manifest, by another key under this key's name, or damaged is
// found by both audits, which name the artifact.
func TestAuditFindsSignatures(t *testing.T) {
	key, other := newSigner(t, 'a'), newSigner(t, 'b')
	plain := finished.copy(t)
	hints, err := plain.Resolve(t.Context(), activities.RunName(runID, "hints"))
	if err != nil {
		t.Fatal(err)
	}
	teacher, err := plain.Resolve(t.Context(), activities.RunName(runID, "teacher"))
	if err != nil {
		t.Fatal(err)
	}
	envelope := func(d artifacts.Digest, by signer) []byte {
		m, err := artifacts.GetManifest(t.Context(), plain, d)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := artifacts.Encode(*m)
		if err == nil {
			raw, err = signature.Of(raw, by.PrivateKey)
		}
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	good := envelope(hints, key)
	for name, tt := range map[string]struct {
		envelope []byte // nil for none
		damage   bool
		want     string // besides that there is no valid one; "" where there is nothing to look at
	}{
		"missing":             {nil, false, ""},
		"cut":                 {good[:len(good)/2], false, "envelope: unexpected EOF"},
		"of another manifest": {envelope(teacher, key), false, "it signs the manifest " + string(teacher)},
		"by another key":      {envelope(hints, other), false, "none of its 1 signatures is by key " + key.id.Short()},
		"damaged":             {good, true, "corrupt"},
	} {
		t.Run(name, func(t *testing.T) {
			store := finished.copy(t)
			if tt.envelope != nil {
				d, err := artifacts.PutBytes(t.Context(), store, signature.MediaType, tt.envelope)
				if err == nil {
					err = store.Name(t.Context(), signature.Name(hints, key.id), d.Digest)
				}
				if err != nil {
					t.Fatal(err)
				}
				if tt.damage {
					store.FlipBlob(d.Digest, 100)
				}
			}
			// All but this one are signed as they should be.
			clean := finished.copy(t)
			signed, err := lineage.Sign(t.Context(), clean, runID, key.PrivateKey, nil)
			if err != nil {
				t.Fatal(err)
			}
			for name := range names(t, clean) {
				if d, _, err := signature.ParseName(name); err == nil && d != hints {
					if err := signature.Store(t.Context(), store, d, key.PrivateKey, key.id); err != nil {
						t.Fatal(err)
					}
				}
			}
			for audit, res := range key.audits(t, store) {
				if res.Signed != signed.Manifests-1 {
					t.Errorf("%s: %d signed, want %d", audit, res.Signed, signed.Manifests-1)
				}
				unsigned := lineage.Finding{Where: "dataset " + string(hints), Problem: "no valid signature by key " + key.id.Short()}
				if tt.envelope != nil {
					unsigned.Problem += "; there are signatures by " + key.id.Short()
				}
				if !slices.Contains(res.Findings, unsigned) {
					t.Errorf("%s: %+v is not in %+v", audit, unsigned, res.Findings)
				}
				others := slices.DeleteFunc(res.Findings, func(f lineage.Finding) bool { return f == unsigned })
				switch {
				case tt.want == "" && len(others) == 0:
				case len(others) != 1 || tt.want == "" || !strings.Contains(others[0].Problem, tt.want) || !strings.Contains(others[0].Where, hints.Hex()):
					t.Errorf("%s: got %+v, want one finding of %s with %q", audit, others, hints, tt.want)
				}
			}
			if tt.want == "" || name == "by another key" {
				return // without a key there is nothing wrong
			}
			for audit, run := range audits(store) {
				if res, err := run(t.Context()); err != nil || len(res.Findings) != 1 || !strings.Contains(res.Findings[0].Where, hints.Hex()) {
					t.Errorf("%s without a key: got %+v, %v, want it found", audit, res.Findings, err)
				}
			}
		})
	}
}

// TestSignRefuses: a run with a manifest that is gone is not signed at all, nor one that is not there.
func TestSignRefuses(t *testing.T) {
	store, key := finished.copy(t), newSigner(t, 'a')
	hints, err := store.Resolve(t.Context(), activities.RunName(runID, "hints"))
	if err != nil {
		t.Fatal(err)
	}
	undo := store.LoseBlob(hints)
	if _, err := lineage.Sign(t.Context(), store, runID, key.PrivateKey, nil); !errors.Is(err, lineage.ErrUnsound) || !strings.Contains(err.Error(), string(hints)) {
		t.Errorf("got %v, want %v and %s", err, lineage.ErrUnsound, hints)
	}
	undo()
	if _, err := lineage.Sign(t.Context(), store, "another", key.PrivateKey, nil); !errors.Is(err, lineage.ErrUnknown) {
		t.Errorf("another run: got %v, want %v", err, lineage.ErrUnknown)
	}
	if all := names(t, store); slices.ContainsFunc(slices.Collect(maps.Keys(all)), func(name string) bool { return strings.HasPrefix(name, signature.Prefix) }) {
		t.Error("something was signed")
	}
}
