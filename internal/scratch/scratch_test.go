package scratch_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hone-rl/hone/internal/scratch"
)

// TestScratch: a worker sweeps what a killed one left, and nothing of one that lives.
func TestScratch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "scratch")
	left := filepath.Join(dir, "worker-left")
	if err := os.MkdirAll(filepath.Join(left, "train-1"), 0o755); err != nil {
		t.Fatal(err)
	}
	first, releaseFirst, err := scratch.Take(dir, "worker-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(first, "weights"), []byte("w"), 0o644); err != nil {
		t.Fatal(err)
	}
	second, releaseSecond, err := scratch.Take(dir, "worker-")
	if err != nil {
		t.Fatal(err)
	}
	if first == second {
		t.Errorf("two workers share %s", first)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("the folder of a killed worker: got %v, want it swept", err)
	}
	if _, err := os.Stat(filepath.Join(first, "weights")); err != nil {
		t.Errorf("the first worker's file: got %v, want it kept", err)
	}
	if err := errors.Join(releaseFirst(), releaseSecond()); err != nil {
		t.Error(err)
	}
	third, releaseThird, err := scratch.Take(dir, "worker-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := releaseThird(); err != nil {
			t.Error(err)
		}
	}()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != filepath.Base(third) {
			t.Errorf("%s is left, want the third worker's folder alone", e.Name())
		}
	}
}
