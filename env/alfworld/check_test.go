package alfworld_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/household"
)

// homes are generated games of the six families in turn.
func homes(t *testing.T, n int) []household.Game {
	t.Helper()
	var list []household.Game
	for g, err := range household.Generate(household.Config{Seed: 1, Train: n, Mix: household.EvenMix}) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, g)
	}
	return list
}

// with is a game file with a key set.
func with(t *testing.T, data []byte, key string, value any) []byte {
	t.Helper()
	var file map[string]any
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	file[key] = value
	if s, ok := value.(func(string) string); ok {
		file[key] = s(mapString(t, data, key))
	}
	out, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func mapString(t *testing.T, data []byte, key string) string {
	t.Helper()
	var file map[string]any
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	return file[key].(string)
}

// straight is the plan of a game file.
func straight(t *testing.T, id string, data []byte) []string {
	t.Helper()
	game, err := alfworld.Parse(id, data)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := play(t, game).ep.(env.Expert).Plan(t.Context(), env.Straight)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// checked reads a source with Check and asks that it yields what Games yields.
func checked(t *testing.T, path string, taskTypes ...string) (ids []string, troubles []alfworld.Trouble, left []alfworld.LeftOut) {
	t.Helper()
	source, err := alfworld.Import(path)
	if err != nil {
		t.Fatal(err)
	}
	source.TaskTypes = taskTypes
	var games []alfworld.Imported
	for g, err := range source.Games() {
		if err != nil {
			t.Fatal(err)
		}
		games = append(games, g)
	}
	left = source.LeftOut()
	last := 0
	for g, err := range source.Check(t.Context(), func(done, all int) { last = all - done }) {
		if err != nil {
			t.Fatal(err)
		}
		if n := len(ids); n >= len(games) || games[n].ID != g.ID || string(games[n].Data) != string(g.Data) || games[n].Family != g.Family {
			t.Fatalf("Check yields %s as game %d, Games does not", g.ID, n)
		}
		ids, troubles = append(ids, g.ID), append(troubles, g.Troubles...)
	}
	if len(ids) != len(games) || !slices.Equal(source.LeftOut(), left) || last != 0 {
		t.Errorf("Check yields %d games and leaves %v out with %d to come, Games %d and %v", len(ids), source.LeftOut(), last, len(games), left)
	}
	return ids, troubles, left
}

// TestCheck finds what is wrong with games and imports them all the same.
func TestCheck(t *testing.T) {
	root := t.TempDir()
	list := homes(t, 6) // one of each family
	for i, g := range list {
		plan := straight(t, g.ID, g.Data)
		trial(t, root, fmt.Sprintf("train/good-%d/1", i), with(t, g.Data, "walkthrough", plan), g.Family)
	}
	g := list[0] // of pick_and_place_simple
	plan := straight(t, g.ID, g.Data)
	trial(t, root, "train/x-short/1", with(t, g.Data, "walkthrough", plan[:len(plan)-1]), g.Family)
	trial(t, root, "train/x-refused/1", with(t, g.Data, "walkthrough", []string{"dance"}), g.Family)
	trial(t, root, "train/x-family/1", g.Data, alfworld.FamilyHeat)
	trial(t, root, "train/x-cut/1", g.Data[:500], g.Family)
	trial(t, root, "train/x-byte/1", []byte(strings.Replace(string(g.Data), "{", "{\n", 1)+"\n\xff"), g.Family)
	trial(t, root, "train/x-spelt/1", with(t, g.Data, "pddl_problem", func(s string) string {
		return strings.Replace(s, "(:objects", "(:objekts", 1)
	}), g.Family)
	trial(t, root, "train/x-crowd/1", with(t, g.Data, "pddl_problem", func(s string) string {
		var more strings.Builder
		for i := range 6000 {
			fmt.Fprintf(&more, "more%d - object ", i)
		}
		return strings.Replace(s, "(:objects", "(:objects "+more.String(), 1)
	}), g.Family)
	ids, got, left := checked(t, root)
	if len(ids) != 13 || len(left) != 0 {
		t.Errorf("got %d games and %v left out, want 13 and none", len(ids), left)
	}
	want := []struct{ id, kind, reason string }{
		{"x-byte", alfworld.TroubleUnplayable, fmt.Sprintf("line 4, byte %d: not UTF-8", len(g.Data)+2)},
		{"x-crowd", alfworld.TroubleUnplayable, "budget of 5000 objects"},
		{"x-cut", alfworld.TroubleUnplayable, "line 1, byte 500: unexpected end of JSON input, expected the JSON of a game file"},
		{"x-family", alfworld.TroubleFamily, "its task type is pick_heat_then_place_in_recep, its goal is of pick_and_place_simple"},
		{"x-refused", alfworld.TroubleWalkthrough, `command 1 of 1, "dance", is refused`},
		{"x-short", alfworld.TroubleWalkthrough, fmt.Sprintf("after its %d commands the game is not won", len(plan)-1)},
		{"x-spelt", alfworld.TroubleUnplayable, "pddl_problem:3: unknown section \":objekts\""},
	}
	if len(got) != len(want) {
		t.Fatalf("got %+v, want %d troubles", got, len(want))
	}
	for i, w := range want {
		if g := got[i]; g.ID != "train/"+w.id+"/1" || g.Kind != w.kind || !strings.Contains(g.Reason, w.reason) ||
			g.File != filepath.Join(root, "json_2.1.1", "train", w.id, "1", "game.tw-pddl") {
			t.Errorf("got %+v, want %+v", g, w)
		}
	}
}

// TestTaskTypes takes only what is asked for, with and without traj_data.json.
func TestTaskTypes(t *testing.T) {
	root := t.TempDir()
	for i, g := range homes(t, 6) {
		trial(t, root, fmt.Sprintf("train/told-%d/1", i), g.Data, g.Family)
		trial(t, root, fmt.Sprintf("train/untold-%d/1", i), g.Data, "")
	}
	ids, _, left := checked(t, root, alfworld.FamilyLook, alfworld.FamilyTwo)
	if want := []string{"train/told-1/1", "train/told-5/1", "train/untold-1/1", "train/untold-5/1"}; !slices.Equal(ids, want) {
		t.Errorf("got %v, want %v", ids, want)
	}
	for _, l := range left {
		if l.Kind != alfworld.LeftTaskType || !strings.Contains(l.Reason, "was not asked for") {
			t.Errorf("got %+v", l)
		}
	}
	if len(left) != 8 {
		t.Errorf("left out %d, want 8", len(left))
	}
}

// TestOddFolders: what a data folder may hold besides games.
func TestOddFolders(t *testing.T) {
	g := homes(t, 1)[0]
	root := t.TempDir()
	path := func(id, name string) string { return filepath.Join(root, "json_2.1.1", filepath.FromSlash(id), name) }
	trial(t, root, "train/a/good", g.Data, g.Family)
	trial(t, root, "train/b/untyped", g.Data, g.Family)
	write(t, path("train/b/untyped", "traj_data.json"), []byte(`{"task_id": "x"}`))
	trial(t, root, "train/c/latin", g.Data, g.Family)
	write(t, path("train/c/latin", "traj_data.json"), []byte("{\"task_type\": \"\xe9\"}"))
	trial(t, root, "train/d/list", g.Data, g.Family)
	write(t, path("train/d/list", "traj_data.json"), []byte(`[]`))
	trial(t, root, "train/e/n\xffme", g.Data, g.Family)
	trial(t, root, "train/f/flagless", with(t, g.Data, "solvable", "yes"), g.Family)
	elsewhere := t.TempDir()
	write(t, filepath.Join(elsewhere, "trial", "game.tw-pddl"), g.Data)
	for _, err := range []error{
		os.MkdirAll(path("train/g/linked", ""), 0o755),
		os.Symlink(filepath.Join(elsewhere, "trial", "game.tw-pddl"), path("train/g/linked", "game.tw-pddl")),
		os.Symlink(filepath.Join(elsewhere, "trial"), path("train/g", "folder")), // not followed, as ALFWorld does not
		os.MkdirAll(path("train/h/dangling", ""), 0o755),
		os.Symlink(filepath.Join(elsewhere, "none"), path("train/h/dangling", "game.tw-pddl")),
		os.MkdirAll(path("train/i/pipe", ""), 0o755),
		syscall.Mkfifo(path("train/i/pipe", "game.tw-pddl"), 0o600),
		os.MkdirAll(path("train/j/folder/game.tw-pddl", ""), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(t.TempDir(), "data")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{root, link} {
		ids, troubles, left := checked(t, dir)
		if want := []string{"train/a/good", "train/g/linked"}; !slices.Equal(ids, want) || len(troubles) != 0 {
			t.Errorf("got %v and %v, want %v", ids, troubles, want)
		}
		want := []alfworld.LeftOut{
			{ID: "train/b/untyped", Kind: alfworld.LeftUnread, Reason: `no "task_type", expected one of pick_and_place_simple`},
			{ID: "train/c/latin", Kind: alfworld.LeftUnread, Reason: "traj_data.json: bad game file: line 1, byte 15: not UTF-8"},
			{ID: "train/d/list", Kind: alfworld.LeftUnread, Reason: "traj_data.json: bad game file: the file is a list, expected an object"},
			{ID: "train/e/n\xffme", Kind: alfworld.LeftName, Reason: `"train/e/n\xffme" is not UTF-8`},
			{ID: "train/f/flagless", Kind: alfworld.LeftUnsolvable, Reason: `"solvable" is "yes"`},
			{ID: "train/h/dangling", Kind: alfworld.LeftNoGame, Reason: "no game.tw-pddl"},
			{ID: "train/i/pipe", Kind: alfworld.LeftUnread, Reason: "game.tw-pddl is no regular file"},
		}
		if len(left) != len(want) {
			t.Fatalf("left out %+v, want %d", left, len(want))
		}
		for i, w := range want {
			if l := left[i]; l.ID != w.ID || l.Kind != w.Kind || !strings.Contains(l.Reason, w.Reason) {
				t.Errorf("left out %+v, want %+v", l, w)
			}
		}
	}
	for name, words := range map[string]string{
		path("train/a/good", "traj_data.json"): "expected the game.tw-pddl beside it",
		path("train/i/pipe", "game.tw-pddl"):   "expected a folder or a regular file",
		path("train/x/y", "game.tw-pddl"):      "no such file",
	} {
		if _, err := alfworld.Import(name); err == nil || !strings.Contains(err.Error(), words) || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %q of %s", err, words, name)
		}
	}
	if ids, _, _ := checked(t, path("train/a/good", "game.tw-pddl")); !slices.Equal(ids, []string{"train/a/good"}) {
		t.Errorf("the file alone is %v", ids)
	}
	t.Chdir(path("train", ""))
	if ids, _, _ := checked(t, "."); len(ids) != 2 || ids[0] != "train/a/good" {
		t.Errorf("seen from within, the games are %v", ids)
	}
}

// TestCheckStops: neither a cancelled context nor a reader who turns away leaves anything running.
func TestCheckStops(t *testing.T) {
	root := t.TempDir()
	g := homes(t, 1)[0]
	for i := range 40 {
		trial(t, root, fmt.Sprintf("train/%02d/1", i), g.Data, g.Family)
	}
	source, err := alfworld.Import(root)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for g, err := range source.Check(ctx, nil) {
		if n++; n == 3 {
			cancel()
		}
		if n > 3 && !errors.Is(err, context.Canceled) {
			t.Errorf("game %d after the end of the context: %s, %v", n, g.ID, err)
		}
	}
	if n != 4 {
		t.Errorf("%d turns, want 4", n)
	}
	for g, err := range source.Check(t.Context(), nil) {
		if err != nil || g.ID != "train/00/1" {
			t.Errorf("the first game: got %s, %v", g.ID, err)
		}
		break
	}
}

// TestManyTrials: a thousand trials, most without a game, are told apart in order.
func TestManyTrials(t *testing.T) {
	root := t.TempDir()
	g := homes(t, 1)[0]
	const n = 1000
	for i := range n {
		dir := filepath.Join(root, "train", fmt.Sprintf("t%d", i%100), fmt.Sprint(i))
		if i%100 == 0 {
			write(t, filepath.Join(dir, "game.tw-pddl"), g.Data)
		} else if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "traj_data.json"), []byte(`{"task_type":"`+g.Family+`"}`), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	ids, _, left := checked(t, root)
	if len(ids) != 10 || len(left) != n-10 || !slices.IsSorted(ids) ||
		!slices.IsSortedFunc(left, func(a, b alfworld.LeftOut) int { return strings.Compare(a.ID, b.ID) }) {
		t.Errorf("%d games, %d left out, want 10 and %d, in order", len(ids), len(left), n-10)
	}
}
