package search_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hone-rl/hone/env/webshop/internal/catalogue"
	"github.com/hone-rl/hone/env/webshop/search"
)

// small is an index with lists of one block and of several.
func small(t testing.TB) []byte {
	docs := generated(catalogue.Catalogue{Seed: 2}, 300)
	for i := range docs {
		docs[i].Text = strings.Join(strings.Fields(docs[i].Text)[:4], " ") + " everywhere"
	}
	return slices.Clone(search.Bytes(inMemory(t, docs)))
}

// TestDamaged: whatever is wrong with a file, opening it says so.
func TestDamaged(t *testing.T) {
	good := small(t)
	path := filepath.Join(t.TempDir(), "index")
	refused := func(what string, data []byte, says string) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		x, err := search.Open(path)
		if !errors.Is(err, search.ErrBadIndex) || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want %v with %q", what, err, search.ErrBadIndex, says)
		}
		if err == nil {
			_ = x.Close()
		}
	}
	for at := 0; at < len(good); at += 1 + at/200 {
		refused("cut", good[:at], "expected")
		damaged := slices.Clone(good)
		damaged[at] ^= 1 << (at % 8)
		refused("flipped", damaged, "expected")
	}
	refused("longer", append(slices.Clone(good), 0), "expected")
	for what, c := range map[string]struct {
		at   int
		to   uint64
		says string
	}{
		"version":     {8, 2, "version 2, expected 1"},
		"documents":   {16, 301, "301 documents, with 1200 bytes of ids and 300 of lengths"},
		"counted":     {24, 299, "299 documents with a term, expected 300"},
		"length":      {32, 1 << 63, "a length of 9223372036854775808"},
		"length less": {32, 1, "expected"},
		"terms":       {40, 7, "7 terms in"},
		"postings":    {48, 7, "expected 7,"},
		"offset":      {56, 300, "lists: "},
		"section":     {64, 1 << 62, "lists: 4611686018427387904 bytes at 256, expected them at 256 in"},
	} {
		damaged := slices.Clone(good)
		if c.at == 8 {
			binary.LittleEndian.PutUint32(damaged[c.at:], uint32(c.to))
		} else {
			binary.LittleEndian.PutUint64(damaged[c.at:], c.to)
		}
		search.Seal(damaged)
		refused(what, damaged, c.says)
	}
	x, err := search.Read(good)
	if err != nil || x.Stats().Documents != 300 {
		t.Errorf("the good one: %+v, %v", x.Stats(), err)
	}
}

func TestNotAFile(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{dir: "a folder, expected a regular file", pipe: "a pipe", filepath.Join(dir, "none"): "no such file"} {
		if _, err := search.Open(path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want an error with %q", path, err, says)
		}
	}
}

// TestCutWhileOpen: a file that loses its end while it is open is an error, and no end of the process.
func TestCutWhileOpen(t *testing.T) {
	path := build(t, each(products(t)), search.Options{})
	x := opened(t, path)
	if hits, err := x.Search("red shoe", search.MostHits); err != nil || len(hits) != search.MostHits {
		t.Fatalf("%d hits, %v", len(hits), err)
	}
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	if hits, err := x.Search("red shoe", search.MostHits); !errors.Is(err, search.ErrBadIndex) || hits != nil {
		t.Errorf("%d hits, %v, want %v", len(hits), err, search.ErrBadIndex)
	}
	compareGolden(t, inMemory(t, products(t))) // what the fault left in the middle of a search is not used again
}

// FuzzRead: bytes that are no index are refused, and in bytes that are one, pruned and exhaustive search agree. The
// checksums are set right first, so that what lies behind them is reached.
func FuzzRead(f *testing.F) {
	good := small(f)
	f.Add(good)
	f.Add(good[:300])
	f.Add(slices.Clone(search.Bytes(inMemory(f, nil))))
	f.Add(slices.Clone(search.Bytes(inMemory(f, []search.Document{{"B1", "red"}, {"B2", "red shoe"}}))))
	f.Add([]byte("HONEbm25"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, seal := range []bool{false, true} {
			if seal {
				data = slices.Clone(data)
				search.Seal(data)
			}
			x, err := search.Read(data)
			if err != nil {
				continue
			}
			for i := range 3 {
				query := catalogue.Catalogue{Seed: 2}.Query(i, 300) + " red shoe everywhere"
				got, err := x.Search(query, search.MostHits)
				want, errWant := x.Exhaustive(query, search.MostHits)
				if err != nil || errWant != nil || !slices.Equal(got, want) {
					t.Errorf("%q: got %v, %v, want %v, %v", query, got, err, want, errWant)
				}
			}
		}
	})
}
