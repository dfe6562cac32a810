package lineage_test

import (
	"context"
	"io"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage/retention"
)

// collected is a store in whose midst is removed, each time that something is stored or named. A month goes by each time.
// Nothing is removed amid the few names that a stage gets at its end: for them is retention.Settle.
type collected struct {
	*mem.Store
	t     *testing.T
	from  string // the name that it begins with
	rules retention.Rules

	mu     sync.Mutex
	begun  bool
	months int // read by the store's clock
	names  int // removed
	blobs  int
}

func (c *collected) Put(ctx context.Context, mediaType string, r io.ReadSeeker) (artifacts.Descriptor, error) {
	d, err := c.Store.Put(ctx, mediaType, r)
	if err == nil && !strings.Contains(mediaType, "record") {
		err = c.collect(ctx, "")
	}
	return d, err
}

func (c *collected) Name(ctx context.Context, name string, d artifacts.Digest) error {
	if err := c.Store.Name(ctx, name, d); err != nil {
		return err
	}
	return c.collect(ctx, name)
}

func (c *collected) collect(ctx context.Context, name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.begun = c.begun || name == c.from; !c.begun || strings.HasPrefix(name, "stages/") || strings.HasPrefix(name, "runs/") {
		return nil
	}
	c.months++
	later(c.Store, time.Duration(c.months)*30*day)
	p, err := retention.Make(ctx, c.Store, c.rules)
	if err != nil {
		return err
	}
	res, err := p.Do(ctx, 0, nil)
	c.names += res.Names
	c.blobs += res.Blobs
	return err
}

// TestRetentionMeanwhile: while a run goes on, whose objects are named by nothing for months, everything that it does not
// need is removed over and over: a run that it shares stages with before, and what that has left. It comes to the same
// digests as undisturbed, and leaves the same store.
func TestRetentionMeanwhile(t *testing.T) {
	spec := strings.Replace(smallSpec, "student: {steps: 2", "student: {steps: 4", 1)
	alone := mem.New()
	want := runSpec(t, alone, "new-1", spec)
	later(alone, 2*day)
	do(t, planOf(t, alone, retention.Rules{}))
	for _, from := range []string{"spec", "games", "hints", "teacher", "student"} {
		store := finished.copy(t)
		later(store, 2*day)
		c := &collected{Store: store, t: t, from: activities.RunName("new-1", from), rules: retention.Rules{Drop: []string{runID}}}
		got := runSpec(t, c, "new-1", spec)
		if got.Digest != want.Digest {
			t.Errorf("from %s: the run is %s, undisturbed %s", from, got.Digest, want.Digest)
		}
		if c.months < 20 || c.names < 10 || c.blobs < 3 {
			t.Errorf("from %s: %d names and %d blobs went in %d times, want some", from, c.names, c.blobs, c.months)
		}
		if res, err := auditor(store).All(t.Context()); err != nil || len(res.Findings) != 0 {
			t.Errorf("from %s: %+v, %v, want no finding", from, res.Findings, err)
		}
		later(store, 4000*day)
		do(t, planOf(t, store, retention.Rules{}))
		clean(t, store, 0)
		left, want := names(t, store), names(t, alone)
		delete(left, retention.NoticeName(runID))
		for _, all := range []map[string]artifacts.Digest{left, want} { // records say what was used again
			maps.DeleteFunc(all, func(name string, _ artifacts.Digest) bool { return strings.HasPrefix(name, "records/") })
		}
		if !maps.Equal(left, want) {
			t.Errorf("from %s: left are %v, want %v", from, left, want)
		}
	}
}
