// Package mem is an artifacts.Store in memory, for tests and for looking at how a store behaves.
package mem

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hone-rl/hone/artifacts"
)

// Store keeps everything in maps. Its zero value is an empty store.
type Store struct {
	mu    sync.Mutex
	blobs map[artifacts.Digest][]byte
	names map[string][]byte // records as artifacts.EncodeName writes them
	used  map[string]time.Time

	// Now is the store's clock; nil for the system's. It is called with the store locked.
	Now func() time.Time
}

var _ artifacts.Store = (*Store)(nil)

// New is an empty store.
func New() *Store { return &Store{} }

// Put implements artifacts.Store.
func (s *Store) Put(ctx context.Context, mediaType string, r io.ReadSeeker) (artifacts.Descriptor, error) {
	if err := ctx.Err(); err != nil {
		return artifacts.Descriptor{}, err
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return artifacts.Descriptor{}, err
	}
	d := artifacts.Of(b)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.blobs == nil {
		s.blobs = map[artifacts.Digest][]byte{}
	}
	if _, ok := s.blobs[d]; !ok {
		s.blobs[d] = b
	}
	s.use(string(d))
	return artifacts.Descriptor{MediaType: mediaType, Digest: d, Size: int64(len(b))}, nil
}

// Open implements artifacts.Store.
func (s *Store) Open(ctx context.Context, d artifacts.Digest) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := d.Validate(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.blobs[d]
	if !ok {
		return nil, fmt.Errorf("blob %s: %w", d, artifacts.ErrNotFound)
	}
	return artifacts.Verified(io.NopCloser(bytes.NewReader(b)), d), nil
}

// Name implements artifacts.Store.
func (s *Store) Name(ctx context.Context, name string, d artifacts.Digest) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	record, err := artifacts.EncodeName(name, d)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if stored, ok := s.names[name]; ok {
		if bytes.Equal(stored, record) {
			return nil
		}
		return fmt.Errorf("name %q: %w", name, artifacts.ErrConflict)
	}
	for _, p := range artifacts.Parents(name) {
		if _, ok := s.names[p]; ok {
			return fmt.Errorf("name %q: %q is a name already and cannot be a folder", name, p)
		}
	}
	for other := range s.names {
		if strings.HasPrefix(other, name+"/") {
			return fmt.Errorf("name %q is a folder of %q already", name, other)
		}
	}
	if s.names == nil {
		s.names = map[string][]byte{}
	}
	s.names[name] = record
	s.use(nameKey(name))
	return nil
}

// Resolve implements artifacts.Store.
func (s *Store) Resolve(ctx context.Context, name string) (artifacts.Digest, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if err := artifacts.ValidateName(name); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	record, ok := s.names[name]
	if !ok {
		return "", fmt.Errorf("name %q: %w", name, artifacts.ErrNotFound)
	}
	return artifacts.DecodeName(name, record)
}

// Names implements artifacts.Store.
func (s *Store) Names(ctx context.Context, prefix string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	names := slices.Sorted(maps.Keys(s.names))
	return slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, prefix) }), nil
}

// Blobs implements artifacts.Store.
func (s *Store) Blobs(ctx context.Context, f func(artifacts.Digest, int64) error) error {
	s.mu.Lock()
	digests := slices.Sorted(maps.Keys(s.blobs))
	sizes := make([]int64, len(digests))
	for i, d := range digests {
		sizes[i] = int64(len(s.blobs[d]))
	}
	s.mu.Unlock() // f may call the store
	for i, d := range digests {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(d, sizes[i]); err != nil {
			return err
		}
	}
	return nil
}
