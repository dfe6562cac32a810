package hub_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/hone-rl/hone/hub"
	"github.com/hone-rl/hone/hub/hubtest"
	"github.com/hone-rl/hone/internal/outside"
)

// TestPython: Python's huggingface_hub reads the same from the test's hub as this client does, so that the hub is one.
func TestPython(t *testing.T) {
	python := outside.NewPython(t)
	all := map[string][]byte{weights: noise(1, 1<<20), config: []byte(`{"model_type":"qwen2"}`), "LICENSE": []byte("x"), "empty.txt": nil}
	s := hubtest.New(t, "lab", "tiny")
	s.Token, s.Card = "hf_secret", map[string]any{"license": "apache-2.0"}
	commit := s.Commit(all, "main")
	dir := filepath.Join(t.TempDir(), "snapshot")
	var theirs struct {
		Commit, Licence string
		Files           map[string]struct {
			Size        int64
			SHA256, Git string
		}
	}
	python.Read(t, &theirs, "hub_snapshot.py", s.URL, "lab/tiny", "main", dir, s.Token)
	cfg := settings(s)
	cfg.Token = s.Token
	ours := pinned(t, client(t, cfg), "main")
	if theirs.Commit != commit || ours.Commit != commit || theirs.Licence != "apache-2.0" || ours.Licence != "apache-2.0" || len(theirs.Files) != len(ours.Files) {
		t.Errorf("theirs %+v, ours %+v", theirs, ours)
	}
	for _, f := range ours.Files {
		if got := theirs.Files[f.Name]; (hub.File{Name: f.Name, Size: got.Size, SHA256: got.SHA256, Git: got.Git}) != f {
			t.Errorf("theirs %+v, ours %+v", got, f)
		}
		got, err := os.ReadFile(filepath.Join(dir, f.Name))
		if err != nil || !bytes.Equal(got, all[f.Name]) {
			t.Errorf("%s: they fetched %d bytes, %v, want %d", f.Name, len(got), err, len(all[f.Name]))
		}
	}
}
