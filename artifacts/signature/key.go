package signature

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/internal/regular"
)

// The PEM types of keys: PKCS #8 (RFC 5958) for the private half, SubjectPublicKeyInfo (RFC 5280) for the public.
const (
	privateType = "PRIVATE KEY"
	publicType  = "PUBLIC KEY"
)

// maxKey bounds a key's file in bytes; one of Ed25519 has about 120.
const maxKey = 16 << 10

// KeyID is the SHA-256 of a public key's SubjectPublicKeyInfo, in hexadecimal.
type KeyID string

// Short is enough of the id for a person.
func (k KeyID) Short() string { return string(k[:min(12, len(k))]) }

// IDOf is a key's id.
func IDOf(key ed25519.PublicKey) (KeyID, error) {
	if len(key) != ed25519.PublicKeySize {
		return "", fmt.Errorf("a key of %d bytes, expected %d", len(key), ed25519.PublicKeySize)
	}
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return "", err
	}
	return KeyID(artifacts.Of(der).Hex()), nil
}

// PublicFile is where a new key's public half is, beside the private one.
func PublicFile(file string) string { return file + ".pub" }

// NewKey makes a key and writes its halves: the private one to a file for its owner alone, the public one beside it. Files that are
// there stay as they are, and are an error.
func NewKey(file string) (KeyID, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", err
	}
	id, err := IDOf(public)
	if err != nil {
		return "", err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return "", err
	}
	open, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return "", err
	}
	if err := writeNew(file, 0o600, privateType, secret); err != nil {
		return "", err
	}
	if err := writeNew(PublicFile(file), 0o644, publicType, open); err != nil {
		return "", errors.Join(err, os.Remove(file)) // of no use alone
	}
	return id, nil
}

func writeNew(file string, mode os.FileMode, kind string, der []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	err = pem.Encode(f, &pem.Block{Type: kind, Bytes: der})
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// ReadPrivate reads a private key's file.
func ReadPrivate(file string) (ed25519.PrivateKey, error) {
	der, err := readPEM(file, privateType)
	if err != nil {
		return nil, err
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	private, is := key.(ed25519.PrivateKey)
	if !is {
		return nil, fmt.Errorf("%s: a key of type %T, expected Ed25519", file, key)
	}
	return private, nil
}

// ReadPublic reads a public key's file.
func ReadPublic(file string) (ed25519.PublicKey, error) {
	der, err := readPEM(file, publicType)
	if err != nil {
		return nil, err
	}
	key, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	public, is := key.(ed25519.PublicKey)
	if !is {
		return nil, fmt.Errorf("%s: a key of type %T, expected Ed25519", file, key)
	}
	return public, nil
}

func readPEM(file, kind string) ([]byte, error) {
	raw, err := regular.Read(file, maxKey)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(raw)
	if block == nil {
		return nil, fmt.Errorf("%s: expected PEM, -----BEGIN %s-----", file, kind)
	}
	if block.Type != kind {
		return nil, fmt.Errorf("%s: a %s, expected a %s", file, block.Type, kind)
	}
	return block.Bytes, nil
}
