package webshop_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hone-rl/hone/env/webshop"
)

// buildIn names the folder that a copy of the test's own process writes into until it is killed.
const buildIn = "HONE_TEST_STORE"

// TestStoreKilled: a build that is killed leaves the catalogue from before, and the next one removes what it has left.
func TestStoreKilled(t *testing.T) {
	good := "[" + entry() + "]"
	if dir := os.Getenv(buildIn); dir != "" {
		s := sources(good, "{}", "")
		s.Products = io.MultiReader(strings.NewReader("["+entry("B01", "B02")+","), endless{})
		t.Error(webshop.Store(t.Context(), dir, s, webshop.StoreOptions{}))
		return
	}
	dir := t.TempDir()
	if err := webshop.Store(t.Context(), dir, sources(good, "{}", ""), webshop.StoreOptions{}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestStoreKilled$")
	cmd.Env = append(os.Environ(), buildIn+"="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return len(scratch(t, dir)) == 1 })
	// While it goes on, another waits.
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := webshop.Store(ctx, dir, sources(good, "{}", ""), webshop.StoreOptions{}); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "another") {
		t.Errorf("beside another: %v, want it to wait", err)
	}
	if left := scratch(t, dir); len(left) != 1 {
		t.Errorf("%v, want that of the other", left)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	if left := scratch(t, dir); len(left) != 1 {
		t.Fatalf("%v of one that was killed", left)
	}
	if s := stored(t, dir); s.Catalogue.Len() != 1 || at(t, s.Catalogue, 0).ASIN != "B01" {
		t.Errorf("%d products, want the one from before", s.Catalogue.Len())
	}
	if err := webshop.Store(t.Context(), dir, sources("["+entry("B01", "B03")+"]", "{}", ""), webshop.StoreOptions{}); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("%v, %v, want the two files", entries, err)
	}
	if s := stored(t, dir); at(t, s.Catalogue, 0).ASIN != "B03" {
		t.Errorf("%+v, want the new one", at(t, s.Catalogue, 0))
	}
}

// endless is blanks without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	time.Sleep(time.Millisecond)
	p[0] = ' '
	return 1, nil
}

// scratch are the folders in which something is written.
func scratch(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, ".index-*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// until waits for a condition.
func until(t *testing.T, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not come in a minute")
		}
	}
}
