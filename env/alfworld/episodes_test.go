package alfworld_test

import (
	"path/filepath"
	"testing"

	"github.com/hone-rl/hone/env/alfworld/parity"
	"github.com/hone-rl/hone/internal/outside"
)

// TestRecordedEpisodes replays all recorded trajectories on the old vintage of the games.
func TestRecordedEpisodes(t *testing.T) {
	if testing.Short() {
		t.Skip("all real games take some 10 s")
	}
	file := filepath.Join(outside.Shared(t, "alfworld-episodes"), "train_trajectories.jsonl.gz")
	got, err := parity.ReplayRecorded(t.Context(), file, outside.Shared(t, "alfworld-games"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range got.First {
		t.Error(d)
	}
	if got.Games != 3536 || got.Commands != 60266 || got.Differences != 0 {
		t.Errorf("got %d episodes of %d commands with %d differences, want 3536 of 60266 with none", got.Games, got.Commands, got.Differences)
	}
}
