package alfworld_test

import (
	"path/filepath"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/internal/outside"
)

// TestStateKey: walking a circle twice comes back to the state of the first time; a thing moved does not.
func TestStateKey(t *testing.T) {
	src, err := alfworld.Import(filepath.Join(outside.Shared(t, "alfworld-golden"), "json_2.1.1"))
	if err != nil {
		t.Fatal(err)
	}
	for g, err := range src.Games() {
		if err != nil {
			t.Fatal(err)
		}
		game, err := alfworld.Parse(g.ID, g.Data)
		if err != nil {
			t.Fatal(err)
		}
		episode, err := game.Start(t.Context(), env.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		key := func() string { return episode.(env.Stateful).StateKey() }
		say := func(commands ...string) {
			for _, c := range commands {
				if _, err := episode.Step(t.Context(), c); err != nil {
					t.Fatal(err)
				}
			}
		}
		there := gone(episode.Now().Actions.Commands, 0)
		say(there)
		back := gone(episode.Now().Actions.Commands, 1)
		// The rules note what was once looked at, though nothing ever asks: the first round is another state.
		say("look", back, "look", there)
		first := key()
		if say("look", "nonsense"); key() != first {
			t.Errorf("%s: looking and nonsense change the state", g.ID)
		}
		if say(back); key() == first {
			t.Errorf("%s: another place is the same state", g.ID)
		}
		if say(there); key() != first {
			t.Errorf("%s: a circle does not come back to its state", g.ID)
		}
	}
}

// gone is the nth command that goes somewhere.
func gone(commands []string, n int) string {
	for _, c := range commands {
		if len(c) > 6 && c[:6] == "go to " {
			if n == 0 {
				return c
			}
			n--
		}
	}
	return ""
}
