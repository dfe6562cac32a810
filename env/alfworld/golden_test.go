package alfworld_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
)

// shared is a folder of the data that lies beside the repository. Tests that need it are skipped without it, but in CI.
func shared(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test's folder")
		}
		dir = up
	}
	path := filepath.Join(dir, "..", "shared", name)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s needs %s: %v", t.Name(), path, err)
		}
		t.Skipf("%s needs %s: %v", t.Name(), path, err)
	}
	return path
}

func TestGolden(t *testing.T) {
	got, err := alfworld.CheckGolden(t.Context(), shared(t, "alfworld-golden"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range got.First {
		t.Error(d)
	}
	got.First = nil
	want := alfworld.GoldenResult{Games: 68, Walks: 532, Rows: 18050}
	if got.Games != want.Games || got.Walks != want.Walks || got.Rows != want.Rows || got.Differences != 0 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestGoldenTellsDifferences changes one row of a transcript and looks for what is told of it.
func TestGoldenTellsDifferences(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "train", "task", "trial")
	write(t, filepath.Join(dir, "game.tw-pddl"), buildFile(t, strings.Replace(kitchen, "GOAL", coolApple, 1), nil))
	var rows []string
	row := func(walk string, step int, command *string, text string, obs env.Observation) {
		data, err := json.Marshal(map[string]any{
			"walk": walk, "step": step, "command": command, "feedback": text, "admissible_commands": obs.Actions.Commands,
			"score": obs.Score, "won": obs.Won, "done": obs.Done, "moves": obs.Moves,
		})
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, string(data))
	}
	p := play(t, build(t, kitchen, coolApple))
	command := "go to fridge 1"
	row("right", 0, nil, p.ep.Now().Text, p.ep.Now())
	row("wrong", 0, nil, p.ep.Now().Text, p.ep.Now())
	obs := p.do(command)
	row("wrong", 1, &command, "You arrive at the fridge 1.", obs)
	obs.Moves++
	row("wrong", 2, new(string), "Nothing happens.", obs)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(strings.Join(rows, "\n"))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "transcripts.jsonl.gz")
	write(t, file, packed.Bytes())
	games := 0
	got, err := alfworld.CheckGolden(t.Context(), filepath.Dir(dir), func(p alfworld.GoldenProgress) { games = p.Done })
	if err != nil || got.Games != 1 || games != 1 || got.Walks != 2 || got.Rows != 4 || got.Differences != 2 || len(got.First) != 1 {
		t.Fatalf("got %+v, %v", got, err)
	}
	want := alfworld.Difference{
		File: file, Line: 3, Walk: "wrong", Step: 1, Command: command, Field: "feedback",
		Want: `"You arrive at the fridge 1."`, Got: `"You arrive at fridge 1. The fridge 1 is closed."`,
	}
	if got.First[0] != want {
		t.Errorf("got %v, want %v", got.First[0], want)
	}
	write(t, file, packed.Bytes()[:packed.Len()/2])
	if _, err := alfworld.CheckGolden(t.Context(), dir, nil); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a truncated transcript: got %v, want an error naming %s", err, file)
	}
	if _, err := alfworld.CheckGolden(t.Context(), t.TempDir(), nil); err == nil {
		t.Error("an empty folder passes, want an error")
	}
}
