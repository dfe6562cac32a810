package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/household"
)

// TestUnreadGames: plans and stats measure the games that can be read, name the others and end with status 1; where
// there is none left they end with status 2 and say why.
func TestUnreadGames(t *testing.T) {
	list := homes(t, 3)
	mixed, bad, other := t.TempDir(), t.TempDir(), t.TempDir()
	for i, g := range list[:2] {
		writeFile(t, filepath.Join(mixed, "train", "a", fmt.Sprint(i), "game.tw-pddl"), g.Data)
	}
	for _, dir := range []string{mixed, bad} {
		writeFile(t, filepath.Join(dir, "train", "b", "typed", "game.tw-pddl"), []byte(`{"grammar": 7, "solvable": true}`))
		writeFile(t, filepath.Join(dir, "train", "b", "typed", "traj_data.json"), []byte(`{"task_type":"pick_and_place_simple"}`))
		writeFile(t, filepath.Join(dir, "train", "b", "list", "game.tw-pddl"), []byte("[]"))
	}
	writeFile(t, filepath.Join(other, "valid_seen", "a", "1", "game.tw-pddl"), list[2].Data)
	two := []string{
		"2 games could not be read or played:", filepath.Join("b", "list", "game.tw-pddl") + ": bad game file: the file is a list, expected an object",
		filepath.Join("b", "typed", "game.tw-pddl") + ": ", "grammar is a number, expected a string",
	}
	for _, tt := range []struct {
		args  []string
		code  int
		games float64 // in the JSON
		words []string
	}{
		{[]string{"plans", "--experts", "straight", mixed}, exitFailed, 2, two},
		{[]string{"plans", "--experts", "straight", "--split", "", mixed}, exitFailed, 2, two},
		{[]string{"plans", bad}, exitUsage, 0, append([]string{`holds no games of split "train"`}, two...)},
		{[]string{"stats", "--count", "2", mixed}, exitFailed, 2, two},
		{[]string{"stats", bad}, exitUsage, 0, append([]string{`holds no games of split "train"`}, two...)},
		{[]string{"stats", other}, exitUsage, 0, []string{`holds no games of split "train"`}},
		{[]string{"stats", t.TempDir()}, exitUsage, 0, []string{"reading games: no game.tw-pddl below"}},
		{[]string{"stats", other, other}, exitUsage, 0, []string{"expected at most a folder or a file, got 2 arguments"}},
		{[]string{"stats", ""}, exitUsage, 0, []string{"expected a folder or a file, got an empty argument"}},
		{[]string{"stats", "--count", "0"}, exitUsage, 0, []string{"--count 0: expected 1 to 1,000,000"}},
		{[]string{"stats", "--count", "-1"}, exitUsage, 0, []string{"--count -1"}},
		{[]string{"stats", "--count", "1000001"}, exitUsage, 0, []string{"--count 1000001"}},
		{[]string{"import", ""}, exitUsage, 0, []string{"expected a folder or a file, got an empty argument"}},
	} {
		code, out, err := hone(t, append([]string{"--json", "games"}, tt.args...)...)
		if code != tt.code || err == nil {
			t.Errorf("%q: exit code %d, %v, want %d", tt.args, code, err, tt.code)
			continue
		}
		for _, word := range tt.words {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%q: got %v, want %q in it", tt.args, err, word)
			}
		}
		if tt.games == 0 {
			continue
		}
		var plans []planCount
		var stats map[string]household.Difficulty
		switch tt.args[0] {
		case "plans":
			if err := json.Unmarshal([]byte(out), &plans); err != nil || plans[0].Family != "all" || plans[0].Plans != 2 || !strings.Contains(out, `"noPlan": 0`) {
				t.Errorf("%q: got %s, %v", tt.args, out, err)
			}
		case "stats":
			if err := json.Unmarshal([]byte(out), &stats); err != nil || stats["alfworld"].Games != 2 || !strings.Contains(out, `"receptacles": {`) || !strings.Contains(out, `"median"`) {
				t.Errorf("%q: got %s, %v", tt.args, out, err)
			}
		}
	}
}

// TestUnreadBounded: a list of unreadable games has an end.
func TestUnreadBounded(t *testing.T) {
	var u unreadGames
	for i := range 25 {
		u = append(u, fmt.Sprintf("game %d:\nbroken", i))
	}
	text := u.err().Error()
	if !strings.HasPrefix(text, "25 games could not be read or played:\n  game 0: broken\n") || !strings.HasSuffix(text, "\n  game 19: broken\n  … and 5 more") {
		t.Errorf("got %s", text)
	}
	if u[:1].err().Error() != "1 game could not be read or played:\n  game 0: broken" || u[:0].err() != nil {
		t.Errorf("got %v, %v", u[:1].err(), u[:0].err())
	}
}
