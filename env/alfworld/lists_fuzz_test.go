package alfworld

import (
	"errors"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
)

// FuzzTranscript replays any transcript of a small game: rows are counted, and a broken one ends it with its line.
func FuzzTranscript(f *testing.F) {
	const row = `{"walk": "w", "step": 0, "command": null, "feedback": "x", "admissible_commands": ["flip a 1"], "score": 0, "won": false, "done": false, "moves": 0}`
	for _, text := range []string{
		row, row + "\n" + strings.Replace(row, `0, "command": null`, `1, "command": "flip a 2"`, 1) + "\n",
		strings.Replace(row, `"step": 0`, `"step": 3`, 1), `{"step": 1e99}`, "{}\n{", "\n", "[]", `{"admissible_commands": null}`,
	} {
		f.Add([]byte(text))
	}
	domain, problem, grammar := libraryDomain, libraryProblem, libraryGrammar
	data, err := encode(file{Domain: &domain, Problem: &problem, Grammar: &grammar})
	if err != nil {
		f.Fatal(err)
	}
	game, err := Parse("fuzz", data)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r GoldenResult
		check := goldenCheck{game: game, file: "fuzz.jsonl", result: &r}
		err := check.rows(t.Context(), strings.NewReader(string(data)))
		lines := strings.Count(string(data), "\n") + 1
		if r.Rows > lines || r.Walks > r.Rows || r.Differences > r.Rows || err != nil && !strings.Contains(err.Error(), "fuzz.jsonl:") {
			t.Errorf("%d lines: %+v, %v", lines, r, err)
		}
		if len(r.First) > keptDifferences || r.Differences < len(r.First) {
			t.Errorf("%d differences, %d told", r.Differences, len(r.First))
		}
	})
}

// FuzzPackedLine reads any line of a packed list: it is a game by the name it is sorted by, is left out, or is bad.
func FuzzPackedLine(f *testing.F) {
	const line = `{"game": "train/task/trial", "task_type": "pick_and_place_simple", "task": "put <it> \"away\"", "pddl_problem": "(define)"}`
	for _, text := range []string{
		line, strings.Replace(line, "train/", "", 1), `{"game": "a/b/c", ` + line[1:], `{"x": [[{}]], "game": 1}`, `{"GAME": "a/b/c", ` + line[1:],
		strings.Replace(line, "trial", "Sliced", 1), strings.Replace(line, "pick_and_place_simple", "dance", 1), "{", "[]", "null", line + "x",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		id, err := packedID(data)
		if err != nil {
			if !errors.Is(err, env.ErrBadGame) {
				t.Errorf("got %v, want %v", err, env.ErrBadGame)
			}
			return
		}
		got := new(Source).unpack(id, "games:1", data, "(domain)", `"rhs": "`+goalMark+`"`)
		switch {
		case got.err != nil:
			if !errors.Is(got.err, env.ErrBadGame) || !strings.Contains(got.err.Error(), "games:1") {
				t.Errorf("got %v, want %v with the line", got.err, env.ErrBadGame)
			}
		case got.left != nil:
			if got.left.ID != id {
				t.Errorf("left out as %q, sorted as %q", got.left.ID, id)
			}
		default:
			if _, err := readGameFile(got.game.Data, (*Library)(nil).known); err != nil || got.game.ID != id || strings.Split(id, "/")[0] != got.game.Split {
				t.Errorf("game %+v of %q: %v", got.game, id, err)
			}
		}
	})
}
