package alfworld_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hone-rl/hone/env/alfworld"
)

// shared is a folder of the data that lies beside the repository. Tests that need it are skipped without it, but in CI.
func shared(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test's folder")
		}
		dir = up
	}
	path := filepath.Join(dir, "..", "shared", name)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s needs %s: %v", t.Name(), path, err)
		}
		t.Skipf("%s needs %s: %v", t.Name(), path, err)
	}
	return path
}

func TestGolden(t *testing.T) {
	got, err := alfworld.CheckGolden(t.Context(), shared(t, "alfworld-golden"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range got.First {
		t.Error(d)
	}
	got.First = nil
	want := alfworld.GoldenResult{Games: 68, Walks: 532, Rows: 18050}
	if got.Games != want.Games || got.Walks != want.Walks || got.Rows != want.Rows || got.Differences != 0 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
