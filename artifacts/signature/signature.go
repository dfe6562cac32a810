package signature

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"

	"github.com/hone-rl/hone/artifacts"
)

// Prefix begins the names of all signatures.
const Prefix = "signatures/"

// PrefixOf begins the names of an artifact's signatures.
func PrefixOf(d artifacts.Digest) string { return Prefix + d.Hex() + "/" }

// Name is the name of an artifact's signature by a key: signatures/DIGEST/KEY.
func Name(d artifacts.Digest, key KeyID) string { return PrefixOf(d) + string(key) }

// ParseName is the artifact and the key of a signature's name.
func ParseName(name string) (artifacts.Digest, KeyID, error) {
	digest, key, _ := strings.Cut(strings.TrimPrefix(name, Prefix), "/")
	d, err := artifacts.ParseDigest("sha256:" + digest)
	if err == nil {
		_, err = artifacts.ParseDigest("sha256:" + key) // a SHA-256, too
	}
	if err != nil || Name(d, KeyID(key)) != name {
		return "", "", fmt.Errorf("name %s: expected %sDIGEST/KEY, each of 64 hexadecimal digits", name, Prefix)
	}
	return d, KeyID(key), nil
}

// Of is the envelope of a manifest, given by its bytes. Ed25519 takes no random numbers: the same manifest and key give the same
// bytes.
func Of(manifest []byte, key ed25519.PrivateKey) ([]byte, error) {
	public, is := key.Public().(ed25519.PublicKey)
	if !is {
		return nil, errors.New("expected an Ed25519 key")
	}
	id, err := IDOf(public)
	if err != nil {
		return nil, err
	}
	return Envelope{
		Payload: manifest, PayloadType: artifacts.MediaTypeManifest,
		Signatures: []Signature{{string(id), ed25519.Sign(key, encoded(artifacts.MediaTypeManifest, manifest))}},
	}.Encode()
}

// About checks that an envelope is one of the artifact's manifest, and says nothing of its signatures.
func About(raw []byte, d artifacts.Digest) (Envelope, error) {
	e, err := Decode(raw)
	if err != nil {
		return e, err
	}
	if e.PayloadType != artifacts.MediaTypeManifest {
		return e, fmt.Errorf("envelope: payloadType: %q, expected %q", e.PayloadType, artifacts.MediaTypeManifest)
	}
	if of := artifacts.Of(e.Payload); of != d {
		return e, fmt.Errorf("it signs the manifest %s, expected %s", of, d)
	}
	return e, nil
}

// Verify checks that an envelope is one of the artifact's manifest, and signed with the key's private half. What an envelope says of
// its keys is not relied on.
func Verify(raw []byte, d artifacts.Digest, key ed25519.PublicKey) error {
	id, err := IDOf(key)
	if err != nil {
		return err
	}
	e, err := About(raw, d)
	if err != nil {
		return err
	}
	signed := encoded(e.PayloadType, e.Payload)
	for _, s := range e.Signatures {
		if ed25519.Verify(key, signed, s.Sig) {
			return nil
		}
	}
	return fmt.Errorf("none of its %d signatures is by key %s", len(e.Signatures), id.Short())
}

// Store signs a stored manifest and names the envelope. To sign it again writes nothing.
func Store(ctx context.Context, s artifacts.Store, d artifacts.Digest, key ed25519.PrivateKey, id KeyID) error {
	m, err := artifacts.GetManifest(ctx, s, d)
	if err != nil {
		return err
	}
	raw, err := artifacts.Encode(*m) // what was read: manifests have one form
	if err != nil {
		return err
	}
	envelope, err := Of(raw, key)
	if err != nil {
		return err
	}
	desc, err := artifacts.PutBytes(ctx, s, MediaType, envelope)
	if err != nil {
		return err
	}
	return s.Name(ctx, Name(d, id), desc.Digest)
}
