package storetest

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hone-rl/hone/artifacts"
)

func mustName(t *testing.T, s artifacts.Store, name string, d artifacts.Digest) {
	t.Helper()
	if err := s.Name(t.Context(), name, d); err != nil {
		t.Fatalf("name %q: %v", name, err)
	}
}

func testName(t *testing.T, h Harness) {
	one, two := artifacts.Of([]byte("1")), artifacts.Of([]byte("2"))
	const name = "runs/demo-1a2b/teacher"
	if _, err := h.Store.Resolve(t.Context(), name); !errors.Is(err, artifacts.ErrNotFound) {
		t.Errorf("Resolve before: got %v, want ErrNotFound", err)
	}
	mustName(t, h.Store, name, one)
	mustName(t, h.Store, name, one)
	if err := h.Store.Name(t.Context(), name, two); !errors.Is(err, artifacts.ErrConflict) {
		t.Errorf("other digest: got %v, want ErrConflict", err)
	}
	if got, err := h.Store.Resolve(t.Context(), name); err != nil || got != one {
		t.Errorf("Resolve: got %s, %v, want %s", got, err, one)
	}
}

func testNameRefused(t *testing.T, h Harness) {
	d := artifacts.Of(nil)
	bad := []string{
		"", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "a/.hidden", "-a", "a b", "ä", "a\x00", `a\b`, "a.json", "a.json/b",
		strings.Repeat("a", 201), strings.Repeat("ab/", 200) + "c",
	}
	for _, name := range bad {
		if err := h.Store.Name(t.Context(), name, d); err == nil {
			t.Errorf("Name(%.40q): no error", name)
		}
		if _, err := h.Store.Resolve(t.Context(), name); err == nil || errors.Is(err, artifacts.ErrNotFound) {
			t.Errorf("Resolve(%.40q): got %v, want that it is no name", name, err)
		}
	}
	if err := h.Store.Name(t.Context(), "good", "sha256:short"); err == nil {
		t.Error("bad digest: no error")
	}
	mustName(t, h.Store, "A-Z_0.9/"+strings.Repeat("a", 200), d)
}

func testNameFolders(t *testing.T, h Harness) {
	d := artifacts.Of(nil)
	mustName(t, h.Store, "a/b", d)
	for _, name := range []string{"a", "a/b/c", "a/b/c/d"} {
		if err := h.Store.Name(t.Context(), name, d); err == nil || errors.Is(err, artifacts.ErrConflict) {
			t.Errorf("Name(%q) beside a/b: got %v, want a refusal", name, err)
		}
	}
	for _, name := range []string{"a/bc", "a/b-c", "ab"} { // only look like it
		mustName(t, h.Store, name, d)
	}
}

func testNameRace(t *testing.T, h Harness) {
	const racers = 32
	var group sync.WaitGroup
	errs := make([]error, racers)
	digest := func(i int) artifacts.Digest { return artifacts.Of([]byte{byte(i)}) }
	start := make(chan struct{})
	for i := range racers {
		group.Go(func() {
			<-start
			errs[i] = h.Store.Name(t.Context(), "prize", digest(i))
		})
	}
	close(start)
	group.Wait()
	won := -1
	for i, err := range errs {
		switch {
		case err == nil && won < 0:
			won = i
		case err == nil:
			t.Errorf("%d and %d both won", won, i)
		case !errors.Is(err, artifacts.ErrConflict):
			t.Errorf("racer %d: got %v, want ErrConflict", i, err)
		}
	}
	if won < 0 {
		t.Fatal("nobody won")
	}
	if got, err := h.Store.Resolve(t.Context(), "prize"); err != nil || got != digest(won) {
		t.Errorf("Resolve: got %s, %v, want the winner's %s", got, err, digest(won))
	}
}

func testFlippedName(t *testing.T, h Harness) {
	const name = "runs/x/report"
	d := artifacts.Of([]byte("report"))
	mustName(t, h.Store, name, d)
	record, err := artifacts.EncodeName(name, d)
	if err != nil {
		t.Fatal(err)
	}
	for i := range record {
		h.FlipName(t, name, i)
		if _, err := h.Store.Resolve(t.Context(), name); !errors.Is(err, artifacts.ErrCorrupt) {
			t.Errorf("byte %d (%q) flipped: got %v, want ErrCorrupt", i, record[i], err)
		}
		h.FlipName(t, name, i)
	}
	if got, err := h.Store.Resolve(t.Context(), name); err != nil || got != d {
		t.Errorf("mended: got %s, %v, want %s", got, err, d)
	}
}

func testNames(t *testing.T, h Harness) {
	d := artifacts.Of(nil)
	for _, name := range []string{"runs/b/x", "runs/a/y", "runs/a/x", "runs-old", "datasets/d", "runs/a-b/z"} {
		mustName(t, h.Store, name, d)
	}
	tests := []struct {
		prefix string
		want   []string
	}{
		{"", []string{"datasets/d", "runs-old", "runs/a-b/z", "runs/a/x", "runs/a/y", "runs/b/x"}},
		{"runs/", []string{"runs/a-b/z", "runs/a/x", "runs/a/y", "runs/b/x"}},
		{"runs/a", []string{"runs/a-b/z", "runs/a/x", "runs/a/y"}},
		{"runs/a/", []string{"runs/a/x", "runs/a/y"}},
		{"runs/a/x", []string{"runs/a/x"}},
		{"runs/a/x.j", nil},
		{"none", nil},
	}
	for _, tt := range tests {
		got, err := h.Store.Names(t.Context(), tt.prefix)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("Names(%q): got %v, %v, want %v", tt.prefix, got, err, tt.want)
		}
	}
}
