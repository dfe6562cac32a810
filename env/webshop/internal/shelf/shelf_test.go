package shelf_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hone-rl/hone/env/webshop/internal/shelf"
)

// filled is a file of some records and a register, and where the records lie.
func filled(t testing.TB, records ...[]byte) (path string, at []uint64) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "records")
	w, err := shelf.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		place, err := w.Append(r)
		if err != nil {
			t.Fatal(err)
		}
		at = append(at, place)
	}
	if err := w.Finish([]byte("register")); err != nil {
		t.Fatal(err)
	}
	return path, at
}

// TestRecords: records of all lengths are read as they were written, in any order.
func TestRecords(t *testing.T) {
	var records [][]byte
	for _, n := range []int{0, 1, 4087, 4088, 4089, 4096, 100_000} {
		records = append(records, bytes.Repeat([]byte{byte(n)}, n))
	}
	path, at := filled(t, records...)
	s, register, err := shelf.Open(path)
	if err != nil || string(register) != "register" {
		t.Fatalf("register %q, %v", register, err)
	}
	for i := len(records) - 1; i >= 0; i-- {
		if got, err := s.Read(at[i]); err != nil || !bytes.Equal(got, records[i]) {
			t.Errorf("record %d: %d bytes, %v, want %d", i, len(got), err, len(records[i]))
		}
	}
	if _, err := shelf.Create(path); err == nil {
		t.Error("a file is written over")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestDamage: a file with any byte changed, or cut short anywhere, is an error where that is read, and no other.
func TestDamage(t *testing.T) {
	path, at := filled(t, []byte("one"), []byte("another"))
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := func(what string, data []byte, fails bool) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, _, err := shelf.Open(path)
		if err == nil {
			for _, place := range append(at, 0, 1<<62) {
				if _, e := s.Read(place); e != nil && (place == at[0] || place == at[1]) {
					err = e
				} else if e == nil && place != at[0] && place != at[1] {
					t.Errorf("%s: a record at %d", what, place)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		if (err != nil) != fails || err != nil && !errors.Is(err, shelf.ErrBad) {
			t.Errorf("%s: %v, want an error: %v", what, err, fails)
		}
	}
	all("whole", good, false)
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 0x40
		spare := i >= 12 && i < 16 || i >= 28 && i < 32 // zeros; the first are summed up
		all("changed", bad, !spare || i < 16)
		all("cut", good[:i], true)
	}
}
