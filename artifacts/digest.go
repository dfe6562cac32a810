package artifacts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Digest is "sha256:" and 64 lower-case hexadecimal digits, as in the OCI image specification.
type Digest string

const prefix = "sha256:"

// Of is the digest of b.
func Of(b []byte) Digest {
	sum := sha256.Sum256(b)
	return Digest(prefix + hex.EncodeToString(sum[:]))
}

// ParseDigest checks s.
func ParseDigest(s string) (Digest, error) {
	d := Digest(s)
	if err := d.Validate(); err != nil {
		return "", err
	}
	return d, nil
}

// Validate says what is wrong with d, nil if nothing is.
func (d Digest) Validate() error {
	digits, ok := strings.CutPrefix(string(d), prefix)
	if !ok || len(digits) != 64 || strings.Trim(digits, "0123456789abcdef") != "" {
		return fmt.Errorf("digest %q: expected sha256: and 64 lower-case hexadecimal digits", string(d))
	}
	return nil
}

// Hex is the digest without its algorithm.
func (d Digest) Hex() string { return strings.TrimPrefix(string(d), prefix) }

// Short is enough of the digest for a person.
func (d Digest) Short() string {
	h := d.Hex()
	return h[:min(12, len(h))]
}

// Descriptor points at a blob (OCI content descriptor).
type Descriptor struct {
	MediaType string `json:"mediaType"`
	Digest    Digest `json:"digest"`
	Size      int64  `json:"size"` // bytes
}
