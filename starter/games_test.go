package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/household"
)

// output runs do and returns what it writes to standard output.
func output(t *testing.T, do func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	old := os.Stdout
	os.Stdout = w
	text := make(chan string)
	go func() {
		data, _ := io.ReadAll(r) // a pipe of our own
		text <- string(data)
	}()
	do()
	os.Stdout = old
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return <-text
}

// hone runs the command line and returns its exit code, output and error.
func hone(t *testing.T, args ...string) (code int, out string, err error) {
	t.Helper()
	out = output(t, func() {
		cmd := command()
		cmd.SetArgs(args)
		err = cmd.ExecuteContext(t.Context())
	})
	var c coded
	switch {
	case err == nil:
		return 0, out, nil
	case errors.As(err, &c):
		return c.code, out, err
	}
	return exitFailed, out, err
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644)); err != nil {
		t.Fatal(err)
	}
}

// recordedGame writes a game with a transcript of its reset, so many walks of it, the last of which tells the text given.
func recordedGame(t *testing.T, dir string, g household.Game, walks int, last string) {
	t.Helper()
	game, err := alfworld.Parse(g.ID, g.Data)
	if err != nil {
		t.Fatal(err)
	}
	ep, err := game.Start(t.Context(), env.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for i := range walks {
		row := map[string]any{
			"walk": fmt.Sprint(i), "step": 0, "command": nil, "feedback": ep.Now().Text,
			"admissible_commands": ep.Now().Actions.Commands, "score": 0, "won": false, "done": false, "moves": 0,
		}
		if i == walks-1 && last != "" {
			row["feedback"] = last
		}
		if err := json.NewEncoder(z).Encode(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "game.tw-pddl"), g.Data)
	writeFile(t, filepath.Join(dir, "transcripts.jsonl.gz"), packed.Bytes())
}

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

// TestGamesCheck: exit codes and the last line of output.
func TestGamesCheck(t *testing.T) {
	list := homes(t, 3)
	right := filepath.Join(t.TempDir(), "right")
	for i, g := range list {
		recordedGame(t, filepath.Join(right, "train", "a", fmt.Sprint(i)), g, 2, "")
	}
	wrong, broken := filepath.Join(t.TempDir(), "wrong"), filepath.Join(t.TempDir(), "broken")
	recordedGame(t, filepath.Join(wrong, "train", "a", "0"), list[0], 2, "")
	recordedGame(t, filepath.Join(wrong, "train", "a", "1"), list[1], 3, "You are in a maze.")
	recordedGame(t, filepath.Join(broken, "train", "a", "0"), list[0], 1, "")
	writeFile(t, filepath.Join(broken, "train", "b", "0", "transcripts.jsonl.gz"), []byte("this is no gzip file"))
	writeFile(t, filepath.Join(broken, "train", "b", "0", "game.tw-pddl"), list[0].Data)
	writeFile(t, filepath.Join(broken, "train", "c", "0", "transcripts.jsonl.gz"), nil)
	empty := t.TempDir()
	recordedGame(t, filepath.Join(empty, "a"), list[0], 0, "")
	for _, tt := range []struct {
		dir        string
		code       int
		last       string
		out, fault []string
	}{
		{right, 0, "3 games, 6 walks, 6 rows, 0 differences", nil, nil},
		{
			wrong, exitFailed, "2 games, 5 walks, 5 rows, 1 difference",
			[]string{"transcripts.jsonl.gz:3: walk 2, step 0", `want "You are in a maze."`},
			[]string{"differences from the transcripts: 1 row"},
		},
		{
			broken, exitUsage, "1 game, 1 walk, 1 row, 0 differences", nil,
			[]string{filepath.Join("b", "0", "transcripts.jsonl.gz") + ": gzip: invalid header", filepath.Join("c", "0", "game.tw-pddl")},
		},
		{empty, exitUsage, "", nil, []string{filepath.Join(empty, "a", "transcripts.jsonl.gz") + ": it is empty"}},
		{filepath.Join(right, "none"), exitUsage, "", nil, []string{"none"}},
		{"", exitUsage, "", nil, []string{"expected a folder"}},
		{t.TempDir(), exitUsage, "", nil, []string{"no transcripts.jsonl.gz below"}},
	} {
		code, out, err := hone(t, "games", "check", tt.dir)
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if code != tt.code || lines[len(lines)-1] != tt.last || (err != nil) != (tt.fault != nil) {
			t.Errorf("%s: exit code %d, error %v and last line %q, want %d and %q", tt.dir, code, err, lines[len(lines)-1], tt.code, tt.last)
			continue
		}
		for _, word := range tt.out {
			if !strings.Contains(out, word) {
				t.Errorf("%s: got\n%s\nwant %q in it", tt.dir, out, word)
			}
		}
		for _, word := range tt.fault {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: got %v, want %q in it", tt.dir, err, word)
			}
		}
	}
}

// TestNeedsCommand: what is no command is refused, nothing at all is answered by the help.
func TestNeedsCommand(t *testing.T) {
	for _, parent := range []string{"games", "model"} {
		if code, _, err := hone(t, parent, "bogus"); code != exitUsage || !strings.Contains(err.Error(), `unknown command "bogus" for "hone `+parent+`"`) {
			t.Errorf("%s bogus: got %d, %v", parent, code, err)
		}
		if code, out, err := hone(t, parent); code != 0 || err != nil || !strings.Contains(out, "hone "+parent+" [command]") {
			t.Errorf("%s: got %d, %v and\n%s", parent, code, err, out)
		}
	}
}

func TestParseTaskTypes(t *testing.T) {
	for text, want := range map[string]string{
		"1,2,3,4,5,6":               strings.Join(alfworld.Families, " "),
		"pick_two_obj_and_place, 1": "pick_two_obj_and_place pick_and_place_simple",
		"6, 1,6":                    "pick_two_obj_and_place pick_and_place_simple",
	} {
		if got, err := parseTaskTypes(text); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: got %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "7", "1,", "pick", "1;2"} {
		if _, err := parseTaskTypes(text); err == nil || !strings.Contains(err.Error(), "1 to 6") {
			t.Errorf("%q: got %v, want an error that names 1 to 6", text, err)
		}
	}
}

// TestImportTells: a table by default, names only where a run is going to miss something, all of them when asked.
func TestImportTells(t *testing.T) {
	root := t.TempDir()
	trial := func(id string, data []byte, family string) string {
		dir := filepath.Join(root, filepath.FromSlash(id))
		writeFile(t, filepath.Join(dir, "game.tw-pddl"), data)
		if family != "" {
			writeFile(t, filepath.Join(dir, "traj_data.json"), []byte(`{"task_type":"`+family+`"}`))
		}
		return filepath.Join(dir, "game.tw-pddl")
	}
	list := homes(t, 6)
	trial("train/a/1", list[0].Data, list[0].Family)
	trial("valid_seen/a/1", list[1].Data, list[1].Family)
	for i := range 30 {
		trial(fmt.Sprintf("train/pick-AppleSliced-%d/1", i), nil, "")
	}
	trial("train/movable/1", nil, "")
	cut := trial("train/cut/1", list[2].Data[:300], list[2].Family)
	lost := trial("train/lost/1", list[2].Data[:300], "")
	store := mem.New()
	imported := func(taskTypes string) *importResult {
		source, err := alfworld.Import(root)
		if err != nil {
			t.Fatal(err)
		}
		if source.TaskTypes, err = parseTaskTypes(taskTypes); err != nil {
			t.Fatal(err)
		}
		res, err := importGames(t.Context(), store, source)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	tell := func(res *importResult, verbose bool) (text string) {
		return output(t, func() {
			if err := res.print(verbose); err != nil {
				t.Error(err)
			}
		})
	}
	res := imported("1,2,3,4,5,6")
	want := fmt.Sprintf(`1 game that cannot be played and will be excluded by runs:
  %s: bad game file: line 1, byte 300: unexpected end of JSON input, expected the JSON of a game file
     2  train
     1  valid_seen
     1  left out: movable receptacle
    30  left out: sliced object
     1  left out: cannot be read
  reading %s: bad game file: line 1, byte 300: unexpected end of JSON input, expected the JSON of a game file
3 games stored, 32 left out (--verbose names them): %s
`, cut, lost, res.Digest)
	if got := tell(res, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := tell(res, true); strings.Count(got, "left out  train/pick-AppleSliced-") != 30 {
		t.Errorf("--verbose names not all 30 of\n%s", got)
	}
	if again := imported("1,2,3,4,5,6"); again.Digest != res.Digest {
		t.Errorf("imported again: %s, want %s", again.Digest, res.Digest)
	}
	if fewer := imported("2"); !strings.Contains(tell(fewer, false), "     1  valid_seen\n") || fewer.Digest == res.Digest {
		t.Errorf("look alone: got\n%s", tell(fewer, false))
	}
	if none := imported("5"); none.Digest != "" || !strings.Contains(tell(none, false), "0 games, 35 left out") {
		t.Errorf("no game: got %q and\n%s", none.Digest, tell(none, false))
	}
}
