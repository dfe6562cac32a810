package mem

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/hone-rl/hone/artifacts"
)

var _ artifacts.Remover = (*Store)(nil)

// now is the store's clock. s.mu is held.
func (s *Store) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// use notes that a blob or a name, by its key, has been stored. s.mu is held.
func (s *Store) use(key string) {
	if s.used == nil {
		s.used = map[string]time.Time{}
	}
	s.used[key] = s.now()
}

func nameKey(name string) string { return "names/" + name }

// Clock implements artifacts.Remover.
func (s *Store) Clock(ctx context.Context) (time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now(), ctx.Err()
}

// Objects implements artifacts.Remover.
func (s *Store) Objects(ctx context.Context, f func(artifacts.Object) error) error {
	s.mu.Lock()
	var all []artifacts.Object
	for _, name := range slices.Sorted(maps.Keys(s.names)) {
		all = append(all, artifacts.Object{Name: name, Size: int64(len(s.names[name])), Used: s.used[nameKey(name)]})
	}
	for _, d := range slices.Sorted(maps.Keys(s.blobs)) {
		all = append(all, artifacts.Object{Digest: d, Size: int64(len(s.blobs[d])), Used: s.used[string(d)]})
	}
	s.mu.Unlock() // f may call the store
	for _, o := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(o); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// RemoveName implements artifacts.Remover.
func (s *Store) RemoveName(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := artifacts.ValidateName(name); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.names, name)
	delete(s.used, nameKey(name))
	return nil
}

// RemoveBlob implements artifacts.Remover.
func (s *Store) RemoveBlob(ctx context.Context, d artifacts.Digest, since time.Time) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if err := d.Validate(); err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.blobs[d]; ok && !s.used[string(d)].Before(since) {
		return false, nil
	}
	delete(s.blobs, d)
	delete(s.used, string(d))
	return true, nil
}
