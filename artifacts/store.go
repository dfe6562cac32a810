// Package artifacts keeps what runs make: immutable blobs under their digest, manifests that say how each came
// to be, and names that point at manifests. docs/artifacts.md describes the formats.
package artifacts

import (
	"context"
	"errors"
	"io"
)

// Store keeps immutable blobs under the digest of their content, and names that point at one of them.
// Its methods may be called from many goroutines.
type Store interface {
	// Put reads r to its end and keeps it under its digest. Putting the same content again succeeds and writes
	// nothing.
	Put(ctx context.Context, mediaType string, r io.ReadSeeker) (Descriptor, error)

	// Open returns the blob's content, checked against d as it is read: a mismatch is ErrCorrupt from Read, at
	// the latest in place of io.EOF. ErrNotFound if there is no such blob.
	Open(ctx context.Context, d Digest) (io.ReadCloser, error)

	// Name points name at d, once: naming the same again succeeds, another digest is ErrConflict and changes
	// nothing. Names are paths such as "runs/demo-1a2b/teacher"; one that is a folder of another is refused.
	Name(ctx context.Context, name string, d Digest) error

	// Resolve returns the digest that name points at, ErrNotFound if there is none, ErrCorrupt if what is
	// stored is not byte for byte what Name writes.
	Resolve(ctx context.Context, name string) (Digest, error)

	// Names lists, sorted, the names that begin with prefix.
	Names(ctx context.Context, prefix string) ([]string, error)

	// Blobs calls f for each stored blob in the order of digests; for hone audit --all.
	Blobs(ctx context.Context, f func(Digest, int64) error) error
}

var (
	// ErrNotFound means that there is no such blob or name.
	ErrNotFound = errors.New("not found")
	// ErrCorrupt means that what is stored is not what its digest or name says.
	ErrCorrupt = errors.New("corrupt")
	// ErrConflict means that a name already points elsewhere.
	ErrConflict = errors.New("name already points at another digest")
	// ErrUnexpected means that a blob is as it was written, but not what the reader was to find: no manifest, or
	// larger than said.
	ErrUnexpected = errors.New("not what is expected there")
	// ErrNoSpace means that the store is full. What was kept before stays; the same call may be tried again when
	// there is room.
	ErrNoSpace = errors.New("no space left in the store")
)
