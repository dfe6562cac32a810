package s3_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/s3"
	"github.com/hone-rl/hone/artifacts/signature"
	"github.com/hone-rl/hone/devserver/gateway/faults"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/retention"
)

// bucket is a store whose objects can be made older.
type bucket struct {
	*s3.Store
	cfg s3.Config
}

func (b bucket) put(t *testing.T, content string, by time.Duration) artifacts.Descriptor {
	t.Helper()
	d, err := artifacts.PutBytes(t.Context(), b, "text/plain", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	age(t, blobFile(b.cfg.Bucket, d.Digest), by)
	return d
}

// run names an artifact with a file of that content as a stage of a run.
func (b bucket) run(t *testing.T, run, stage, content string, by time.Duration) artifacts.Digest {
	t.Helper()
	d, err := artifacts.PutManifest(t.Context(), b, artifacts.Manifest{
		SchemaVersion: 1, MediaType: artifacts.MediaTypeManifest, Kind: artifacts.KindReport,
		Producer: artifacts.Producer{Name: "hone", Version: "test"},
		Outputs:  []artifacts.Output{{Name: "report.md", Descriptor: b.put(t, content, by)}},
	})
	if err == nil {
		err = b.Name(t.Context(), activities.RunName(run, stage), d.Digest)
	}
	if err != nil {
		t.Fatal(err)
	}
	age(t, blobFile(b.cfg.Bucket, d.Digest), by)
	age(t, nameFile(b.cfg.Bucket, activities.RunName(run, stage)), by)
	return d.Digest
}

func (b bucket) has(t *testing.T, d artifacts.Digest) bool {
	t.Helper()
	_, err := artifacts.ReadAll(t.Context(), b, d, 1<<20)
	if err != nil && !errors.Is(err, artifacts.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

// TestCollected: hone gc in a bucket, by the server's times. What goes is a dropped run with its signature, and what no name
// leads to and is older than the run that goes on; not what both runs have, nor an upload that was cut off, which goes on
// afterwards where it was.
func TestCollected(t *testing.T) {
	const day = 24 * time.Hour
	cfg := testConfig()
	cfg.Concurrency = 1
	store, content := bucket{open(t, cfg), cfg}, large(9)
	old := []artifacts.Digest{store.run(t, "old-1", "spec", "spec", 5*day), store.run(t, "old-1", "run", "both", 5*day)}
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	id, err := signature.IDOf(key.Public().(ed25519.PublicKey))
	if err == nil {
		err = signature.Store(t.Context(), store, old[0], key, id) // a moment ago: it is as old as what it is of
	}
	if err != nil {
		t.Fatal(err)
	}
	going := store.run(t, "going-1", "spec", "of going-1", 2*day)
	both := store.run(t, "going-1", "games", "both", 2*day) // the manifest is that of old-1/run
	orphan, chunk := store.put(t, "orphan", 5*day), store.put(t, "chunk of going-1", 2*day)

	ctx, cancel := context.WithCancel(t.Context())
	server.faults.Set(cfg.Bucket, faults.Hooks{Part: func(number int) error {
		if number == 4 {
			cancel()
		}
		return nil
	}})
	if _, err := artifacts.PutBytes(ctx, store, "a/b", content); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled put: got %v, want context.Canceled", err)
	}
	server.faults.Set(cfg.Bucket, faults.Hooks{})
	waitFor(t, "part 4 arrives or is cut off", func() bool { time.Sleep(50 * time.Millisecond); return true })
	before := server.faults.Sent(cfg.Bucket)

	rules := retention.Rules{Drop: []string{"old-1"}}
	for range 2 { // a second time nothing is left to do
		p, err := retention.Make(t.Context(), store, rules)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Do(t.Context(), 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	for what, is := range map[string]struct{ there, want bool }{
		"spec of old-1": {store.has(t, old[0]), false}, "its file": {store.has(t, artifacts.Of([]byte("spec"))), false},
		"orphan":  {store.has(t, orphan.Digest), false},
		"going-1": {store.has(t, going), true}, "both": {store.has(t, both), true}, "chunk": {store.has(t, chunk.Digest), true},
	} {
		if is.there != is.want {
			t.Errorf("%s: there is %t, want %t", what, is.there, is.want)
		}
	}
	names, err := store.Names(t.Context(), "")
	if want := []string{"removals/old-1", "runs/going-1/games", "runs/going-1/spec"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("named are %v, %v, want %v", names, err, want)
	}
	res, err := (&lineage.Auditor{Store: store, Bytes: true}).All(t.Context())
	if err != nil || len(res.Findings) != 0 {
		t.Errorf("audit: %+v, %v, want no finding", res.Findings, err)
	}
	if _, err := artifacts.PutBytes(t.Context(), store, "a/b", content); err != nil {
		t.Fatal(err)
	}
	if after := server.faults.Sent(cfg.Bucket); before < 3 || before+after != largeParts {
		t.Errorf("%d parts sent before and %d after, want %d in all and 3 or 4 before", before, after, largeParts)
	}
	noUploads(t, cfg)
}
