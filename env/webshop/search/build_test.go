package search_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/webshop/internal/catalogue"
	"github.com/hone-rl/hone/env/webshop/search"
)

// build builds an index in a folder of its own and gives its path, having looked that nothing else is left there.
func build(t testing.TB, docs iter.Seq2[search.Document, error], o search.Options) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "products.index")
	if err := search.Build(t.Context(), path, docs, o); err != nil {
		t.Fatal(err)
	}
	alone(t, path)
	return path
}

// alone looks that in a folder there is nothing but these.
func alone(t testing.TB, paths ...string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(paths[0]))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.ContainsFunc(paths, func(path string) bool { return filepath.Base(path) == e.Name() }) {
			t.Errorf("%s is left", e.Name())
		}
	}
}

func opened(t testing.TB, path string) *search.Index {
	t.Helper()
	x, err := search.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// TestOpenGolden: Lucene's hits from a file.
func TestOpenGolden(t *testing.T) {
	compareGolden(t, opened(t, build(t, each(products(t)), search.Options{})))
}

// TestSameBytes: a file is what the index in memory is, whatever the order of the documents and however often postings
// had to be written down on the way.
func TestSameBytes(t *testing.T) {
	docs := products(t)
	want := search.Bytes(inMemory(t, docs))
	dice := rand.New(rand.NewPCG(1, 1))
	for _, memory := range []int64{1, 100_000, 1 << 40} {
		got := filepath.Join(t.TempDir(), "index")
		spilled, err := search.BuildIn(t.Context(), got, each(docs), memory)
		if err != nil {
			t.Fatal(err)
		}
		alone(t, got)
		data, err := os.ReadFile(got)
		if err != nil || !bytes.Equal(data, want) {
			t.Errorf("with %d bytes of memory: %d bytes, %v, expected the same %d as in memory", memory, len(data), err, len(want))
		}
		if (spilled > 1) != (memory < 1<<40) {
			t.Errorf("with %d bytes of memory: %d runs", memory, spilled)
		}
		dice.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	}
}

// TestOpenCatalogue: an index over many windows and runs is searched the same from its file.
func TestOpenCatalogue(t *testing.T) {
	c := catalogue.Catalogue{Seed: 6}
	docs := generated(c, 5000)
	path := filepath.Join(t.TempDir(), "index")
	if _, err := search.BuildIn(t.Context(), path, each(docs), 1_000_000); err != nil {
		t.Fatal(err)
	}
	x, file := inMemory(t, docs), opened(t, path)
	if x.Stats() != file.Stats() {
		t.Errorf("got %+v, want %+v", file.Stats(), x.Stats())
	}
	for i := range 300 {
		query := c.Query(i, len(docs))
		want, err := x.Exhaustive(query, search.MostHits)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := file.Search(query, search.MostHits); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v, %v, want %v", query, got, err, want)
		}
	}
}

func TestProgress(t *testing.T) {
	docs := generated(catalogue.Catalogue{}, 10_000)
	var told []search.Progress
	path := build(t, each(docs), search.Options{Scratch: t.TempDir(), Progress: func(p search.Progress) { told = append(told, p) }})
	stats := opened(t, path).Stats()
	if len(told) < 4 || told[len(told)-1] != (search.Progress{Documents: 10_000, Written: stats.Postings, Postings: stats.Postings}) {
		t.Errorf("got %+v of %+v", told, stats)
	}
	for i := 1; i < len(told); i++ {
		if a, b := told[i-1], told[i]; a.Documents > b.Documents || a.Written > b.Written || b.Written > 0 && b.Documents < 10_000 {
			t.Errorf("%+v after %+v", b, a)
		}
	}
}

// TestRefused: a build that cannot end leaves nothing, and leaves what was there.
func TestRefused(t *testing.T) {
	good := []search.Document{{"B1", "red"}, {"B2", "blue"}}
	broken := errors.New("line 3")
	for _, c := range []struct {
		name string
		docs []search.Document
		err  error
		o    search.Options
		says string
	}{
		{"same id", append(slices.Clone(good), search.Document{ID: "B1", Text: "green"}), nil, search.Options{}, `documents 1 and 3 have the id "B1"`},
		{"no id", append(slices.Clone(good), search.Document{}), nil, search.Options{}, "document 3 has an id of 0 bytes, expected 1 to 255"},
		{"long id", []search.Document{{ID: strings.Repeat("B", 256)}}, nil, search.Options{}, "document 1 has an id of 256 bytes"},
		{"unreadable", good, broken, search.Options{}, "line 3"},
		{"little memory", good, nil, search.Options{Memory: 1 << 20}, "1048576 bytes of memory, expected 16777216 to 17179869184"},
		{"much memory", good, nil, search.Options{Memory: 1 << 40}, "1099511627776 bytes of memory"},
		{"no scratch", good, nil, search.Options{Scratch: "/no/such/folder"}, "/no/such/folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "index")
			if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
				t.Fatal(err)
			}
			docs := func(yield func(search.Document, error) bool) {
				for _, d := range c.docs {
					if !yield(d, nil) {
						return
					}
				}
				if c.err != nil {
					yield(search.Document{}, c.err)
				}
			}
			err := search.Build(t.Context(), path, docs, c.o)
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("got %v, want an error with %q", err, c.says)
			}
			if c.err != nil && !errors.Is(err, c.err) {
				t.Errorf("got %v, want %v", err, c.err)
			}
			alone(t, path)
			if text, err := os.ReadFile(path); err != nil || string(text) != "before" {
				t.Errorf("the file before: %q, %v", text, err)
			}
			if c.o.Memory != 0 || c.o.Scratch != "" {
				return
			}
			if _, err := search.New(t.Context(), docs); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("in memory: got %v, want an error with %q", err, c.says)
			}
		})
	}
	if err := search.Build(t.Context(), "/no/such/folder/index", each(good), search.Options{}); err == nil {
		t.Error("a folder that is not there: no error")
	}
}

// TestCancel: a build ends with its context, while it reads and while it writes.
func TestCancel(t *testing.T) {
	for name, when := range map[string]func(search.Progress) bool{
		"at once": nil,
		"read":    func(p search.Progress) bool { return p.Written == 0 },
		"write":   func(p search.Progress) bool { return p.Written > 0 },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		path := filepath.Join(t.TempDir(), "index")
		o := search.Options{Progress: func(p search.Progress) {
			if when(p) {
				cancel()
			}
		}}
		if when == nil {
			o.Progress = nil
			cancel()
		}
		err := search.Build(ctx, path, each(generated(catalogue.Catalogue{}, 10_000)), o)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want %v", name, err, context.Canceled)
		}
		alone(t, path)
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the index is there: %v", name, err)
		}
		cancel()
	}
}
