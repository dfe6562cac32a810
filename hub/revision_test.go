package hub_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-rl/hone/hub"
	"github.com/hone-rl/hone/hub/hubtest"
)

var files = map[string][]byte{weights: []byte("weights"), config: []byte("{}"), "LICENSE": []byte("do as you like"), "a.txt": nil}

func TestRevision(t *testing.T) {
	s := hubtest.New(t, "lab", "tiny")
	commit := s.Commit(files, "main", "v1", "refs/pr/3")
	s.Page = 2
	c := client(t, settings(s))
	for _, revision := range []string{"main", "v1", "refs/pr/3", commit} {
		r := pinned(t, c, revision)
		var names []string
		for _, f := range r.Files {
			names = append(names, f.Name)
		}
		if r.Commit != commit || !slices.Equal(names, []string{"LICENSE", "a.txt", config, weights}) {
			t.Errorf("%s: got %s with %q", revision, r.Commit, names)
		}
	}
	r := pinned(t, c, commit)
	// By git hash-object and sha256sum.
	if f := named(t, r, config); f.Git != "9e26dfeeb6e641a33dae4961196235bdb965b21b" || f.SHA256 != "" || f.Size != 2 {
		t.Errorf("got %+v", f)
	}
	if f := named(t, r, weights); f.SHA256 != "9a129038d9a00aed0cf6a7ea059ca50a813449061ab87848cf1a13eafdf33b2c" || f.Git != "" || f.Size != 7 {
		t.Errorf("got %+v", f)
	}
	renamed, err := c.Revision(t.Context(), hub.Repository{Org: "old", Name: "name"}, "main")
	if err != nil || renamed.Commit != commit {
		t.Errorf("renamed: got %v, %v", renamed, err)
	}
}

func TestLicence(t *testing.T) {
	for _, tt := range []struct {
		card any
		want string
	}{
		{nil, "mit"}, // from the tags
		{map[string]any{"license": "apache-2.0"}, "apache-2.0"},
		{map[string]any{"license": "mit", "LICENSE_NAME": "none of it"}, "mit"},
		{map[string]any{"license": []string{"mit", "bsd"}}, "mit, bsd"},
		{map[string]any{"license": "other", "license_name": "qwen-research", "license_link": "https://a/b"}, "other (qwen-research, https://a/b)"},
		{map[string]any{"license": "a\x1b[2J\nb"}, "a [2J b"},
		{map[string]any{"license": 7}, "mit"},
		{map[string]any{"license": "x", "license_name": []int{1}}, "mit"},
		{"no card", "mit"},
	} {
		s := hubtest.New(t, "lab", "tiny")
		s.Commit(files, "main")
		s.Card = tt.card
		if got := pinned(t, client(t, settings(s)), "main").Licence; got != tt.want {
			t.Errorf("card %v: got %q, want %q", tt.card, got, tt.want)
		}
	}
}

// TestRefusedListing: listings that no honest hub gives.
func TestRefusedListing(t *testing.T) {
	edit := func(f func(*hubtest.Entry)) func([]hubtest.Entry) []hubtest.Entry {
		return func(list []hubtest.Entry) []hubtest.Entry {
			f(&list[len(list)-1])
			return list
		}
	}
	for _, tt := range []struct {
		name    string
		listing func([]hubtest.Entry) []hubtest.Entry
		want    string
	}{
		{"a path above", edit(func(e *hubtest.Entry) { e.Path = "../../../etc/cron.d/x" }), "expected a file inside the repository"},
		{"a path above, later", edit(func(e *hubtest.Entry) { e.Path = "a/../../b" }), "expected a file inside"},
		{"an absolute path", edit(func(e *hubtest.Entry) { e.Path = "/etc/passwd" }), "expected a file inside"},
		{"backslashes", edit(func(e *hubtest.Entry) { e.Path = `..\x` }), "expected a file inside"},
		{"no name", edit(func(e *hubtest.Entry) { e.Path = "" }), "expected a file inside"},
		{"twice", func(l []hubtest.Entry) []hubtest.Entry { return append(l, l[len(l)-1]) }, "twice"},
		{"no checksum", edit(func(e *hubtest.Entry) { e.LFS.OID = "abc" }), "expected a SHA-256"},
		{"no git checksum", func(l []hubtest.Entry) []hubtest.Entry { l[1].OID = "abc"; return l }, "expected a SHA-1"},
		{"less than nothing", edit(func(e *hubtest.Entry) { e.LFS.Size = -1 }), "size -1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := hubtest.New(t, "lab", "tiny")
			s.Commit(files, "main")
			s.Listing = tt.listing
			_, err := client(t, settings(s)).Revision(t.Context(), hub.Repository{Org: "lab", Name: "tiny"}, "main")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

// TestNoChecksumListed: where the listing has none, the one that comes with the file counts.
func TestNoChecksumListed(t *testing.T) {
	for _, name := range []string{weights, config} {
		s := hubtest.New(t, "lab", "tiny")
		s.Commit(files, "main")
		s.Listing = func(l []hubtest.Entry) []hubtest.Entry {
			for i := range l {
				l[i].LFS, l[i].OID = nil, ""
			}
			return l
		}
		c := client(t, settings(s))
		r := pinned(t, c, "main")
		path := filepath.Join(t.TempDir(), name)
		if err := c.Download(t.Context(), r, named(t, r, name), path, silent); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != string(files[name]) {
			t.Errorf("got %q, %v", got, err)
		}
		other := slices.Repeat([]byte("x"), len(files[name]))
		s.Break(name, hubtest.Content(other))
		err := c.Download(t.Context(), r, named(t, r, name), path+"2", silent)
		if !errors.Is(err, hub.ErrChecksum) {
			t.Errorf("%s: other content: got %v, want ErrChecksum", name, err)
		}
	}
}

func TestBrokenAnswers(t *testing.T) {
	repo := hub.Repository{Org: "lab", Name: "tiny"}
	s := hubtest.New(t, "lab", "tiny")
	commit := s.Commit(files, "main")
	cfg := settings(s)
	cfg.Stall = time.Second / 2
	c := client(t, cfg)
	s.Break("revision", hubtest.Status(500), hubtest.Status(429, "RateLimit", `"api";r=0;t=0`), hubtest.Mute(), hubtest.Drop(0))
	s.Break("tree", hubtest.Status(503, "Retry-After", "0"), hubtest.Stall(0))
	if r, err := c.Revision(t.Context(), repo, "main"); err != nil || r.Commit != commit {
		t.Errorf("got %v, %v, want that it asks again", r, err)
	}
	s.Break("revision", hubtest.Content([]byte(`{"sha":`)))
	if _, err := c.Revision(t.Context(), repo, "main"); err == nil || !strings.Contains(err.Error(), "no JSON") {
		t.Errorf("cut JSON: got %v", err)
	}
	s.Break("revision", hubtest.Content([]byte(`{"sha":"../../x"}`)))
	if _, err := c.Revision(t.Context(), repo, "main"); err == nil || !strings.Contains(err.Error(), "40 hexadecimal") {
		t.Errorf("no commit: got %v", err)
	}
	s.Break("revision", hubtest.Content([]byte(`{"sha":"`+strings.Repeat("0", 40)+`"}`)))
	if _, err := c.Revision(t.Context(), repo, commit); !errors.Is(err, hub.ErrChecksum) {
		t.Errorf("another commit: got %v", err)
	}
	// An answer without an end is cut at 16 MiB.
	s.Break("tree", func(w http200, r *req, _ []byte) { hubtest.Endless()(w, r, []byte(strings.Repeat(" ", 1<<20))) })
	if _, err := c.Revision(t.Context(), repo, "main"); err == nil || !strings.Contains(err.Error(), "more than 16777216 bytes") {
		t.Errorf("endless: got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.Break("revision", func(_ http200, _ *req, _ []byte) { cancel() })
	if _, err := c.Revision(ctx, repo, "main"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}
