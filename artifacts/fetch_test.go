package artifacts_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// folder stores a small artifact.
func folder(t *testing.T, s artifacts.Store) *artifacts.Manifest {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "config.json"), "{}")
	write(t, filepath.Join(dir, "a", "b.txt"), "abc")
	write(t, filepath.Join(dir, "a-b"), "")
	outputs, err := artifacts.PutFolder(t.Context(), s, dir)
	if err != nil {
		t.Fatal(err)
	}
	return &artifacts.Manifest{
		Kind: artifacts.KindModel, Producer: artifacts.Producer{Name: "test", Version: "1"}, Outputs: outputs,
	}
}

func TestPutFolder(t *testing.T) {
	got := folder(t, mem.New()).Outputs
	want := []artifacts.Output{
		{"a-b", artifacts.Descriptor{MediaType: "application/octet-stream", Digest: digestE}},
		{"a/b.txt", artifacts.Descriptor{MediaType: "text/plain", Digest: digestA, Size: 3}},
		{"config.json", artifacts.Descriptor{MediaType: "application/json", Digest: artifacts.Of([]byte("{}")), Size: 2}},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPutFolderRefusesLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := artifacts.PutFolder(t.Context(), mem.New(), dir); err == nil || !strings.Contains(err.Error(), "link") {
		t.Errorf("got %v, want an error that names the link", err)
	}
}

// counting counts the blobs opened and can do something before.
type counting struct {
	artifacts.Store
	mu     sync.Mutex
	opened int
	before func() error
}

func (c *counting) Open(ctx context.Context, d artifacts.Digest) (io.ReadCloser, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opened++
	if c.before != nil {
		if err := c.before(); err != nil {
			return nil, err
		}
	}
	return c.Store.Open(ctx, d)
}

func TestFetchReuses(t *testing.T) {
	s := &counting{Store: mem.New()}
	m, cache := folder(t, s), t.TempDir()
	fetch := func(wantOpened int) string {
		t.Helper()
		s.opened = 0
		dir, err := artifacts.Fetch(t.Context(), s, m, cache)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(filepath.Join(dir, "a", "b.txt")); err != nil || string(b) != "abc" {
			t.Errorf("a/b.txt: got %q, %v, want abc", b, err)
		}
		if s.opened != wantOpened {
			t.Errorf("%d blobs read, want %d", s.opened, wantOpened)
		}
		if entries, err := os.ReadDir(cache); err != nil || len(entries) != 1 {
			t.Errorf("cache holds %v, %v, want one folder", entries, err)
		}
		return dir
	}
	dir := fetch(3)
	fetch(0)
	if err := os.Remove(filepath.Join(dir, "a-b")); err != nil {
		t.Fatal(err)
	}
	fetch(3)
	if err := os.Chmod(filepath.Join(dir, "config.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "config.json"), "{")
	fetch(3)
}

func TestFetchInterrupted(t *testing.T) {
	s := &counting{Store: mem.New()}
	m, cache := folder(t, s), t.TempDir()
	want := errors.New("gone")
	s.before = func() error {
		if s.opened == 2 {
			return want
		}
		return nil
	}
	if _, err := artifacts.Fetch(t.Context(), s, m, cache); !errors.Is(err, want) || !strings.Contains(err.Error(), "a/b.txt") {
		t.Errorf("got %v, want %v and the file's name", err, want)
	}
	if entries, err := os.ReadDir(cache); err != nil || len(entries) != 0 {
		t.Errorf("cache holds %v, %v, want nothing", entries, err)
	}
	// What a kill leaves is cleared once it is old.
	for name, age := range map[string]time.Duration{".fetch-old": 25 * time.Hour, ".fetch-new": time.Hour} {
		write(t, filepath.Join(cache, name, "x"), "x")
		if err := os.Chtimes(filepath.Join(cache, name), time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	s.before = nil
	if _, err := artifacts.Fetch(t.Context(), s, m, cache); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(cache, ".fetch-*")); err != nil || len(left) != 1 || filepath.Base(left[0]) != ".fetch-new" {
		t.Errorf("left: %v, %v, want .fetch-new", left, err)
	}
}

func TestFetchAtOnce(t *testing.T) {
	s := mem.New()
	m, cache := folder(t, s), t.TempDir()
	errs := make([]error, 8)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() { _, errs[i] = artifacts.Fetch(t.Context(), s, m, cache) })
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(cache); err != nil || len(entries) != 1 {
		t.Errorf("cache holds %v, %v, want one folder", entries, err)
	}
}

func TestFetchWrongSize(t *testing.T) {
	s := mem.New()
	m := folder(t, s)
	m.Outputs[1].Size = 4
	if _, err := artifacts.Fetch(t.Context(), s, m, t.TempDir()); !errors.Is(err, artifacts.ErrCorrupt) {
		t.Errorf("got %v, want ErrCorrupt", err)
	}
}

func TestReadAllLimit(t *testing.T) {
	s := mem.New()
	desc, err := artifacts.PutBytes(t.Context(), s, "text/plain", []byte("abc"))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := artifacts.ReadAll(t.Context(), s, desc.Digest, 3); err != nil || string(b) != "abc" {
		t.Errorf("limit 3: got %q, %v, want abc", b, err)
	}
	if _, err := artifacts.ReadAll(t.Context(), s, desc.Digest, 2); err == nil {
		t.Error("limit 2: no error")
	}
}
