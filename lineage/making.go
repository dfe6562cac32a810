package lineage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// making is how and when an artifact was made, as far as it is recorded.
type making struct {
	*Node
	record *activities.Finished // of the stage that made it; nil where there is none
	name   string               // the record's
	whole  *activities.Finished // of a whole run, a record of its last stage
	at     time.Time            // when it was there at the earliest
	since  string               // what at was taken from
}

// What times are taken from.
const (
	fromRecord = "record" // the end of the stage that made it
	fromInputs = "inputs" // the latest time of what it was made from
	fromNone   = "none"   // the beginning of 1970, in place of a time that is not known
)

// makings are a graph's artifacts, each behind all that it was made from.
func (g *Graph) makings(ctx context.Context, store artifacts.Store) ([]making, error) {
	all := g.ordered()
	made := make(map[artifacts.Digest]*making, len(all))
	for i := range all {
		made[all[i].Digest] = &all[i]
	}
	if err := g.recorded(ctx, store, made); err != nil {
		return nil, err
	}
	for i := range all {
		m := &all[i]
		m.since, m.at = fromNone, time.Unix(0, 0).UTC()
		if m.record != nil {
			m.since, m.at = fromRecord, m.record.Ended.UTC()
			continue
		}
		for _, in := range m.Inputs {
			if before := made[in.Digest]; before != nil && before.since != fromNone {
				m.since = fromInputs
				if before.at.After(m.at) {
					m.at = before.at
				}
			}
		}
	}
	return all, nil
}

// ordered are the artifacts in the order of the graph's walk, but for inputs, which come before what was made from them.
func (g *Graph) ordered() (all []making) {
	seen := map[artifacts.Digest]bool{}
	var add func(n *Node)
	add = func(n *Node) {
		if n == nil || seen[n.Digest] {
			return
		}
		seen[n.Digest] = true
		for _, in := range n.Inputs {
			add(g.Nodes[in.Digest])
		}
		all = append(all, making{Node: n})
	}
	todo := []artifacts.Digest{g.Root}
	asked := map[artifacts.Digest]bool{g.Root: true}
	for ; len(todo) > 0; todo = todo[1:] {
		n := g.Nodes[todo[0]]
		add(n)
		for _, u := range n.Uses {
			if !asked[u.Digest] {
				asked[u.Digest] = true
				todo = append(todo, u.Digest)
			}
		}
	}
	return all
}

// recorded looks for the records of what was made. Of several of an artifact, which many runs may have come to, it takes that
// of the stage that did the work, and the earliest.
func (g *Graph) recorded(ctx context.Context, store artifacts.Store, made map[artifacts.Digest]*making) error {
	names, err := store.Names(ctx, "records/")
	if err != nil {
		return err
	}
	last := map[string]*activities.Finished{} // of each run, the record of the stage that ended last
	for _, name := range names {              // sorted: the first of equals
		if strings.HasPrefix(name, activities.SourcesPrefix) {
			continue
		}
		d, err := store.Resolve(ctx, name)
		if err != nil {
			return fmt.Errorf("record %s: %w", name, err)
		}
		r, err := activities.ReadRecord(ctx, store, d)
		if err != nil {
			return fmt.Errorf("record %s: %w", name, err)
		}
		if l := last[r.Run]; l == nil || r.Ended.After(l.Ended) {
			last[r.Run] = &r
		}
		if m := made[r.Digest]; m != nil && (m.record == nil || before(&r, m.record)) {
			m.record, m.name = &r, name
		}
	}
	for _, run := range slices.Sorted(maps.Keys(last)) {
		d, err := store.Resolve(ctx, activities.RunName(run, "run"))
		if errors.Is(err, artifacts.ErrNotFound) {
			continue // not finished
		}
		if err != nil {
			return fmt.Errorf("run %s: %w", run, err)
		}
		if m := made[d]; m != nil && m.whole == nil {
			m.whole = last[run]
		}
	}
	return ctx.Err()
}

func before(a, b *activities.Finished) bool {
	if a.Reused != b.Reused {
		return b.Reused
	}
	return a.Ended.Before(b.Ended)
}
