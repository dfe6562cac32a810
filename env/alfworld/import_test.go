package alfworld_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/household"
)

// trial writes a game's folder. No traj_data.json where family is "".
func trial(t *testing.T, root, id string, data []byte, family string) {
	t.Helper()
	dir := filepath.Join(root, "json_2.1.1", filepath.FromSlash(id))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "game.tw-pddl"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if family == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, "traj_data.json"), []byte(`{"task_type":"`+family+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestImportOfBrokenFiles: one broken file keeps no other game out. Where its family is known it is imported, for a
// run to exclude; else it is left out with what was expected.
func TestImportOfBrokenFiles(t *testing.T) {
	var data []byte
	for g, err := range household.Generate(household.Config{Seed: 1, Train: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		data = g.Data
	}
	root := t.TempDir()
	trial(t, root, "train/a/whole", data, "")
	trial(t, root, "train/b/cut", data[:500], alfworld.FamilyPick)
	trial(t, root, "train/c/unknown", data[:500], "")
	trial(t, root, "train/d/whole", data, alfworld.FamilyHeat)
	trial(t, root, "train/e/mistaken", data, "pick_flowers")
	source, err := alfworld.Import(root)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for g, err := range source.Games() {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, g.ID)
	}
	if want := []string{"train/a/whole", "train/b/cut", "train/d/whole"}; !slices.Equal(ids, want) {
		t.Errorf("got %v, want %v", ids, want)
	}
	left := source.LeftOut()
	if len(left) != 2 || left[0].ID != "train/c/unknown" || !strings.Contains(left[0].Reason, "byte 500") ||
		!strings.Contains(left[0].Reason, "expected the JSON of a game file") || left[1].ID != "train/e/mistaken" {
		t.Errorf("left out: got %+v, want c with its reason and e", left)
	}
	file, err := alfworld.Import(filepath.Join(root, "json_2.1.1", "train", "c", "unknown", "game.tw-pddl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range file.Games() {
		if err == nil || !strings.Contains(err.Error(), "game.tw-pddl") || !strings.Contains(err.Error(), "byte 500") {
			t.Errorf("the file alone: got %v, want an error with file and place", err)
		}
	}
	file.GoOn = true
	for g, err := range file.Games() {
		t.Errorf("going on: got %s, %v, want it left out", g.ID, err)
	}
	if left := file.LeftOut(); len(left) != 1 || left[0].Kind != alfworld.LeftUnread || !strings.Contains(left[0].Reason, "byte 500") {
		t.Errorf("going on: left out %+v, want it with its reason", left)
	}
}
