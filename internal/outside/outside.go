// Package outside gives tests what lies outside the sources and may be missing: reference data, a published model,
// Python. Where it is missing the test is skipped; where CI=true it fails.
package outside

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hone-rl/hone/internal/programs"
)

// Shared is the path of something in the folder "shared" beside the repository.
func Shared(t testing.TB, path ...string) string {
	t.Helper()
	full := filepath.Join(append([]string{root(t), "..", "shared"}, path...)...)
	need(t, full, "the reference data")
	return full
}

// MiniLM is the folder of all-MiniLM-L6-v2, which make setup brings.
func MiniLM(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(root(t), ".minilm")
	need(t, filepath.Join(dir, "stamp"), "all-MiniLM-L6-v2 (make setup)")
	return dir
}

func root(t testing.TB) string {
	t.Helper()
	dir, err := programs.Root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// need looks for a path that belongs to what, and ends the test without it.
func need(t testing.TB, path, what string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s needs %s: %v", t.Name(), what, err)
		}
		t.Skipf("%s needs %s: %v", t.Name(), what, err)
	}
}
