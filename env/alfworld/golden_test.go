package alfworld_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/internal/outside"
)

func TestGolden(t *testing.T) {
	got, err := alfworld.CheckGolden(t.Context(), outside.Shared(t, "alfworld-golden"), nil)
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
	row("wrong", 2, new(""), "Nothing happens.", obs)
	packed := zipped(t, rows...)
	file := filepath.Join(dir, "transcripts.jsonl.gz")
	write(t, file, packed)
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
	write(t, file, packed[:len(packed)/2])
	if _, err := alfworld.CheckGolden(t.Context(), dir, nil); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a truncated transcript: got %v, want an error naming %s", err, file)
	}
	if _, err := alfworld.CheckGolden(t.Context(), t.TempDir(), nil); err == nil {
		t.Error("an empty folder passes, want an error")
	}
}

// zipped is a transcript of rows.
func zipped(t *testing.T, rows ...string) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(strings.Join(rows, "\n"))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// TestGoldenRefuses: a transcript that says less than it should, or another thing, is not taken for a right one.
func TestGoldenRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "train", "task", "trial")
	write(t, filepath.Join(dir, "game.tw-pddl"), buildFile(t, strings.Replace(kitchen, "GOAL", coolApple, 1), nil))
	file := filepath.Join(dir, "transcripts.jsonl.gz")
	row := func(walk string, step int, change ...string) string {
		command := "null"
		if step > 0 {
			command = `"look"`
		}
		line := fmt.Sprintf(`{"walk":%q,"step":%d,"command":%s,"feedback":"x","admissible_commands":[],"score":0,"won":false,"done":false,"moves":0,"note":1}`, walk, step, command)
		for i := 0; i < len(change); i += 2 {
			if !strings.Contains(line, change[i]) {
				t.Fatalf("no %s in %s", change[i], line)
			}
			line = strings.Replace(line, change[i], change[i+1], 1)
		}
		return line
	}
	for name, tt := range map[string]struct {
		rows []string
		want string
	}{
		"empty":               {nil, ": it is empty, expected a walk"},
		"no score":            {[]string{row("a", 0, `"score":0,`, "")}, `:1: no "score" in the row`},
		"misspelt":            {[]string{row("a", 0), row("a", 1, "feedback", "fedback")}, `:2: no "feedback" in the row`},
		"other letters":       {[]string{row("a", 0), row("a", 1, `"feedback"`, `"Feedback"`)}, `:2: no "feedback" in the row`},
		"a key twice":         {[]string{row("a", 0, `"won"`, `"won":true,"won"`)}, `:1: "won" stands twice`},
		"no commands":         {[]string{row("a", 0, `"admissible_commands":[]`, `"admissible_commands":null`)}, `:1: no "admissible_commands"`},
		"no won":              {[]string{row("a", 0, `"won"`, `"one"`)}, `:1: no "won"`},
		"no done":             {[]string{row("a", 0, `"done"`, `"one"`)}, `:1: no "done"`},
		"no moves":            {[]string{row("a", 0, `"moves"`, `"one"`)}, `:1: no "moves"`},
		"no walk":             {[]string{row("a", 0, `"walk"`, `"one"`)}, `:1: no "walk"`},
		"no step":             {[]string{row("a", 0, `"step"`, `"one"`)}, `:1: no "step"`},
		"no command":          {[]string{row("a", 0), row("a", 1, `"look"`, "null")}, `:2: no "command"`},
		"a command at first":  {[]string{row("a", 0, "null", `"look"`)}, `:1: command "look" at step 0 of walk "a", expected null`},
		"step left out":       {[]string{row("a", 0), row("a", 1), row("a", 3)}, `:3: step 3 after step 1 of walk "a", expected step 2`},
		"step twice":          {[]string{row("a", 0), row("a", 1), row("a", 1)}, ":3: step 1 after step 1"},
		"step 77":             {[]string{row("a", 0), row("a", 77)}, ":2: step 77 after step 0"},
		"no beginning":        {[]string{row("a", 1)}, `:1: step 1 of walk "a", expected step 0 before it`},
		"another's beginning": {[]string{row("a", 0), row("b", 1)}, `:2: step 1 of walk "b", expected step 0 before it`},
		"walk twice":          {[]string{row("a", 0), row("b", 0), row("a", 0)}, `:3: walk "a" begins again`},
		"walk is a number":    {[]string{row("a", 0, `"a"`, "7")}, `:1: "walk" is a number, expected a string`},
		"step is a fraction":  {[]string{row("a", 0, `"step":0`, `"step":0.5`)}, `:1: "step" is the number 0.5, expected a whole number`},
		"won is a text":       {[]string{row("a", 0, "false", `"no"`)}, `:1: "won" is a string, expected true or false`},
		"commands are one":    {[]string{row("a", 0, "[]", `"look"`)}, `:1: "admissible_commands" is a string, expected a list`},
		"list":                {[]string{"[]"}, ":1: the row is a list, expected an object"},
		"no JSON":             {[]string{row("a", 0)[:30]}, ":1: unexpected end of JSON input, expected a row of a walk"},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, file, zipped(t, tt.rows...))
			got, err := alfworld.CheckGolden(t.Context(), dir, nil)
			if err == nil || !strings.Contains(err.Error(), file+tt.want) {
				t.Errorf("got %v, want an error with %s", err, tt.want)
			}
			if good := max(0, len(tt.rows)-1); got.Rows != good {
				t.Errorf("%d rows counted, want the %d before the fault", got.Rows, good)
			}
		})
	}
}

// TestGoldenGoesOn: a folder that cannot be read is told, and the others are checked.
func TestGoldenGoesOn(t *testing.T) {
	root := t.TempDir()
	data := buildFile(t, strings.Replace(kitchen, "GOAL", coolApple, 1), nil)
	row := `{"walk":"a","step":0,"command":null,"feedback":"x","admissible_commands":[],"score":0,"won":false,"done":false,"moves":0}`
	for _, name := range []string{"a", "b"} {
		write(t, filepath.Join(root, name, "game.tw-pddl"), data)
		write(t, filepath.Join(root, name, "transcripts.jsonl.gz"), zipped(t, row))
	}
	locked := filepath.Join(root, "a")
	if err := os.Chmod(locked, 0); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(locked, 0o755) }() // so that it can be removed
	if _, err := os.ReadDir(locked); err == nil {
		t.Skip("this user may read every folder")
	}
	got, err := alfworld.CheckGolden(t.Context(), root, nil)
	if err == nil || !strings.Contains(err.Error(), locked) || got.Games != 1 || got.Rows != 1 {
		t.Errorf("got %+v, %v, want one game and an error with %s", got, err, locked)
	}
	if _, err := alfworld.CheckGolden(t.Context(), "", nil); err == nil || !strings.Contains(err.Error(), "expected a folder") {
		t.Errorf("an empty name: %v", err)
	}
}
