package mem

import "github.com/hone-rl/hone/artifacts"

// FlipBlob changes one byte of a stored blob behind the store's back.
func (s *Store) FlipBlob(d artifacts.Digest, i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blobs[d][i] ^= 1
}

// FlipName changes one byte of a stored name behind the store's back.
func (s *Store) FlipName(name string, i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[name][i] ^= 1
}
