package alfworld_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/internal/outside"
	"github.com/hone-rl/hone/scripts/bench"
)

// played is a golden game and what is said to it.
type played struct {
	Path     string   `json:"path"`
	Commands []string `json:"commands"`
}

// peerSteps is how many commands are said to a game: ALFWorld's engine needs tens of milliseconds for each.
const peerSteps = 20

// BenchmarkPython is this engine beside ALFWorld's own, on a golden game of each task type: opening, from the file to
// the first observation with its admissible commands, resetting a game that was opened, and walking, with all
// admissible commands after every step.
// Texts and commands must agree.
func BenchmarkPython(b *testing.B) {
	games := playedGames(b, outside.Shared(b, "alfworld-golden"))
	peer := bench.Start(b, bench.Program{
		Environment: ".venv-bench", Script: "engine.py", Args: []string{bench.WriteJSON(b, games)},
	})
	steps := 0
	for _, g := range games {
		steps += len(g.Commands)
	}
	b.Run("load", func(b *testing.B) {
		bench.Comparison{
			Unit: "games", Work: float64(len(games)), Repeat: 20,
			Ours:  func(c *bench.Clock) (any, error) { return loadGames(b.Context(), games, c) },
			Peers: []bench.Rival{{Name: "alfworld", Peer: peer, Round: "load"}},
		}.Run(b)
	})
	b.Run("reset", func(b *testing.B) {
		loaded := make([]*alfworld.Game, len(games))
		for i, g := range games {
			loaded[i] = readPlayed(b, g)
		}
		bench.Comparison{
			Unit: "games", Work: float64(len(games)), Repeat: 2000,
			Ours:  func(c *bench.Clock) (any, error) { return resetGames(b.Context(), loaded, c) },
			Peers: []bench.Rival{{Name: "alfworld", Peer: peer, Round: "reset"}},
		}.Run(b)
	})
	b.Run("walk", func(b *testing.B) {
		bench.Comparison{
			Unit: "steps", Work: float64(steps), Repeat: 100,
			Ours:  func(c *bench.Clock) (any, error) { return walkGames(b.Context(), games, c) },
			Peers: []bench.Rival{{Name: "alfworld", Peer: peer, Round: "walk"}},
		}.Run(b)
	})
}

// playedGames are the first golden game of each task type, with the beginning of a random walk.
func playedGames(b *testing.B, dir string) []played {
	b.Helper()
	taken := map[string]bool{}
	var games []played
	for _, g := range bench.GoldenGames(b, dir) {
		if g.Vintage == "2.1.1" || taken[g.TaskType] {
			continue
		}
		taken[g.TaskType] = true
		var said []string
		for _, r := range g.Walk(b, "random0") {
			if r.Command != nil {
				said = append(said, *r.Command)
			}
		}
		games = append(games, played{filepath.Join(g.Dir, "game.tw-pddl"), said[:min(peerSteps, len(said))]})
	}
	return games
}

func loadGames(ctx context.Context, games []played, c *bench.Clock) ([]string, error) {
	seen := make([]env.Observation, len(games))
	err := c.Time(func() error {
		for i, g := range games {
			data, err := os.ReadFile(g.Path)
			if err != nil {
				return err
			}
			game, err := alfworld.Parse(g.Path, data)
			if err != nil {
				return err
			}
			episode, err := game.Start(ctx, env.Limits{})
			if err != nil {
				return err
			}
			seen[i] = episode.Now()
		}
		return nil
	})
	return openings(seen), err
}

func readPlayed(b *testing.B, g played) *alfworld.Game {
	b.Helper()
	data, err := os.ReadFile(g.Path)
	if err != nil {
		b.Fatal(err)
	}
	game, err := alfworld.Parse(g.Path, data)
	if err != nil {
		b.Fatal(err)
	}
	return game
}

func resetGames(ctx context.Context, games []*alfworld.Game, c *bench.Clock) ([]string, error) {
	seen := make([]env.Observation, len(games))
	err := c.Time(func() error {
		for i, g := range games {
			episode, err := g.Start(ctx, env.Limits{})
			if err != nil {
				return err
			}
			seen[i] = episode.Now()
		}
		return nil
	})
	return openings(seen), err
}

func walkGames(ctx context.Context, games []played, c *bench.Clock) ([]string, error) {
	var digests []string
	for _, g := range games {
		data, err := os.ReadFile(g.Path)
		if err != nil {
			return nil, err
		}
		game, err := alfworld.Parse(g.Path, data)
		if err != nil {
			return nil, err
		}
		episode, err := game.Start(ctx, env.Limits{})
		if err != nil {
			return nil, err
		}
		seen := make([]env.Observation, len(g.Commands))
		if err := c.Time(func() error {
			for i, command := range g.Commands {
				if seen[i], err = episode.Step(ctx, command); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return nil, err
		}
		digests = append(digests, digestOf(seen))
	}
	return digests, nil
}

// openings are the digests of observations, each for itself.
func openings(seen []env.Observation) []string {
	digests := make([]string, len(seen))
	for i, o := range seen {
		digests[i] = digestOf([]env.Observation{o})
	}
	return digests
}

// digestOf is of all texts and admissible commands, one a line.
func digestOf(seen []env.Observation) string {
	var lines []string
	for _, o := range seen {
		lines = slices.Concat(lines, []string{o.Text}, o.Actions.Commands)
	}
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}
