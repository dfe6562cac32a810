package s3_test

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/internal/freeport"
)

func TestNoRoom(t *testing.T) {
	cfg := testConfig()
	store := open(t, cfg)
	kept := []byte("kept before")
	if _, err := artifacts.PutBytes(t.Context(), store, "a/b", kept); err != nil {
		t.Fatal(err)
	}
	content := large(6)
	server.faults.Limit(cfg.Bucket, 3*partSize)
	for _, b := range [][]byte{content, content[:4*partSize], content[:partSize/2+3*partSize]} {
		_, err := artifacts.PutBytes(t.Context(), store, "a/b", b)
		if !errors.Is(err, artifacts.ErrNoSpace) || !strings.Contains(err.Error(), string(artifacts.Of(b))) ||
			!strings.Contains(err.Error(), cfg.Endpoint) {
			t.Fatalf("got %v, want ErrNoSpace with the blob and the endpoint", err)
		}
		mustLack(t, store, b)
	}
	if err := store.Name(t.Context(), "x", artifacts.Of(kept)); !errors.Is(err, artifacts.ErrNoSpace) {
		t.Errorf("name: got %v, want ErrNoSpace", err)
	}
	if _, err := store.Resolve(t.Context(), "x"); !errors.Is(err, artifacts.ErrNotFound) {
		t.Errorf("name that found no room: got %v, want ErrNotFound", err)
	}
	mustHave(t, store, kept)
	before := server.faults.Sent(cfg.Bucket)
	server.faults.Limit(cfg.Bucket, 1<<40)
	if _, err := artifacts.PutBytes(t.Context(), store, "a/b", content); err != nil {
		t.Fatal(err)
	}
	mustHave(t, store, content)
	if after := server.faults.Sent(cfg.Bucket); before != 3 || before+after != largeParts {
		t.Errorf("%d parts before there was room and %d after, want 3 and %d", before, after, largeParts-3)
	}
}

// TestFullDisk fills a real file system, made larger afterwards.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=24m"); err != nil {
		t.Skipf("no small file system can be mounted here, TestNoRoom stands in for it: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	address, err := freeport.Address()
	if err != nil {
		t.Fatal(err)
	}
	gw := job{Gateway: dir, Address: address}.start(t)
	t.Cleanup(func() { killed(t, gw) }) // before the file system goes
	cfg := testConfig()
	cfg.Endpoint = "http://" + address
	store, content := open(t, cfg), large(7)
	kept := []byte("kept before")
	if _, err := artifacts.PutBytes(t.Context(), store, "a/b", kept); err != nil {
		t.Fatal(err)
	}
	if _, err := artifacts.PutBytes(t.Context(), store, "a/b", content); !errors.Is(err, artifacts.ErrNoSpace) {
		t.Fatalf("%d bytes on 24 MiB: got %v, want ErrNoSpace", len(content), err)
	}
	mustLack(t, store, content)
	mustHave(t, store, kept)
	small := content[:partSize] // one request
	for range 10 {
		if _, err = artifacts.PutBytes(t.Context(), store, "a/b", small); err != nil {
			break
		}
		small = small[:len(small)-1]
	}
	if !errors.Is(err, artifacts.ErrNoSpace) {
		t.Errorf("small blobs until it is full: got %v, want ErrNoSpace", err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=256m"); err != nil {
		t.Fatal(err)
	}
	if _, err := artifacts.PutBytes(t.Context(), store, "a/b", content); err != nil {
		t.Fatalf("with room again: %v", err)
	}
	mustHave(t, store, content)
	noUploads(t, cfg)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) == 0 {
		t.Errorf("the small file system holds %v, %v, want the gateway's folders", entries, err)
	}
}
