package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/household"
)

// loaded is what ALFWorld's own loader takes of data folders: of each the game files of each split, below it.
func loaded(t *testing.T, dirs ...string) []map[string][]string {
	t.Helper()
	python := filepath.Join("..", ".venv-bench", "bin", "python")
	if _, err := os.Stat(python); err != nil {
		t.Skipf("needs ALFWorld's engine, which make setup-bench brings: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), python, append([]string{filepath.Join("..", "scripts", "parity", "loader.py")}, dirs...)...)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("%v: %s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var list []map[string][]string
	for line := range bytes.Lines(out) {
		var files map[string][]string
		if err := json.Unmarshal(line, &files); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		list = append(list, files)
	}
	if len(list) != len(dirs) {
		t.Fatalf("got %q, want a line for each of %d folders", out, len(dirs))
	}
	return list
}

// TestALFWorldLoads: ALFWorld's own loader lists every game of a fetched folder, and of a list that was imported from
// it and exported again; the second folder is the first but for what people said.
func TestALFWorldLoads(t *testing.T) {
	files := officialFiles(t)
	cfg := household.Config{
		Seed: 5, Train: 12, ValidSeen: 6, ValidUnseen: 6, Mix: household.EvenMix,
		Rules: household.Rules{Domain: files.Domain, Grammar: files.Grammar},
	}
	dir := filepath.Join(t.TempDir(), "official")
	if _, err := writeOfficial(t.Context(), dir, cfg, files); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"train": nil, "valid_seen": nil, "valid_unseen": nil}
	var ids []string
	source, err := alfworld.Import(dir)
	if err != nil {
		t.Fatal(err)
	}
	for g, err := range source.Games() {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, g.ID)
		want[g.Split] = append(want[g.Split], g.ID+"/game.tw-pddl")
	}
	if len(ids) != 24 {
		t.Fatalf("%d games", len(ids))
	}
	store := mem.New()
	res, err := importGames(t.Context(), store, source)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "exported")
	if _, err := exportArtifact(t.Context(), store, string(res.Digest), out); err != nil {
		t.Fatal(err)
	}
	for i, got := range loaded(t, filepath.Join(dir, "json_2.1.1"), out) {
		if !reflect.DeepEqual(got, want) {
			t.Errorf("folder %d: ALFWorld takes %v, want %v", i, got, want)
		}
	}
	for _, id := range ids {
		for _, name := range []string{"game.tw-pddl", "traj_data.json"} {
			before, err := os.ReadFile(filepath.Join(dir, "json_2.1.1", filepath.FromSlash(id), name))
			after, err2 := os.ReadFile(filepath.Join(out, filepath.FromSlash(id), name))
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			if name == "traj_data.json" {
				before, after = withoutSentences(t, before), withoutSentences(t, after)
			}
			if string(before) != string(after) {
				t.Errorf("%s/%s: exported %s, it was %s", id, name, after, before)
			}
		}
	}
}

func withoutSentences(t *testing.T, data []byte) []byte {
	t.Helper()
	var traj map[string]any
	if err := json.Unmarshal(data, &traj); err != nil {
		t.Fatal(err)
	}
	delete(traj, "turk_annotations")
	out, err := json.Marshal(traj)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
