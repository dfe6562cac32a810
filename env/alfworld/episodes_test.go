package alfworld_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
)

// recorded is an expert's play that others recorded on the old game files.
type recorded struct {
	Game         string   `json:"game"`
	Actions      []string `json:"actions"`
	Observations []string `json:"observations"`
}

func readRecorded(t *testing.T) map[string]recorded {
	t.Helper()
	f, err := os.Open(filepath.Join(shared(t, "alfworld-episodes"), "train_trajectories.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // only read
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]recorded{}
	for dec := json.NewDecoder(bufio.NewReader(z)); dec.More(); {
		var r recorded
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		all[r.Game] = r
	}
	return all
}

// TestRecordedEpisodes replays all recorded trajectories on the old vintage of the games. The recorder cut
// "You arrive at loc N. " from the answers.
func TestRecordedEpisodes(t *testing.T) {
	records := readRecorded(t)
	folder := t.TempDir()
	games := shared(t, "alfworld-games")
	for _, link := range [][2]string{{"games.jsonl.xz", "games.jsonl.xz"}, {"legacy/alfred.pddl", "alfred.pddl"}, {"legacy/alfred.twl2", "alfred.twl2"}} {
		target, err := filepath.Abs(filepath.Join(games, link[0]))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(folder, link[1])); err != nil {
			t.Fatal(err)
		}
	}
	var played, commands atomic.Int64
	eachGame(t, folder, func(in alfworld.Imported) {
		r, ok := records[in.ID]
		if !ok {
			return
		}
		game, err := alfworld.Parse(in.ID, in.Data)
		if err != nil {
			t.Error(err)
			return
		}
		ep, err := game.Start(t.Context(), env.Limits{})
		if err != nil {
			t.Error(err)
			return
		}
		obs := ep.Now()
		for i, want := range r.Observations {
			if obs.Text[cut(obs.Text):] != want {
				t.Errorf("%s: after %d commands got %q, want %q", in.ID, i, obs.Text, want)
				return
			}
			if i < len(r.Actions) {
				if obs, err = ep.Step(t.Context(), r.Actions[i]); err != nil {
					t.Error(err)
					return
				}
			}
		}
		if !obs.Won || obs.Moves != len(r.Actions) {
			t.Errorf("%s: won %v after %d moves, want true after %d", in.ID, obs.Won, obs.Moves, len(r.Actions))
		}
		played.Add(1)
		commands.Add(int64(len(r.Actions)))
	})
	if played.Load() != 3536 || commands.Load() != 60266 {
		t.Errorf("played %d episodes of %d commands, want 3536 of 60266", played.Load(), commands.Load())
	}
}

// cut is the length of "You arrive at loc N. " at the beginning of an answer.
func cut(text string) int {
	if strings.HasPrefix(text, "You arrive at loc ") {
		return strings.Index(text, ". ") + 2
	}
	return 0
}
