package hub_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-rl/hone/hub"
	"github.com/hone-rl/hone/hub/hubtest"
)

const (
	weights = "model.safetensors"
	config  = "config.json"
)

// noise is n bytes that follow from the seed.
func noise(seed uint64, n int) []byte {
	rng := rand.New(rand.NewPCG(seed, 0))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// settings wait for milliseconds where a user's would wait for seconds.
func settings(s *hubtest.Server) hub.Config {
	return hub.Config{
		Endpoint: s.URL, Stall: time.Minute, Retries: 3, WaitMin: time.Millisecond, WaitMax: 4 * time.Millisecond, Patience: 5 * time.Second,
	}
}

func client(t *testing.T, cfg hub.Config) *hub.Client {
	t.Helper()
	c, err := hub.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// pinned looks a revision up.
func pinned(t *testing.T, c *hub.Client, revision string) *hub.Revision {
	t.Helper()
	r, err := c.Revision(t.Context(), hub.Repository{Org: "lab", Name: "tiny"}, revision)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func named(t *testing.T, r *hub.Revision, name string) hub.File {
	t.Helper()
	i := slices.IndexFunc(r.Files, func(f hub.File) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("%s is not among %v", name, r.Files)
	}
	return r.Files[i]
}

func silent(int64) {}

func TestDownload(t *testing.T) {
	big, small := noise(1, 3<<20), []byte(`{"model_type":"qwen2"}`)
	times := func(n int, f hubtest.Fault) []hubtest.Fault { return slices.Repeat([]hubtest.Fault{f}, n) }
	tests := []struct {
		name   string
		file   string
		faults []hubtest.Fault
		stall  time.Duration
		ranges []string // of the requests for the content, in order
		err    error    // nil: the file is there, whole
		want   string   // in the error
	}{
		{name: "well", file: weights, ranges: []string{""}},
		{name: "small", file: config, ranges: []string{""}},
		{
			name: "drops", file: weights, faults: []hubtest.Fault{hubtest.Drop(1000), hubtest.Drop(0), hubtest.Drop(2 << 20)},
			ranges: []string{"", "bytes=1000-", "bytes=1000-", "bytes=2098152-"},
		},
		{
			name: "drops again and again, getting on", file: weights, faults: times(5, hubtest.Drop(520<<10)),
			ranges: []string{"", "bytes=532480-", "bytes=1064960-", "bytes=1597440-", "bytes=2129920-", "bytes=2662400-"},
		},
		{name: "drops without getting on", file: weights, faults: times(4, hubtest.Drop(10)), err: hub.ErrTruncated, want: "40 of 3145728 bytes"},
		{name: "small drops", file: config, faults: []hubtest.Fault{hubtest.Drop(5)}, ranges: []string{"", "bytes=5-"}},
		{name: "stalls", file: weights, faults: []hubtest.Fault{hubtest.Stall(100_000)}, stall: time.Second / 2, ranges: []string{"", "bytes=100000-"}},
		{name: "stalls for good", file: weights, faults: times(4, hubtest.Stall(5000)), stall: time.Second / 4, err: hub.ErrStalled, want: "20000 of"},
		{name: "trickles", file: weights, faults: times(4, hubtest.Trickle(time.Second/50)), stall: time.Second / 4, err: hub.ErrStalled, want: "less than 4096 bytes"},
		{name: "says nothing", file: weights, faults: []hubtest.Fault{hubtest.Mute()}, stall: time.Second / 2, ranges: []string{"", ""}},
		{
			name: "500", file: weights, faults: []hubtest.Fault{hubtest.Status(500), hubtest.Drop(7), hubtest.Status(502)},
			ranges: []string{"", "", "bytes=7-", "bytes=7-"},
		},
		{name: "500 for good", file: weights, faults: times(4, hubtest.Status(500)), want: "500 Internal Server Error"},
		{name: "429", file: config, faults: []hubtest.Fault{hubtest.Status(429, "Retry-After", "0"), hubtest.Status(429)}, ranges: []string{"", "", ""}},
		{name: "429 for hours", file: config, faults: times(1, hubtest.Status(429, "Retry-After", "7200")), want: "asks to wait 2h0m0s", ranges: []string{""}},
		{name: "announces more", file: weights, faults: times(1, hubtest.Length(1)), ranges: []string{"", ""}},
		{name: "announces less", file: weights, faults: times(1, hubtest.Length(-1)), ranges: []string{"", ""}},
		{name: "announces less for good", file: weights, faults: times(4, hubtest.Length(-1)), err: hub.ErrTruncated, want: "announces 3145727 bytes, expected 3145728"},
		{name: "ends early, as if well", file: weights, faults: times(1, hubtest.Short(1234)), ranges: []string{"", "bytes=1234-"}},
		{name: "ignores the range", file: weights, faults: []hubtest.Fault{hubtest.Drop(999), hubtest.Whole()}, ranges: []string{"", "bytes=999-"}},
		{name: "another range", file: weights, faults: []hubtest.Fault{hubtest.Drop(999), hubtest.Shifted()}, ranges: []string{"", "bytes=999-", "bytes=999-"}},
		{name: "no such range", file: weights, faults: []hubtest.Fault{hubtest.Drop(999), hubtest.Status(416)}, ranges: []string{"", "bytes=999-", ""}},
		{name: "another content", file: weights, faults: times(1, hubtest.Content(noise(2, 3<<20))), err: hub.ErrChecksum, want: "SHA-256", ranges: []string{""}},
		{name: "another small content", file: config, faults: times(1, hubtest.Content([]byte(`{"model_type":"llama"}`))), err: hub.ErrChecksum, want: "git SHA-1", ranges: []string{""}},
		{name: "endless", file: weights, faults: times(1, hubtest.Endless()), err: hub.ErrChecksum, want: "more than the 3145728 bytes", ranges: []string{""}},
		{name: "round in circles", file: config, faults: times(20, hubtest.Redirect("config.json")), want: "redirect refused"},
		{name: "gone", file: config, faults: times(1, hubtest.Status(404)), err: hub.ErrNotFound, want: "404", ranges: []string{""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel() // they mostly wait
			s := hubtest.New(t, "lab", "tiny")
			commit := s.Commit(map[string][]byte{weights: big, config: small}, "main")
			cfg := settings(s)
			if tt.stall > 0 {
				cfg.Stall = tt.stall
			}
			c := client(t, cfg)
			r := pinned(t, c, "main")
			s.Break(tt.file, tt.faults...)
			path := filepath.Join(t.TempDir(), tt.file)
			last := int64(0)
			err := c.Download(t.Context(), r, named(t, r, tt.file), path, func(done int64) { last = done })
			got, rerr := os.ReadFile(path)
			if tt.want == "" {
				want := map[string][]byte{weights: big, config: small}[tt.file]
				if err != nil || rerr != nil || !bytes.Equal(got, want) || last != int64(len(want)) {
					t.Fatalf("got %d bytes, %v, %v, progress %d, want the file's %d", len(got), err, rerr, last, len(want))
				}
				if _, err := os.Stat(path + hub.PartSuffix); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("the part is left: %v", err)
				}
			} else if err == nil || !errors.Is(rerr, fs.ErrNotExist) || !strings.Contains(err.Error(), tt.want) || tt.err != nil && !errors.Is(err, tt.err) ||
				!strings.Contains(err.Error(), "download "+tt.file+" of lab/tiny at "+commit) || strings.Contains(err.Error(), "secret") {
				t.Fatalf("got %v, file %v, want an error with %q that is %v", err, rerr, tt.want, tt.err)
			}
			if ranges := contentRequests(s, tt.file); tt.ranges != nil && !slices.Equal(ranges, tt.ranges) {
				t.Errorf("asked for ranges %q, want %q", ranges, tt.ranges)
			}
		})
	}
}

// contentRequests are the ranges of the requests for a file's content.
func contentRequests(s *hubtest.Server, file string) []string {
	var ranges []string
	for _, r := range s.Requests() {
		if hubtest.Large(file) && strings.HasPrefix(r.Path, "/lfs/") || !hubtest.Large(file) && strings.HasSuffix(r.Path, "/"+file) {
			ranges = append(ranges, r.Range)
		}
	}
	return ranges
}

// TestResume: what another process left is gone on with; what is wrong with it is found by the checksum, and the file
// fetched anew, once.
func TestResume(t *testing.T) {
	content := noise(3, 2<<20)
	wrong := bytes.Clone(content[:1<<20])
	wrong[5] ^= 1
	for _, tt := range []struct {
		name   string
		part   []byte // what is there before
		file   []byte
		ranges []string
	}{
		{"a part", content[:1<<20], nil, []string{"bytes=1048576-"}},
		{"a whole part", content, nil, nil},
		{"a wrong part", wrong, nil, []string{"bytes=1048576-", ""}},
		{"a part that is too long", append(bytes.Clone(content), 1), nil, []string{""}},
		{"the file", nil, content, nil},
		{"a wrong file", nil, wrong, []string{""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := hubtest.New(t, "lab", "tiny")
			commit := s.Commit(map[string][]byte{weights: content})
			c := client(t, settings(s))
			r := pinned(t, c, commit)
			path := filepath.Join(t.TempDir(), weights)
			for name, b := range map[string][]byte{path + hub.PartSuffix: tt.part, path: tt.file} {
				if b != nil {
					if err := os.WriteFile(name, b, 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := c.Download(t.Context(), r, r.Files[0], path, silent); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, content) {
				t.Errorf("got %d other bytes, %v", len(got), err)
			}
			if ranges := contentRequests(s, weights); !slices.Equal(ranges, tt.ranges) {
				t.Errorf("asked for ranges %q, want %q", ranges, tt.ranges)
			}
		})
	}
}

// TestChanged: a hub that swaps a file under the same commit is found out before the file is fetched.
func TestChanged(t *testing.T) {
	s := hubtest.New(t, "lab", "tiny")
	commit := s.Commit(map[string][]byte{weights: noise(1, 5000), config: []byte("{}")}, "main")
	c := client(t, settings(s))
	r := pinned(t, c, commit)
	s.Change(commit, weights, noise(2, 5000))
	err := c.Download(t.Context(), r, named(t, r, weights), filepath.Join(t.TempDir(), weights), silent)
	if !errors.Is(err, hub.ErrChecksum) || !strings.Contains(err.Error(), "its listing said "+named(t, r, weights).SHA256) {
		t.Errorf("got %v, want ErrChecksum with what the listing said", err)
	}
	// The branch goes on: the commit stays what it was.
	s = hubtest.New(t, "lab", "tiny")
	old := s.Commit(map[string][]byte{config: []byte(`{"old":1}`)}, "main")
	c = client(t, settings(s))
	r = pinned(t, c, "main")
	s.Commit(map[string][]byte{config: []byte(`{"new":1}`)}, "main")
	path := filepath.Join(t.TempDir(), config)
	if err := c.Download(t.Context(), r, named(t, r, config), path, silent); err != nil || r.Commit != old {
		t.Fatal(err, r.Commit)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != `{"old":1}` {
		t.Errorf("got %s, %v", got, err)
	}
}
