package alfworld_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/internal/outside"
)

// TestTrajOfGoldenGames: the goal tells what the data set's own traj_data.json tells.
func TestTrajOfGoldenGames(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(outside.Shared(t, "alfworld-golden"), "*", "*", "*", "*", "traj_data.json"))
	if err != nil || len(files) != 68 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	read := func(path string) []byte {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, file := range files {
		var want alfworld.Traj
		if err := json.Unmarshal(read(file), &want); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Dir(file)
		parts := strings.Split(filepath.ToSlash(dir), "/")
		got, err := alfworld.TrajOf(strings.Join(parts[len(parts)-3:], "/"), want.TaskType, read(filepath.Join(dir, "game.tw-pddl")))
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Human.Sentences) != 1 || got.Human.Sentences[0].Task == "" {
			t.Errorf("%s: sentences %v", file, got.Human)
		}
		got.Human, want.Human = alfworld.TrajHuman{}, alfworld.TrajHuman{}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", file, got, want)
		}
	}
}

func TestTrajOf(t *testing.T) {
	g := homes(t, 1)[0]
	game, err := alfworld.Parse(g.ID, g.Data)
	if err != nil {
		t.Fatal(err)
	}
	got, err := alfworld.TrajOf(g.ID, g.Family, g.Data)
	if err != nil {
		t.Fatal(err)
	}
	text, err := got.Encode()
	if err != nil {
		t.Fatal(err)
	}
	want := `{
 "task_id": "0000",
 "task_type": "pick_and_place_simple",
 "pddl_params": {
  "mrecep_target": "",
  "object_sliced": false,
  "object_target": "` + g.Task.Target + `",
  "parent_target": "` + g.Task.Destination + `",
  "toggle_target": ""
 },
 "scene": {
  "floor_plan": "FloorPlan` + strconv.Itoa(g.Task.Scene) + `",
  "scene_num": ` + strconv.Itoa(g.Task.Scene) + `
 },
 "turk_annotations": {
  "anns": [
   {
    "task_desc": "` + game.Goal().Text + `",
    "high_descs": []
   }
  ]
 }
}
`
	if string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if _, err := alfworld.TrajOf(g.ID, g.Family, g.Data[:300]); err == nil || !strings.Contains(err.Error(), "byte 300") {
		t.Errorf("a broken file: got %v", err)
	}
	spoilt := with(t, g.Data, "pddl_problem", "(define")
	if got, err := alfworld.TrajOf("train/a/b", g.Family, spoilt); err != nil || got.TaskID != "b" || got.TaskType != g.Family || got.Scene.Number != 0 || got.Params != (alfworld.TrajParams{}) {
		t.Errorf("a file that cannot be played: got %+v, %v", got, err)
	}
}
