package alfworld_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/internal/outside"
)

// TestNothingIsTwisted: the facts that ALFWorld's own texts ask for are those that hold, in both vintages, so that no
// second account of them is kept for its games. Games that show a difference are in testdata/parity.
func TestNothingIsTwisted(t *testing.T) {
	for _, list := range []string{"json_2.1.1", "legacy_json_2.1.1"} {
		games, err := filepath.Glob(filepath.Join(outside.Shared(t, "alfworld-golden"), list, "*", "*", "*", "game.tw-pddl"))
		if err != nil || len(games) == 0 {
			t.Fatalf("%d games in %s, %v", len(games), list, err)
		}
		data, err := os.ReadFile(games[0])
		if err != nil {
			t.Fatal(err)
		}
		game, err := alfworld.Parse(list, data)
		if err != nil {
			t.Fatal(err)
		}
		if len(game.Told()) != 0 {
			t.Errorf("%s: predicates %v are told apart, want none", list, game.Told())
		}
	}
	data, err := os.ReadFile(filepath.Join("testdata", "parity", "conditional effects", "game.tw-pddl"))
	if err != nil {
		t.Fatal(err)
	}
	game, err := alfworld.Parse("conditional effects", data)
	if err != nil || len(game.Told()) == 0 {
		t.Errorf("of conditional effects %v is told apart, want some: %v", game.Told(), err)
	}
}
