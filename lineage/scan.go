package lineage

import (
	"context"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage/retention"
)

// scan is a store's manifests the other way round: what was made from each.
type scan struct {
	names  map[artifacts.Digest][]string // that point at a manifest, sorted
	uses   map[artifacts.Digest][]Use
	kinds  map[artifacts.Digest]artifacts.Kind
	unread []Finding
}

// newScan reads every manifest that a name leads to, each once.
func newScan(ctx context.Context, store artifacts.Store) (*scan, error) {
	s := &scan{names: map[artifacts.Digest][]string{}, uses: map[artifacts.Digest][]Use{}, kinds: map[artifacts.Digest]artifacts.Kind{}}
	names, err := store.Names(ctx, "")
	if err != nil {
		return nil, err
	}
	seen := map[artifacts.Digest]bool{}
	for _, name := range names {
		if !retention.OfManifest(name) {
			continue
		}
		d, err := store.Resolve(ctx, name)
		if err == nil {
			s.names[d] = append(s.names[d], name)
			err = s.read(ctx, store, d, name, seen)
		} else if ctx.Err() == nil {
			s.unread, err = append(s.unread, Finding{Where: "name " + name, Problem: err.Error()}), nil
		}
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// read reads a manifest and all behind it, as deep as they go.
func (s *scan) read(ctx context.Context, store artifacts.Store, d artifacts.Digest, name string, seen map[artifacts.Digest]bool) error {
	for todo := []artifacts.Digest{d}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		m, err := artifacts.GetManifest(ctx, store, at)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			s.unread = append(s.unread, Finding{Where: "manifest " + string(at) + " (" + name + ")", Problem: err.Error()})
			continue
		}
		s.kinds[at] = m.Kind
		for _, in := range m.Inputs {
			s.uses[in.Digest] = append(s.uses[in.Digest], Use{Role: in.Role, Digest: at})
			todo = append(todo, in.Digest)
		}
	}
	return nil
}
