package mem

import (
	"bytes"
	"time"

	"github.com/hone-rl/hone/artifacts"
)

// What follows changes a store behind its back, as a broken disk would: for tests of what notices it.

// FlipBlob changes a bit of byte i of a stored blob; a second time changes it back.
func (s *Store) FlipBlob(d artifacts.Digest, i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blobs[d][i] ^= 1
}

// FlipName changes a bit of byte i of a stored name's record; a second time changes it back.
func (s *Store) FlipName(name string, i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[name][i] ^= 1
}

// ChangeBlob puts what change makes of a copy of a stored blob in its place and returns how to bring it back.
func (s *Store) ChangeBlob(d artifacts.Digest, change func([]byte) []byte) (restore func()) {
	return changed(s, s.blobs, d, change)
}

// ChangeName is ChangeBlob of a stored name's record.
func (s *Store) ChangeName(name string, change func([]byte) []byte) (restore func()) {
	return changed(s, s.names, name, change)
}

func changed[K comparable](s *Store, in map[K][]byte, at K, change func([]byte) []byte) (restore func()) {
	set := func(b []byte) {
		s.mu.Lock()
		defer s.mu.Unlock()
		in[at] = b
	}
	s.mu.Lock()
	b := in[at]
	s.mu.Unlock()
	set(change(bytes.Clone(b)))
	return func() { set(b) }
}

// LoseBlob removes a blob and returns how to bring it back.
func (s *Store) LoseBlob(d artifacts.Digest) (restore func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.blobs[d]
	delete(s.blobs, d)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.blobs[d] = b
	}
}

// LoseName removes a name and returns how to bring it back.
func (s *Store) LoseName(name string) (restore func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.names[name]
	delete(s.names, name)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.names[name] = b
	}
}

// Age makes a blob as old as if it had been stored that much earlier.
func (s *Store) Age(d artifacts.Digest, by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used[string(d)] = s.used[string(d)].Add(-by)
}
