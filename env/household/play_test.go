package household_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/household"
)

var update = flag.Bool("update", false, "rewrite testdata")

// start loads a game and begins an episode.
func start(t *testing.T, game household.Game) (*alfworld.Game, env.Episode) {
	t.Helper()
	loaded, err := alfworld.Parse(game.ID, game.Data)
	if err != nil {
		t.Fatal(err)
	}
	episode, err := loaded.Start(t.Context(), env.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return loaded, episode
}

// Every game is read without a warning, is understood as the task it was made for, is not won at the start, and is
// won by the plans of all experts, played here once more.
func TestEveryGameCanBeWon(t *testing.T) {
	for _, game := range generate(t, household.Config{Seed: 11, Train: 120, ValidSeen: 48, ValidUnseen: 48, Mix: household.EvenMix}) {
		loaded, _ := start(t, game)
		if w := loaded.Warnings(); len(w) > 0 {
			t.Errorf("%s: %s", game.ID, strings.Join(w, "; "))
		}
		name := strings.Split(strings.ToLower(strings.Split(game.ID, "/")[2]), "-")
		goal := loaded.Goal()
		end := goal.Destination
		if game.Family == "look_at_obj_in_light" {
			end = goal.Device
		}
		if got := []string{loaded.Family(), goal.Target, end}; loaded.Family() != game.Family || !slices.Equal(got, name[:3]) {
			t.Errorf("%s is understood as %q", game.ID, got)
		}
		if !strings.Contains(goal.Text, " "+goal.Target+" ") || !strings.Contains(goal.Text+" ", " "+name[2]+" ") {
			t.Errorf("%s: sentence %q names neither or one of target and end", game.ID, goal.Text)
		}
		for _, kind := range []env.PlanKind{env.Straight, env.Search, env.Planner, env.Explore} {
			_, episode := start(t, game)
			now := episode.Now()
			if now.Won || now.Done {
				t.Errorf("%s is won at the start", game.ID)
			}
			plan, err := episode.(env.Expert).Plan(t.Context(), kind)
			if err != nil {
				t.Fatalf("%s: %s plan: %v", game.ID, kind, err)
			}
			for _, command := range plan {
				if _, ok := slices.BinarySearch(now.Actions.Commands, command); !ok {
					t.Fatalf("%s: %q of the %s plan is not admissible", game.ID, command, kind)
				}
				if now, err = episode.Step(t.Context(), command); err != nil {
					t.Fatal(err)
				}
			}
			if !now.Won {
				t.Errorf("%s: the %s plan %q does not win", game.ID, kind, plan)
			}
		}
	}
}

// A walk through a kitchen, told word for word: testdata/kitchen.txt. The walk is read from the file, the answers
// are compared with it (rewritten by -update).
func TestTexts(t *testing.T) {
	for _, name := range []string{"kitchen", "bedroom"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", name+".txt")
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want := string(data)
			head, _, _ := strings.Cut(want, "\n")
			var game household.Game
			for _, g := range generate(t, household.Config{Seed: 1, Train: 12}) {
				if "# "+g.ID == head {
					game = g
				}
			}
			if game.ID == "" {
				t.Fatalf("%s: no game %q among the first of seed 1", path, head)
			}
			_, episode := start(t, game)
			var got strings.Builder
			fmt.Fprintf(&got, "%s\n%s\n", head, episode.Now().Text)
			for line := range strings.Lines(want) {
				command, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "> ")
				if !ok {
					continue
				}
				now, err := episode.Step(t.Context(), command)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&got, "> %s\n%s\n", command, now.Text)
				if now.Won {
					got.WriteString("(won)\n")
				}
			}
			if *update {
				if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got.String() != want {
				t.Errorf("%s differs, got:\n%s", path, &got)
			}
		})
	}
}
