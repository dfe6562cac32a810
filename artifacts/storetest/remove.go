package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/hone-rl/hone/artifacts"
)

// listed are all objects of a store.
func listed(t *testing.T, s artifacts.Remover) (names []string, blobs map[artifacts.Digest]artifacts.Object) {
	t.Helper()
	blobs = map[artifacts.Digest]artifacts.Object{}
	err := s.Objects(t.Context(), func(o artifacts.Object) error {
		switch {
		case o.Used.IsZero() || (o.Name == "") == (o.Digest == ""):
			t.Errorf("got %+v, want a name or a digest, and a time", o)
		case o.Name == "":
			blobs[o.Digest] = o
		case len(blobs) > 0:
			t.Errorf("name %s behind blobs", o.Name)
		default:
			names = append(names, o.Name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names, blobs
}

func testRemove(t *testing.T, h Harness) {
	s, ctx := h.Store, t.Context()
	start, err := s.Clock(ctx)
	if err != nil {
		t.Fatal(err)
	}
	one, two := put(t, s, []byte("one")), put(t, s, noise(9, h.LargeSize+100))
	for _, name := range []string{"a/b-c", "a/b", "z"} {
		mustName(t, s, name, one.Digest)
	}
	names, blobs := listed(t, s)
	if want := []string{"a/b", "a/b-c", "z"}; !slices.Equal(names, want) || len(blobs) != 2 || blobs[two.Digest].Size != two.Size {
		t.Fatalf("got %v and %v, want %v and two blobs", names, blobs, want)
	}
	for d, o := range blobs {
		if past := start.Sub(o.Used); past > 2*time.Second || past < -time.Minute { // a Date has whole seconds
			t.Errorf("blob %s was stored at %s, by the clock before it was %s", d, o.Used, start)
		}
	}

	if gone, err := s.RemoveBlob(ctx, one.Digest, start.Add(-time.Minute)); gone || err != nil {
		t.Errorf("a blob that is younger: %t, %v, want that it stays", gone, err)
	}
	mustRead(t, s, one.Digest, []byte("one"))
	later := start.Add(time.Hour)
	for range 2 { // one that is not there is gone, too
		for _, d := range []artifacts.Digest{one.Digest, two.Digest} {
			if gone, err := s.RemoveBlob(ctx, d, later); !gone || err != nil {
				t.Errorf("remove %s: %t, %v, want it gone", d, gone, err)
			}
			if _, err := artifacts.ReadAll(ctx, s, d, 1<<20); !errors.Is(err, artifacts.ErrNotFound) {
				t.Errorf("read a removed blob: %v, want ErrNotFound", err)
			}
		}
		if err := s.RemoveName(ctx, "a/b"); err != nil {
			t.Error(err)
		}
	}
	if names, blobs = listed(t, s); !slices.Equal(names, []string{"a/b-c", "z"}) || len(blobs) != 0 {
		t.Errorf("got %v and %v, want a/b-c and z alone", names, blobs)
	}
	mustName(t, s, "a/b", two.Digest) // another digest than before
	if again := put(t, s, []byte("one")); again != one {
		t.Errorf("put again: got %v, want %v", again, one)
	}
	mustRead(t, s, one.Digest, []byte("one"))
}

func testRemoveRefused(t *testing.T, h Harness) {
	for _, name := range []string{"", "../blobs/x", "a.json"} {
		if err := h.Store.RemoveName(t.Context(), name); err == nil {
			t.Errorf("RemoveName(%q): no error", name)
		}
	}
	for _, d := range []artifacts.Digest{"", "sha256:../../names/x"} {
		if _, err := h.Store.RemoveBlob(t.Context(), d, time.Now()); err == nil {
			t.Errorf("RemoveBlob(%q): no error", d)
		}
	}
	stop := errors.New("enough")
	put(t, h.Store, []byte("one"))
	put(t, h.Store, []byte("two"))
	n := 0
	if err := h.Store.Objects(t.Context(), func(artifacts.Object) error { n++; return stop }); !errors.Is(err, stop) || n != 1 {
		t.Errorf("Objects with a callback that fails: %v after %d calls, want its error after 1", err, n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, clock := h.Store.Clock(ctx)
	_, blob := h.Store.RemoveBlob(ctx, artifacts.Of(nil), time.Now())
	for what, err := range map[string]error{
		"Clock": clock, "RemoveBlob": blob, "RemoveName": h.Store.RemoveName(ctx, "a"),
		"Objects": h.Store.Objects(ctx, func(artifacts.Object) error { return nil }),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want context.Canceled", what, err)
		}
	}
}

// testUsed: a blob that is stored again counts as new, though nothing of it is written.
func testUsed(t *testing.T, h Harness) {
	for _, content := range [][]byte{[]byte("small"), noise(10, 70_000), noise(11, h.LargeSize+100)} {
		desc := put(t, h.Store, content)
		h.Age(t, desc.Digest, 48*time.Hour)
		_, blobs := listed(t, h.Store)
		now, err := h.Store.Clock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if age := now.Sub(blobs[desc.Digest].Used); age < 47*time.Hour || age > 49*time.Hour {
			t.Fatalf("%d bytes: %s old, want 48 hours", desc.Size, age)
		}
		put(t, h.Store, content)
		if _, blobs = listed(t, h.Store); now.Sub(blobs[desc.Digest].Used) > time.Minute {
			t.Errorf("%d bytes, stored again: used at %s, want now, %s", desc.Size, blobs[desc.Digest].Used, now)
		}
		if gone, err := h.Store.RemoveBlob(t.Context(), desc.Digest, now.Add(-24*time.Hour)); gone || err != nil {
			t.Errorf("%d bytes, stored again: removed %t, %v, want that it stays", desc.Size, gone, err)
		}
	}
}
