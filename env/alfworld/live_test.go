package alfworld_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/household"
)

const (
	liveGames = 1000
	// maxLive is what a game that is being played may take in memory, in bytes, alone and with a language it shares.
	maxLive, maxLiveShared = 1_000_000, 200_000
)

// TestLiveGames holds many games that are being played at once, each read alone and all read by one library.
func TestLiveGames(t *testing.T) {
	files := liveFiles(t)
	for _, c := range []struct {
		name  string
		parse func(string, []byte) (*alfworld.Game, error)
		most  int
	}{
		{"alone", alfworld.Parse, maxLive},
		{"shared", (&alfworld.Library{}).Parse, maxLiveShared},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := heap()
			live := make([]env.Episode, len(files))
			for i, data := range files {
				game, err := c.parse("live", data)
				if err != nil {
					t.Fatal(err)
				}
				if live[i], err = game.Start(t.Context(), env.Limits{}); err != nil {
					t.Fatal(err)
				}
				for step := range 10 {
					commands := live[i].Now().Actions.Commands
					if _, err := live[i].Step(t.Context(), commands[(i+7*step)%len(commands)]); err != nil {
						t.Fatal(err)
					}
				}
			}
			each := (heap() - before) / len(files)
			runtime.KeepAlive(live)
			runtime.KeepAlive(files)
			t.Logf("%d live games take %d bytes each", len(files), each)
			if each > c.most {
				t.Errorf("a live game takes %d bytes, want at most %d", each, c.most)
			}
		})
	}
}

func heap() int {
	runtime.GC()
	runtime.GC() // what finalizers and pools held goes with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// liveFiles are real games where they are, else the household's.
func liveFiles(t *testing.T) [][]byte {
	t.Helper()
	var files [][]byte
	if packed, err := filepath.Abs("../../../shared/alfworld-games"); err == nil {
		if src, err := alfworld.Import(packed); err == nil {
			for g, err := range src.Games() {
				if err != nil {
					t.Fatal(err)
				}
				if files = append(files, g.Data); len(files) == liveGames {
					return files
				}
			}
		}
	}
	for g, err := range household.Generate(household.Config{Seed: 1, Train: liveGames}) {
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, g.Data)
	}
	return files
}
