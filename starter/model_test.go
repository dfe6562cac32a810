package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/checkpoint/folder"
	"github.com/hone-rl/hone/checkpoint/folder/foldertest"
	"github.com/hone-rl/hone/hub"
	"github.com/hone-rl/hone/hub/hubtest"
	"github.com/hone-rl/hone/lineage"
)

var tiny = hub.Repository{Org: "lab", Name: "tiny"}

// newPuller pulls from s into store.
func newPuller(t *testing.T, s *hubtest.Server, store artifacts.Store) *puller {
	t.Helper()
	client, err := hub.New(hub.Config{Endpoint: s.URL, Token: s.Token, Retries: 2, WaitMin: time.Millisecond, WaitMax: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return &puller{hub: client, store: store, cache: filepath.Join(t.TempDir(), "hub"), copies: 1}
}

// besides adds what a repository has and a model has not.
func besides(files map[string][]byte) map[string][]byte {
	with := maps.Clone(files)
	maps.Copy(with, map[string][]byte{"README.md": []byte("# tiny"), "pytorch_model.bin": []byte("a program"), ".gitattributes": nil, "a/b.json": nil})
	return with
}

func imported(t *testing.T, store artifacts.Store, files map[string][]byte) *storedModel {
	t.Helper()
	delete(files, "a/b.json")
	f, err := folder.Open(foldertest.Write(t, files))
	if err != nil {
		t.Fatal(err)
	}
	m, err := storeModel(t.Context(), store, f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPull: a model is fetched once, whatever its revision is called, stored under the digest that its files have when
// they are imported, and its source is recorded beside it.
func TestPull(t *testing.T) {
	for _, shards := range []int{1, 3} {
		files := foldertest.Files(t, 1, shards)
		s := hubtest.New(t, "lab", "tiny")
		commit := s.Commit(besides(files), "main", "v1")
		s.Token, s.Page, s.Card = "hf_secret", 3, map[string]any{"license": "apache-2.0"}
		store := mem.New()
		p := newPuller(t, s, store)
		done, err := p.pull(t.Context(), tiny, "main")
		if err != nil {
			t.Fatal(err)
		}
		if done.Commit != commit || done.Licence != "apache-2.0" || done.Already || done.Files != len(files) {
			t.Errorf("got %+v", done)
		}
		if want := imported(t, mem.New(), besides(files)); done.Digest != want.Digest || done.Bytes != want.Bytes {
			t.Errorf("pulled %v, imported %v", done.storedModel, want)
		}
		if left, err := os.ReadDir(p.cache); err != nil || len(left) != 0 {
			t.Errorf("the cache has %v, %v", left, err)
		}
		for _, r := range s.Requests() {
			if strings.HasSuffix(r.Path, ".bin") || strings.HasSuffix(r.Path, ".md") {
				t.Errorf("fetched %s", r.Path)
			}
		}
		var asked []hubtest.Request
		for _, revision := range []string{"v1", "main", commit} {
			before := len(s.Requests())
			again, err := p.pull(t.Context(), tiny, revision)
			if err != nil || !again.Already || again.Digest != done.Digest || again.Bytes != done.Bytes || again.Licence != "apache-2.0" {
				t.Errorf("%s again: got %+v, %v", revision, again, err)
			}
			asked = s.Requests()[before:]
			if slices.ContainsFunc(asked, func(r hubtest.Request) bool { return !strings.HasPrefix(r.Path, "/api/") }) {
				t.Errorf("%s again: asked for %v", revision, asked)
			}
		}
		if len(asked) != 0 {
			t.Errorf("a commit that is stored asks for %v", asked)
		}
		sources, err := activities.Sources(t.Context(), store, done.Digest)
		if err != nil || len(sources) != 1 || sources[0].String() != s.URL+"/lab/tiny at "+commit+", licence apache-2.0" {
			t.Errorf("sources %v, %v", sources, err)
		}
		audited(t, store)
		for _, name := range []string{
			activities.PullName(s.URL, "lab/tiny", commit), activities.ModelName(done.Digest), sources[0].Name(),
		} {
			store.FlipName(name, 20)
			if n := findings(t, store); n == 0 {
				t.Errorf("the audit passes over a changed %s", name)
			}
			store.FlipName(name, 20)
			restore := store.LoseName(name)
			if n := findings(t, store); (n == 0) != (name == sources[0].Name()) { // nothing tells of a source's record but itself
				t.Errorf("%s is lost: %d findings", name, n)
			}
			restore()
		}
	}
}

func findings(t *testing.T, store artifacts.Store) int {
	t.Helper()
	res, err := (&lineage.Auditor{Store: store}).All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(res.Findings)
}

// audited audits all of a store.
func audited(t *testing.T, store artifacts.Store) {
	t.Helper()
	res, err := (&lineage.Auditor{Store: store}).All(t.Context())
	if err != nil || len(res.Findings) != 0 || len(res.Orphans) != 0 {
		t.Errorf("audit: %+v, %v", res, err)
	}
}

// TestPullFaults: one run of a bad line after another ends in the same digest.
func TestPullFaults(t *testing.T) {
	files := foldertest.Files(t, 2, 2)
	s := hubtest.New(t, "lab", "tiny")
	s.Commit(files, "main")
	want := imported(t, mem.New(), maps.Clone(files))
	first, second := foldertest.Shard(0, 2), foldertest.Shard(1, 2)
	s.Break("revision", hubtest.Status(500))
	s.Break("tree", hubtest.Status(429, "Retry-After", "0"))
	s.Break("config.json", hubtest.Drop(10))
	s.Break(first, hubtest.Drop(1000), hubtest.Status(503), hubtest.Whole())
	s.Break(second, hubtest.Length(3), hubtest.Short(100))
	done, err := newPuller(t, s, mem.New()).pull(t.Context(), tiny, "main")
	if err != nil || done.Digest != want.Digest {
		t.Errorf("got %v, %v, want %s", done, err, want.Digest)
	}
}

// TestPullRefuses: what is wrong on the hub's side is never stored, and named.
func TestPullRefuses(t *testing.T) {
	drop := func(name string) func(map[string][]byte) { return func(f map[string][]byte) { delete(f, name) } }
	put := func(name, text string) func(map[string][]byte) {
		return func(f map[string][]byte) { f[name] = []byte(text) }
	}
	const index = "model.safetensors.index.json"
	for _, tt := range []struct {
		name    string
		change  func(map[string][]byte)
		faults  map[string]hubtest.Fault
		listing func([]hubtest.Entry) []hubtest.Entry
		gated   bool
		want    string
		weights bool // are asked for
	}{
		{name: "another architecture", change: put("config.json", `{"model_type":"llama"}`), want: `config.json: model_type "llama"`},
		{name: "no tokenizer", change: drop("tokenizer.json"), want: "no tokenizer.json"},
		{name: "pickle alone", change: func(f map[string][]byte) {
			for name := range f {
				if folder.Weights(name) || name == index {
					delete(f, name)
				}
			}
			f["pytorch_model.bin"] = nil
		}, want: "pickle"},
		{name: "a shard is gone", change: drop(foldertest.Shard(1, 2)), want: "weight_map names model-00002-of-00002.safetensors, which is not there"},
		{name: "a cut index", change: put(index, `{"weight_map":{"a":`), want: index + ": safetensors index: line 1: unexpected end of JSON"},
		{name: "an index that leads out", change: put(index, `{"weight_map":{"a":"../../../etc/cron.d/x"}}`), want: "is not a file's name"},
		{name: "a name that leads out", listing: func(l []hubtest.Entry) []hubtest.Entry { l[1].Path = "../config.json"; return l }, want: "expected a file inside the repository"},
		{name: "a wrong checksum", faults: map[string]hubtest.Fault{foldertest.Shard(0, 2): hubtest.Content(make([]byte, 30000))}, want: "expected", weights: true},
		{name: "endless", faults: map[string]hubtest.Fault{foldertest.Shard(0, 2): hubtest.Endless()}, want: "more than the", weights: true},
		{name: "a small file that is endless", listing: func(l []hubtest.Entry) []hubtest.Entry {
			for i := range l {
				if l[i].Path == "tokenizer.json" {
					l[i].Size = 1 << 40
				}
			}
			return l
		}, want: "the disk of"},
		{name: "larger than any disk", listing: func(l []hubtest.Entry) []hubtest.Entry {
			for i := range l {
				if l[i].LFS != nil {
					l[i].LFS.Size = 1 << 62
				}
			}
			return l
		}, want: "expected at most 1125899906842624 in all"},
		{name: "gated", gated: true, want: "without a token"},
		{
			name: "cut weights", change: func(f map[string][]byte) { f[foldertest.Shard(0, 2)] = f[foldertest.Shard(0, 2)][:9000] },
			want: foldertest.Shard(0, 2), weights: true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := foldertest.Files(t, 1, 2)
			if tt.change != nil {
				tt.change(files)
			}
			s := hubtest.New(t, "lab", "tiny")
			s.Commit(files, "main")
			s.Listing, s.Gated = tt.listing, tt.gated
			for name, f := range tt.faults {
				s.Break(name, f, f, f)
			}
			store := mem.New()
			_, err := newPuller(t, s, store).pull(t.Context(), tiny, "main")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want an error with %q", err, tt.want)
			}
			asked := slices.ContainsFunc(s.Requests(), func(r hubtest.Request) bool { return strings.HasPrefix(r.Path, "/lfs/") })
			if asked != tt.weights {
				t.Errorf("weights were asked for: %t, want %t", asked, tt.weights)
			}
			if names, err := store.Names(t.Context(), ""); err != nil || len(names) != 0 {
				t.Errorf("names %v, %v", names, err)
			}
		})
	}
}

// TestPullKilled: a pull that ends midway leaves nothing to be seen, and the next one goes on where it was.
func TestPullKilled(t *testing.T) {
	files := foldertest.Files(t, 1, 1)
	s := hubtest.New(t, "lab", "tiny")
	commit := s.Commit(files, "main")
	store := mem.New()
	p := newPuller(t, s, store)
	ctx, cancel := context.WithCancel(t.Context())
	s.Break("model.safetensors", func(w httpWriter, r *httpRequest, content []byte) {
		go func() { // once the client waits for more
			part := filepath.Join(p.cache, "lab", "tiny", commit, "model.safetensors"+hub.PartSuffix)
			for {
				if info, err := os.Stat(part); err == nil && info.Size() == 2000 {
					cancel()
					return
				}
				time.Sleep(time.Millisecond)
			}
		}()
		hubtest.Stall(2000)(w, r, content)
	})
	if _, err := p.pull(ctx, tiny, "main"); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want that it was cancelled", err)
	}
	if names, err := store.Names(t.Context(), ""); err != nil || len(names) != 0 {
		t.Errorf("names %v, %v", names, err)
	}
	done, err := p.pull(t.Context(), tiny, "main")
	if err != nil || done.Digest != imported(t, mem.New(), files).Digest {
		t.Fatalf("got %v, %v", done, err)
	}
	var ranges []string
	asked := map[string]int{}
	for _, r := range s.Requests() {
		asked[r.Path]++
		if strings.HasPrefix(r.Path, "/lfs/") {
			ranges = append(ranges, r.Range)
		}
	}
	if !slices.Equal(ranges, []string{"", "bytes=2000-"}) {
		t.Errorf("ranges %q", ranges)
	}
	for path, n := range asked {
		if n > 1 && !strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/lfs/") && !strings.HasSuffix(path, ".safetensors") {
			t.Errorf("%s was fetched %d times", path, n)
		}
	}
}

// TestPullTwice: two pulls of the same at once do not write into each other's files.
func TestPullTwice(t *testing.T) {
	s := hubtest.New(t, "lab", "tiny")
	s.Commit(foldertest.Files(t, 1, 1), "main")
	p := newPuller(t, s, mem.New())
	started, errs := make(chan bool), make(chan error)
	s.Break("model.safetensors", func(w httpWriter, r *httpRequest, content []byte) {
		started <- true
		<-started
		hubtest.Whole()(w, r, content)
	})
	go func() {
		_, err := p.pull(t.Context(), tiny, "main")
		errs <- err
	}()
	<-started
	if _, err := p.pull(t.Context(), tiny, "main"); err == nil || !strings.Contains(err.Error(), "under way") {
		t.Errorf("got %v, want that another is under way", err)
	}
	started <- true
	if err := <-errs; err != nil {
		t.Error(err)
	}
}

// TestStoreFails: a store that fails at any call leaves no name, and the next try succeeds.
func TestStoreFails(t *testing.T) {
	files := foldertest.Files(t, 1, 1)
	s := hubtest.New(t, "lab", "tiny")
	s.Commit(files, "main")
	store := &failingStore{Store: mem.New()}
	p := newPuller(t, s, store)
	var digest artifacts.Digest
	for at := 1; digest == ""; at++ {
		store.left = at
		done, err := p.pull(t.Context(), tiny, "main")
		if err == nil {
			digest = done.Digest
			break
		}
		if !errors.Is(err, errFails) || at > 50 {
			t.Fatal(err)
		}
		store.left = 0
		names, err := store.Names(t.Context(), "pulls/")
		if err != nil || len(names) != 0 {
			t.Errorf("call %d fails: the pull has a name already: %v, %v", at, names, err)
		}
	}
	store.left = 0
	if got := imported(t, mem.New(), files).Digest; got != digest {
		t.Errorf("got %s, want %s", digest, got)
	}
	audited(t, store)
}

var errFails = errors.New("as the test wants it")

// failingStore fails at the left-th write from now; 0: not at all.
type failingStore struct {
	*mem.Store
	left int
}

func (s *failingStore) fails() error {
	if s.left--; s.left == 0 {
		return errFails
	}
	return nil
}

// TestNewModel: the same configuration, seed and tokenizer are the same model; what a killed process left is removed.
func TestNewModel(t *testing.T) {
	files := foldertest.Files(t, 5, 1)
	given := foldertest.Write(t, files)
	weights := func(dir string) error { // what hone-worker would write
		for _, name := range []string{"config.json", "model.safetensors"} {
			if err := os.WriteFile(filepath.Join(dir, name), files[name], 0o644); err != nil {
				return err
			}
		}
		return nil
	}
	parent := filepath.Join(t.TempDir(), "new")
	old := filepath.Join(parent, "model-old")
	if err := os.MkdirAll(old, 0o755); err != nil {
		t.Fatal(err)
	}
	store := mem.New()
	m, err := newModel(t.Context(), store, parent, given, 5, weights)
	if err != nil {
		t.Fatal(err)
	}
	if sources, err := activities.Sources(t.Context(), store, m.Digest); err != nil || len(sources) != 1 || *sources[0].Seed != 5 {
		t.Errorf("sources %v, %v", sources, err)
	}
	for range 2 {
		if again, err := newModel(t.Context(), store, parent, given, 5, weights); err != nil || again.Digest != m.Digest {
			t.Errorf("again: got %v, %v", again, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(parent, "model-*")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	bytewise, err := newModel(t.Context(), store, parent, "", 5, weights)
	if err != nil || bytewise.Digest == m.Digest || bytewise.Files != 5 {
		t.Errorf("without a tokenizer: got %v, %v", bytewise, err)
	}
	if _, err := newModel(t.Context(), store, parent, t.TempDir(), 5, weights); err == nil || !strings.Contains(err.Error(), "--tokenizer") {
		t.Errorf("no tokenizer in the folder: got %v", err)
	}
	if _, err := newModel(t.Context(), store, parent, "", 5, func(string) error { return errFails }); !errors.Is(err, errFails) {
		t.Errorf("got %v", err)
	}
	audited(t, store)
}

// TestShowModel: what is shown comes from the store alone.
func TestShowModel(t *testing.T) {
	store := mem.New()
	m := imported(t, store, foldertest.Files(t, 1, 3))
	manifest, err := artifacts.GetManifest(t.Context(), store, m.Digest)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := showModel(t.Context(), store, m.Digest, manifest)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := shown.print(&out); err != nil {
		t.Fatal(err)
	}
	said := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		string(m.Digest), "architecture qwen2", "parameters 8,784", "types BF16", "300 tokens, 64 positions", "imported from a folder",
		"model-00002-of-00003.safetensors 3.1 kB sha256:",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("want %q in\n%s", want, &out)
		}
	}
	store.LoseBlob(manifest.Outputs[slices.IndexFunc(manifest.Outputs, func(o artifacts.Output) bool { return o.Name == "config.json" })].Digest)
	if _, err := showModel(t.Context(), store, m.Digest, manifest); !errors.Is(err, artifacts.ErrNotFound) {
		t.Errorf("without its config: got %v", err)
	}
}

func TestReadToken(t *testing.T) {
	t.Setenv("HF_TOKEN", " hf_env\n")
	if got, err := readToken(""); err != nil || got != "hf_env" {
		t.Errorf("got %q, %v", got, err)
	}
	path := filepath.Join(t.TempDir(), "token")
	writeFile(t, path, []byte("hf_file\n"))
	if got, err := readToken(path); err != nil || got != "hf_file" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, b := range [][]byte{nil, []byte("\n"), bytes.Repeat([]byte("x"), 5000)} {
		writeFile(t, path, b)
		if _, err := readToken(path); err == nil {
			t.Errorf("%d bytes: want an error", len(b))
		}
	}
	if _, err := readToken(path + "2"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// TestStoreDamaged: storing a model that is there reads it back, and a damaged file is told of and not passed over; once
// the damaged object is away, it is stored anew.
func TestStoreDamaged(t *testing.T) {
	store := mem.New()
	files := foldertest.Files(t, 1, 1)
	m := imported(t, store, files)
	manifest, err := artifacts.GetManifest(t.Context(), store, m.Digest)
	if err != nil {
		t.Fatal(err)
	}
	weights := manifest.Outputs[slices.IndexFunc(manifest.Outputs, func(o artifacts.Output) bool { return o.Name == "model.safetensors" })].Digest
	store.FlipBlob(weights, 5000)
	f, err := folder.Open(foldertest.Write(t, files))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := storeModel(t.Context(), store, f); !errors.Is(err, artifacts.ErrCorrupt) || !strings.Contains(err.Error(), "model.safetensors: blob "+string(weights)) ||
		!strings.Contains(err.Error(), "remove that object") {
		t.Errorf("got %v, want the damaged object and what to do", err)
	}
	store.LoseBlob(weights)
	if again, err := storeModel(t.Context(), store, f); err != nil || again.Digest != m.Digest {
		t.Errorf("without the damaged object: got %v, %v", again, err)
	}
	audited(t, store)
}
