// Package torchtest gives tests an engine.
package torchtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hone-rl/hone/gpu/torch"
)

// Engine is a CPU engine of one thread, closed when the test ends. Several test programs run side by side on a
// machine, and OpenMP threads that wait for each other on busy cores make a step many times slower; that two
// threads give the same bits each time has its own test.
func Engine(t testing.TB) *torch.Engine { return Threads(t, 1) }

// Threads is Engine with a number of threads.
func Threads(t testing.TB, n int) *torch.Engine {
	t.Helper()
	return On(t, torch.Config{Device: "cpu", Threads: n})
}

// On is an engine of any kind, closed when the test ends.
func On(t testing.TB, config torch.Config) *torch.Engine {
	t.Helper()
	e, err := torch.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// Do runs f on the engine and fails the test on an error.
func Do(t testing.TB, e *torch.Engine, f func()) {
	t.Helper()
	if err := e.Do(t.Context(), func() error { f(); return nil }); err != nil {
		t.Fatal(err)
	}
}

// Shared is the path of something in the folder "shared" beside the repository. Where it is missing the test is
// skipped, but in CI it fails.
func Shared(t testing.TB, path ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test's folder")
		}
	}
	full := filepath.Join(append([]string{dir, "..", "shared"}, path...)...)
	if _, err := os.Stat(full); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s needs %s: %v", t.Name(), full, err)
		}
		t.Skipf("%s needs %s, which is not there", t.Name(), full)
	}
	return full
}
