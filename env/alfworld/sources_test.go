package alfworld_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/internal/outside"
)

// take reads a source to its end.
func take(t *testing.T, path string) ([]alfworld.Imported, []alfworld.LeftOut, error) {
	t.Helper()
	src, err := alfworld.Import(path)
	if err != nil {
		return nil, nil, err
	}
	var games []alfworld.Imported
	for g, err := range src.Games() {
		if err != nil {
			return games, src.LeftOut(), err
		}
		games = append(games, g)
	}
	return games, src.LeftOut(), nil
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestImportFolder applies ALFWorld's own filters to a data folder.
func TestImportFolder(t *testing.T) {
	game := buildFile(t, strings.Replace(kitchen, "GOAL", coolApple, 1), nil)
	dir := t.TempDir()
	trial := func(split, task, name string) string {
		return filepath.Join(dir, "json_2.1.1", split, task, name)
	}
	cool := []byte(`{"task_type": "pick_cool_then_place_in_recep"}`)
	good := trial("valid_seen", "pick_cool_then_place_in_recep-Apple-None-CounterTop-1", "trial_2")
	write(t, filepath.Join(good, "game.tw-pddl"), game)
	write(t, filepath.Join(good, "traj_data.json"), cool)
	bare := trial("train", "pick_cool_then_place_in_recep-Apple-None-CounterTop-1", "trial_1")
	write(t, filepath.Join(bare, "game.tw-pddl"), game)
	for task, files := range map[string]map[string][]byte{
		"pick_and_place_with_movable_recep-Apple-Plate-CounterTop-1": {"game.tw-pddl": game, "traj_data.json": cool},
		"pick_cool_then_place_in_recep-AppleSliced-None-Fridge-1":    {"game.tw-pddl": game, "traj_data.json": cool},
		"pick_a-None-1": {"traj_data.json": cool},
		"pick_b-None-1": {"game.tw-pddl": bytes.Replace(game, []byte(`"solvable":true`), []byte(`"solvable":false`), 1)},
		"pick_c-None-1": {"game.tw-pddl": game, "traj_data.json": []byte(`{"task_type": "dance"}`)},
	} {
		for name, data := range files {
			write(t, filepath.Join(trial("train", task, "trial_1"), name), data)
		}
	}
	games, left, err := take(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range games {
		got = append(got, g.ID+" "+g.Split+" "+g.Family)
		if !bytes.Equal(g.Data, game) {
			t.Errorf("%s: %d bytes, want the file's %d", g.ID, len(g.Data), len(game))
		}
	}
	want := []string{
		"train/pick_cool_then_place_in_recep-Apple-None-CounterTop-1/trial_1 train pick_cool_then_place_in_recep",
		"valid_seen/pick_cool_then_place_in_recep-Apple-None-CounterTop-1/trial_2 valid_seen pick_cool_then_place_in_recep",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	wantLeft := []alfworld.LeftOut{
		{ID: "train/pick_a-None-1/trial_1", Kind: alfworld.LeftNoGame, Reason: "no game.tw-pddl"},
		{ID: "train/pick_and_place_with_movable_recep-Apple-Plate-CounterTop-1/trial_1", Kind: alfworld.LeftMovable, Reason: "movable receptacle"},
		{ID: "train/pick_b-None-1/trial_1", Kind: alfworld.LeftUnsolvable, Reason: `"solvable" is false`},
		{ID: "train/pick_c-None-1/trial_1", Kind: alfworld.LeftTaskType, Reason: `task type "dance" is none of ALFWorld's six`},
		{ID: "train/pick_cool_then_place_in_recep-AppleSliced-None-Fridge-1/trial_1", Kind: alfworld.LeftSliced, Reason: "sliced object"},
	}
	if !slices.Equal(left, wantLeft) {
		t.Errorf("left out %q, want %q", left, wantLeft)
	}
	one, left, err := take(t, filepath.Join(good, "game.tw-pddl"))
	if err != nil || len(one) != 1 || len(left) != 0 || one[0].ID != games[1].ID || one[0].Split != "valid_seen" {
		t.Errorf("a single file: got %d games, left out %v, %v", len(one), left, err)
	}
}

// pack writes a packed list with ALFWorld's domain and grammar beside it.
func pack(t *testing.T, lines ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"alfred.pddl", "alfred.twl2"} {
		data, err := os.ReadFile(filepath.Join(outside.Shared(t, "alfworld-games"), name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), data)
	}
	var buf bytes.Buffer
	w, err := xz.NewWriter(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(strings.Join(lines, "\n"))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "games.jsonl.xz"), buf.Bytes())
	return dir
}

func packedLine(id string) string {
	return `{"game": "` + id + `", "task_type": "pick_cool_then_place_in_recep", "task": "put a \"cool\" <apple> & on", "pddl_problem": "(define)"}`
}

// TestImportPacked sorts, names lines in errors and gives the same bytes every time.
func TestImportPacked(t *testing.T) {
	dir := pack(t, packedLine("train/b/2"), packedLine("train/Sliced/1"), packedLine("train/a/1"))
	games, left, err := take(t, dir)
	if err != nil || len(games) != 2 || games[0].ID != "train/a/1" || games[1].ID != "train/b/2" || len(left) != 1 {
		t.Fatalf("got %d games, left out %v, %v", len(games), left, err)
	}
	again, _, err := take(t, filepath.Join(dir, "games.jsonl.xz"))
	if err != nil || !bytes.Equal(games[0].Data, again[0].Data) {
		t.Errorf("a second reading differs: %v", err)
	}
	if !bytes.Contains(games[0].Data, []byte(`Your task is to: put a \\\"cool\\\" <apple> & on.`)) {
		t.Errorf("the task is not in the grammar: %q", games[0].Data[:min(1200, len(games[0].Data))])
	}
	for _, c := range []struct {
		name string
		dir  string
		want []string
	}{
		{"broken line", pack(t, packedLine("train/a/1"), `{"game": `), []string{"games.jsonl.xz:2:"}},
		{"no id", pack(t, `{"task": "x"}`), []string{"games.jsonl.xz:1:", `"game"`}},
		{"id is a number", pack(t, `{"game": 7}`), []string{"games.jsonl.xz:1:", `"game" is a number, expected a string`}},
		{"task is a number", pack(t, `{"game": "train/a/1", "task": 7}`), []string{"games.jsonl.xz:1:", "task is a number, expected a string"}},
		{"short id", pack(t, packedLine("train")), []string{"games.jsonl.xz:1:", "split/task/trial"}},
		{"twice", pack(t, packedLine("train/a/1"), packedLine("train/a/1")), []string{"games.jsonl.xz:2:", "line 1"}},
		{"no such folder", filepath.Join(dir, "none"), []string{"none"}},
		{"nothing in it", t.TempDir(), []string{"game.tw-pddl"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := take(t, c.dir)
			for _, w := range c.want {
				if err == nil || !strings.Contains(err.Error(), w) {
					t.Errorf("got %v, want something about %q", err, w)
				}
			}
		})
	}
	broken := filepath.Join(dir, "games.jsonl.xz")
	data, err := os.ReadFile(broken)
	if err != nil {
		t.Fatal(err)
	}
	write(t, broken, data[:len(data)/2])
	if _, _, err := take(t, dir); err == nil || !strings.Contains(err.Error(), "games.jsonl.xz") {
		t.Errorf("a truncated list: got %v", err)
	}
}
