package lineage_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage"
)

func TestAuditClean(t *testing.T) {
	store, _ := finished.get(t)
	for name, audit := range audits(store) {
		res, err := audit(t.Context())
		if err != nil || len(res.Findings) != 0 {
			t.Fatalf("%s: got %+v, %v, want no finding", name, res.Findings, err)
		}
		// Six cells of one game each; one report.
		if res.Replays != 6 || res.Reports != 1 || res.Records == 0 || res.Played != 12 || res.Blobs == 0 {
			t.Errorf("%s: got %+v, want 6 replays, the records of 12 games and a report", name, res)
		}
		names, err := store.Names(t.Context(), "")
		if err != nil || res.Names != len(names) {
			t.Errorf("%s: looked at %d names, want all %d: there is but one run", name, res.Names, len(names))
		}
	}
	if _, err := auditor(store).Run(t.Context(), "another"); !errors.Is(err, lineage.ErrUnknown) || !strings.Contains(err.Error(), `"another"`) {
		t.Errorf("another run: got %v, want %v", err, lineage.ErrUnknown)
	}
}

// TestAuditBytes: the audit of bytes looks at the same objects, and plays and counts nothing.
func TestAuditBytes(t *testing.T) {
	store, _ := finished.get(t)
	whole, err := auditor(store).All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	res, err := (&lineage.Auditor{Store: store, Bytes: true}).All(t.Context())
	if err != nil || len(res.Findings) != 0 || res.Names != whole.Names || res.Manifests != whole.Manifests || res.Blobs != whole.Blobs {
		t.Errorf("got %+v, %v, want the objects of %+v and no finding", res, err, whole)
	}
	if res.Replays+res.Played+res.Records+res.Reports != 0 {
		t.Errorf("got %+v, want nothing repeated", res)
	}
}

// damage is one way to harm a store, to be undone again.
type damage struct {
	what string // has to be named by a finding
	do   func() (undo func())
	by   []string // audits that have to find it
}

// damages flips a byte of every blob and every name, and removes every blob.
func damages(t *testing.T, store *mem.Store, orphans []string) []damage {
	t.Helper()
	var all []damage
	err := store.Blobs(t.Context(), func(d artifacts.Digest, size int64) error {
		by, of := []string{"run", "all"}, !slices.Contains(orphans, string(d))
		if !of {
			by = by[1:]
		}
		if size > 0 {
			flip := func(i int) func() func() {
				return func() func() {
					store.FlipBlob(d, i)
					return func() { store.FlipBlob(d, i) }
				}
			}
			all = append(all, damage{string(d), flip(int(size / 2)), by})
		}
		if of {
			all = append(all, damage{string(d), func() func() { return store.LoseBlob(d) }, by[:1]})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	names, err := store.Names(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		at := 10 + 7*i%120 // somewhere in a record of 200 bytes
		all = append(all, damage{name, func() func() {
			store.FlipName(name, at)
			return func() { store.FlipName(name, at) }
		}, []string{"run", "all"}})
	}
	return all
}

// TestAuditFindsEveryFlip: a changed byte in any blob, manifest or name, and a blob that is gone, are found and named,
// by the audit of the store and, if the run leads there, by that of the run.
func TestAuditFindsEveryFlip(t *testing.T) {
	store, _ := finished.get(t)
	clean, err := auditor(store).All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := damages(t, store, clean.Orphans)
	if len(all) < 190 {
		t.Errorf("only %d damages: the run has fewer objects than it should", len(all))
	}
	for _, d := range all {
		undo := d.do()
		for _, name := range d.by {
			res, err := audits(store)[name](t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(res.Findings, func(f lineage.Finding) bool { return strings.Contains(f.Where, d.what) }) {
				t.Errorf("audit of %s, harmed %s: got %+v, want it named", name, d.what, res.Findings)
			}
		}
		undo()
	}
	if res, err := auditor(store).All(t.Context()); err != nil || len(res.Findings) != 0 {
		t.Errorf("after it all: %+v, %v, want a store without fault", res.Findings, err)
	}
}

// TestAuditFindsLostNames: records and the run's manifest know which names there must be.
func TestAuditFindsLostNames(t *testing.T) {
	store, _ := finished.get(t)
	names, err := store.Names(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		about := name
		switch {
		case strings.HasPrefix(name, "checkpoints/"), name == "runs/"+runID+"/spec", name == "runs/"+runID+"/run":
			continue // nothing else says that they were there
		case strings.HasPrefix(name, "records/"):
			if about = "runs/" + runID + "/" + recordedStage(t, store, name); strings.Contains(about, "/evaluation/") {
				continue // the run's manifest has the report alone, not its cells
			}
		}
		restore := store.LoseName(name)
		res, err := auditor(store).Run(t.Context(), runID)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(res.Findings, func(f lineage.Finding) bool { return strings.Contains(f.Where, about) }) {
			t.Errorf("lost %s: got %+v, want %s named", name, res.Findings, about)
		}
		restore()
	}
}

// recordedStage is the stage that a record is of.
func recordedStage(t *testing.T, store artifacts.Store, name string) string {
	t.Helper()
	d, err := store.Resolve(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := activities.ReadRecord(t.Context(), store, d)
	if err != nil {
		t.Fatal(err)
	}
	return r.Name
}

// TestOrphans: what no name leads to is listed and harms nothing, but is checked as well.
func TestOrphans(t *testing.T) {
	store := finished.copy(t)
	before, err := auditor(store).All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// The records of both chunks of 6 games stand in no artifact. All else that activities hand on has the bytes of
	// some artifact's file: empty lists, and shards of panels of one game.
	if len(before.Orphans) != 2 {
		t.Errorf("got orphans %v, want the 2 chunks", before.Orphans)
	}
	d, err := artifacts.PutBytes(t.Context(), store, "text/plain", []byte("left by a killed upload"))
	if err != nil {
		t.Fatal(err)
	}
	after, err := auditor(store).All(t.Context())
	if err != nil || len(after.Findings) != 0 || !slices.Contains(after.Orphans, string(d.Digest)) || len(after.Orphans) != 3 {
		t.Errorf("got %v and %v, %v, want %s too and no finding", after.Orphans, after.Findings, err, d.Digest)
	}
	if res, err := auditor(store).Run(t.Context(), runID); err != nil || len(res.Orphans) != 0 {
		t.Errorf("the run's audit lists orphans %v, %v, want none", res.Orphans, err)
	}
}

func TestAuditEndsWithItsContext(t *testing.T) {
	store := finished.copy(t)
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	a := auditor(store)
	a.Tick = func(string) {
		if n++; n == 30 {
			cancel()
		}
	}
	if res, err := a.Run(ctx, runID); !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v, want that it ended", res, err)
	}
}
