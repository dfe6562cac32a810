package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/env/alfworld"
)

// TestExportGames: a list is written with a traj_data.json beside every game that is JSON, and imported from there it
// is the same list again, but for the game that is none.
func TestExportGames(t *testing.T) {
	root := t.TempDir()
	list := homes(t, 3)
	for i, id := range []string{"train/a-Mug-None-Shelf-7/1", "train/b/2", "valid_seen/c-12/3"} {
		data := list[i].Data
		if i == 1 {
			data = data[:200]
		}
		writeFile(t, filepath.Join(root, filepath.FromSlash(id), "game.tw-pddl"), data)
		writeFile(t, filepath.Join(root, filepath.FromSlash(id), "traj_data.json"), []byte(`{"task_type":"`+list[i].Family+`"}`))
	}
	store := mem.New()
	stored := func(dir string) *importResult {
		source, err := alfworld.Import(dir)
		if err != nil {
			t.Fatal(err)
		}
		res, err := importGames(t.Context(), store, source)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	out := filepath.Join(t.TempDir(), "new", "out")
	said, err := exportArtifact(t.Context(), store, string(stored(root).Digest), out)
	if err != nil || !strings.HasPrefix(said, "games ") || !strings.HasSuffix(said, ": 6 files in "+out) {
		t.Fatalf("got %q, %v", said, err)
	}
	var files []string
	err = fs.WalkDir(os.DirFS(out), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	want := []string{
		"games.jsonl", "train/a-Mug-None-Shelf-7/1/game.tw-pddl", "train/a-Mug-None-Shelf-7/1/traj_data.json", "train/b/2/game.tw-pddl",
		"valid_seen/c-12/3/game.tw-pddl", "valid_seen/c-12/3/traj_data.json",
	}
	if err != nil || !slices.Equal(files, want) {
		t.Errorf("got %q, %v, want %q", files, err, want)
	}
	var traj alfworld.Traj
	data, err := os.ReadFile(filepath.Join(out, filepath.FromSlash("valid_seen/c-12/3/traj_data.json")))
	if err := errors.Join(err, json.Unmarshal(data, &traj)); err != nil {
		t.Fatal(err)
	}
	if traj.TaskID != "3" || traj.TaskType != list[2].Family || traj.Params.Object != list[2].Task.Target || traj.Params.Destination != list[2].Task.Destination || traj.Scene.FloorPlan != "FloorPlan12" {
		t.Errorf("got %+v of %+v", traj, list[2].Task)
	}
	if _, err := exportArtifact(t.Context(), store, string(stored(root).Digest), out); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("into a folder that is there: got %v", err)
	}
	again := stored(out)
	if len(again.LeftOut) != 1 || again.LeftOut[0].ID != "train/b/2" || len(again.Troubles) != 0 {
		t.Errorf("imported again: left out %v, troubles %v", again.LeftOut, again.Troubles)
	}
}
