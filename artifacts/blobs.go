package artifacts

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
)

// PutBytes keeps b as a blob.
func PutBytes(ctx context.Context, s Store, mediaType string, b []byte) (Descriptor, error) {
	return s.Put(ctx, mediaType, bytes.NewReader(b))
}

// PutFile keeps the file's content as a blob.
func PutFile(ctx context.Context, s Store, mediaType, path string) (Descriptor, error) {
	f, err := os.Open(path)
	if err != nil {
		return Descriptor{}, err
	}
	desc, err := s.Put(ctx, mediaType, f)
	if err != nil {
		err = fmt.Errorf("store file %s: %w", path, err)
	}
	_ = f.Close() // only read from
	return desc, err
}

// ReadAll returns the content of blob d, verified. A blob of more than limit bytes is an error.
func ReadAll(ctx context.Context, s Store, d Digest, limit int64) ([]byte, error) {
	r, err := s.Open(ctx, d)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	_ = r.Close() // the content has been verified or err says why not
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, fmt.Errorf("blob %s: more than the %d bytes expected: %w", d, limit, ErrUnexpected)
	}
	return b, nil
}

// PutManifest keeps m and returns its descriptor; the digest is the artifact's. Store what m names first.
func PutManifest(ctx context.Context, s Store, m Manifest) (Descriptor, error) {
	b, err := Encode(m)
	if err != nil {
		return Descriptor{}, err
	}
	return PutBytes(ctx, s, MediaTypeManifest, b)
}

// GetManifest reads the manifest d.
func GetManifest(ctx context.Context, s Store, d Digest) (*Manifest, error) {
	b, err := ReadAll(ctx, s, d, maxManifest)
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	m, err := Decode(b)
	if err != nil {
		return nil, fmt.Errorf("blob %s is no manifest of an artifact (%w): %w", d, err, ErrUnexpected)
	}
	return m, nil
}
