package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/hone-rl/hone/artifacts"
)

const octets = artifacts.MediaTypeOctets

// noise is n bytes that follow from the seed and do not compress or repeat.
func noise(seed uint64, n int) []byte {
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	b := make([]byte, n)
	_, _ = rand.NewChaCha8(key).Read(b) // never fails
	return b
}

func put(t *testing.T, s artifacts.Store, b []byte) artifacts.Descriptor {
	t.Helper()
	desc, err := artifacts.PutBytes(t.Context(), s, octets, b)
	if err != nil {
		t.Fatalf("put %d bytes: %v", len(b), err)
	}
	return desc
}

func mustRead(t *testing.T, s artifacts.Store, d artifacts.Digest, want []byte) {
	t.Helper()
	got, err := artifacts.ReadAll(t.Context(), s, d, int64(len(want)))
	if err != nil {
		t.Fatalf("read %s: %v", d, err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("read %s: %d bytes that differ from the %d put", d, len(got), len(want))
	}
}

func testPut(t *testing.T, h Harness) {
	tests := []struct {
		name    string
		content []byte
		want    artifacts.Digest
	}{
		// Digests by sha256sum.
		{"empty", nil, "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", []byte("abc"), "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"binary", noise(1, 70_001), artifacts.Of(noise(1, 70_001))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := h.Store.Put(t.Context(), "text/plain", bytes.NewReader(tt.content))
			want := artifacts.Descriptor{MediaType: "text/plain", Digest: tt.want, Size: int64(len(tt.content))}
			if err != nil || got != want {
				t.Fatalf("Put: got %v, %v, want %v", got, err, want)
			}
			mustRead(t, h.Store, tt.want, tt.content)
		})
	}
}

func testPutTwice(t *testing.T, h Harness) {
	for i := range 3 {
		desc := put(t, h.Store, []byte("once"))
		mustRead(t, h.Store, desc.Digest, []byte("once"))
		if n := countBlobs(t, h.Store); n != 1 {
			t.Fatalf("after put %d: %d blobs, want 1", i+1, n)
		}
	}
}

func testPutFromMiddle(t *testing.T, h Harness) {
	for _, size := range []int{1000, h.LargeSize + 1000} {
		content := noise(2, size)
		r := bytes.NewReader(content)
		if _, err := r.Seek(100, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		desc, err := h.Store.Put(t.Context(), octets, r)
		if want := artifacts.Of(content[100:]); err != nil || desc.Digest != want || desc.Size != int64(size-100) {
			t.Fatalf("Put: got %v, %v, want %s of %d bytes", desc, err, want, size-100)
		}
		mustRead(t, h.Store, desc.Digest, content[100:])
	}
}

// seeker hides every method but two, as a reader that is no file and no byte slice would.
type seeker struct{ io.ReadSeeker }

func testPutLarge(t *testing.T, h Harness) {
	content := noise(3, h.LargeSize+12_345)
	desc := put(t, h.Store, content)
	mustRead(t, h.Store, desc.Digest, content)
	if again := put(t, h.Store, content); again != desc {
		t.Errorf("put again: got %v, want %v", again, desc)
	}
	content[0] ^= 1
	other, err := h.Store.Put(t.Context(), octets, seeker{bytes.NewReader(content)})
	if err != nil || other.Digest != artifacts.Of(content) {
		t.Fatalf("put through a plain reader: got %v, %v, want %s", other, err, artifacts.Of(content))
	}
	mustRead(t, h.Store, other.Digest, content)
}

func testPutSameAtOnce(t *testing.T, h Harness) {
	for _, content := range [][]byte{noise(4, 3000), noise(5, h.LargeSize+1)} {
		var group sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			group.Go(func() { _, errs[i] = artifacts.PutBytes(t.Context(), h.Store, octets, content) })
		}
		group.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatalf("put %d bytes 8 times at once: %v", len(content), err)
		}
		mustRead(t, h.Store, artifacts.Of(content), content)
	}
	if n := countBlobs(t, h.Store); n != 2 {
		t.Errorf("%d blobs, want 2", n)
	}
}

type brokenSeeker struct{ io.Reader }

func (brokenSeeker) Seek(int64, int) (int64, error) { return 0, nil }

func testPutReadError(t *testing.T, h Harness) {
	want := errors.New("the disk is on fire")
	r := io.MultiReader(bytes.NewReader([]byte("some")), iotest.ErrReader(want))
	if _, err := h.Store.Put(t.Context(), octets, brokenSeeker{r}); !errors.Is(err, want) {
		t.Errorf("Put: got %v, want %v", err, want)
	}
	if n := countBlobs(t, h.Store); n != 0 {
		t.Errorf("%d blobs, want none", n)
	}
}

func testOpenMissing(t *testing.T, h Harness) {
	if _, err := artifacts.ReadAll(t.Context(), h.Store, artifacts.Of([]byte("none")), 10); !errors.Is(err, artifacts.ErrNotFound) {
		t.Errorf("missing blob: got %v, want ErrNotFound", err)
	}
	for _, d := range []artifacts.Digest{"", "sha256:", "sha256:../../names/x", "md5:abc"} {
		if _, err := h.Store.Open(t.Context(), d); err == nil || errors.Is(err, artifacts.ErrNotFound) {
			t.Errorf("Open(%q): got %v, want that it is no digest", d, err)
		}
	}
}

func testFlippedBlob(t *testing.T, h Harness) {
	sizes := []int{1, 1000, 100_000}
	if h.LargeSize > 0 {
		sizes = append(sizes, h.LargeSize+10)
	}
	for _, size := range sizes {
		for _, at := range slices.Compact([]int{0, size / 2, size - 1}) {
			t.Run(fmt.Sprintf("%d of %d", at, size), func(t *testing.T) {
				content := noise(uint64(size+at), size)
				desc := put(t, h.Store, content)
				h.FlipBlob(t, desc.Digest, at)
				if _, err := artifacts.ReadAll(t.Context(), h.Store, desc.Digest, int64(size)); !errors.Is(err, artifacts.ErrCorrupt) {
					t.Errorf("read: got %v, want ErrCorrupt", err)
				}
				h.FlipBlob(t, desc.Digest, at)
				mustRead(t, h.Store, desc.Digest, content)
			})
		}
	}
}

func countBlobs(t *testing.T, s artifacts.Store) int {
	t.Helper()
	n := 0
	if err := s.Blobs(t.Context(), func(artifacts.Digest, int64) error { n++; return nil }); err != nil {
		t.Fatalf("list blobs: %v", err)
	}
	return n
}

func testBlobs(t *testing.T, h Harness) {
	const count = 1100 // more than a page of S3
	want := map[artifacts.Digest]int64{}
	var mu sync.Mutex
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := worker; i < count; i += 8 {
				b := noise(uint64(i), 10+i%7)
				if _, err := artifacts.PutBytes(t.Context(), h.Store, octets, b); err != nil {
					t.Errorf("put: %v", err)
					return
				}
				mu.Lock()
				want[artifacts.Of(b)] = int64(len(b))
				mu.Unlock()
			}
		})
	}
	group.Wait()
	var got []artifacts.Digest
	err := h.Store.Blobs(t.Context(), func(d artifacts.Digest, size int64) error {
		if want[d] != size {
			t.Errorf("blob %s: %d bytes, want %d", d, size, want[d])
		}
		got = append(got, d)
		return nil
	})
	if err != nil || len(got) != count || !slices.IsSorted(got) {
		t.Errorf("Blobs: %v, %d blobs, sorted %t, want %d sorted", err, len(got), slices.IsSorted(got), count)
	}
	stop := errors.New("enough")
	n := 0
	err = h.Store.Blobs(t.Context(), func(artifacts.Digest, int64) error { n++; return stop })
	if !errors.Is(err, stop) || n != 1 {
		t.Errorf("Blobs with a callback that fails: %v after %d calls, want its error after 1", err, n)
	}
}

func testCancelled(t *testing.T, h Harness) {
	desc := put(t, h.Store, []byte("there"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	calls := map[string]func() error{
		"Put":     func() error { _, err := artifacts.PutBytes(ctx, h.Store, octets, []byte("new")); return err },
		"Open":    func() error { _, err := h.Store.Open(ctx, desc.Digest); return err },
		"Name":    func() error { return h.Store.Name(ctx, "a", desc.Digest) },
		"Resolve": func() error { _, err := h.Store.Resolve(ctx, "a"); return err },
		"Names":   func() error { _, err := h.Store.Names(ctx, ""); return err },
		"Blobs":   func() error { return h.Store.Blobs(ctx, func(artifacts.Digest, int64) error { return nil }) },
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want context.Canceled", name, err)
		}
	}
}
