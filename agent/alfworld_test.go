package agent_test

import (
	"bytes"
	"context"
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/internal/outside"
)

// golden are the real games of alfworld-golden in the current vintage, sorted by id: 64, of all six families.
func golden(t *testing.T) []env.Game {
	t.Helper()
	root := outside.Shared(t, "alfworld-golden", "json_2.1.1")
	var games []env.Game
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "game.tw-pddl" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		id, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		g, err := alfworld.Parse(filepath.ToSlash(id), data)
		games = append(games, g)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(games, func(a, b env.Game) int { return strings.Compare(a.ID(), b.ID()) })
	if len(games) != 64 {
		t.Fatalf("%d golden games, want 64", len(games))
	}
	return games
}

// every is each n-th game, the first one first.
func every(n int, games []env.Game) []env.Game {
	var kept []env.Game
	for i := 0; i < len(games); i += n {
		kept = append(kept, games[i])
	}
	return kept
}

// drifter chooses by a hash of the prompt: as wild as chance, and a function of what it reads.
func drifter(prompt string, candidates []string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(prompt)) // a hash's Write never fails
	return candidates[h.Sum64()%uint64(len(candidates))]
}

// Wild play of the real games for 50 commands each, then replayed on games parsed anew.
func TestReplayOfRealGames(t *testing.T) {
	games, again := every(4, golden(t)), every(4, golden(t))
	played := play(t, agent.PlayConfig{Policy: policy(drifter), Oracle: env.Straight}, games...)
	steps, unknown := 0, 0
	for i, p := range played {
		steps += len(p.Steps)
		if err := agent.Replay(t.Context(), again[i], p, env.Limits{}); err != nil {
			t.Error(err)
		}
		for k, s := range p.Steps {
			if s.Oracle == "" {
				unknown++
			}
			if known := slices.Contains(s.Admissible, s.Oracle); known == (s.NoOracle != "") {
				t.Errorf("%s step %d: oracle %q (%s)", p.Game, k+1, s.Oracle, s.NoOracle)
			}
		}
	}
	if steps < 16*30 || unknown > steps/5 {
		t.Errorf("%d steps in all, no oracle in %d", steps, unknown)
	}
	t.Logf("%d steps, no oracle in %d", steps, unknown)
	// One letter of one observation in the middle is found.
	p := played[10]
	p.Steps = slices.Clone(p.Steps)
	p.Steps[17].Observation = strings.Replace(p.Steps[17].Observation, "o", "0", 1)
	var differs *agent.ReplayError
	if err := agent.Replay(t.Context(), again[10], p, env.Limits{}); !errors.As(err, &differs) || differs.Step != 18 || differs.What != "observation" {
		t.Errorf("error %v", err)
	}
}

// A policy that knows what the straight plan says to each prompt wins all real games, word for word as the oracle.
func TestPlayOfRealGamesByThePlan(t *testing.T) {
	games := golden(t)
	knows, want := map[string]string{}, map[string]int{}
	for _, g := range games {
		e, err := g.Start(t.Context(), env.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := e.(env.Expert).Plan(t.Context(), env.Straight)
		if err != nil {
			t.Fatal(err)
		}
		want[g.ID()] = len(plan)
		tracker, err := agent.Track(e, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range plan {
			knows[agent.Lite.Prompt(tracker.X(), "game: "+g.ID())] = c
			now, err := e.Step(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			tracker.Add(c, now)
		}
	}
	// The hint names the game here, so that two games that look alike are not taken for each other.
	cfg := agent.PlayConfig{
		Oracle: env.Straight, Batch: 16, StopCycles: true,
		Policy: policy(func(prompt string, _ []string) string { return knows[prompt] }),
		Hint:   func(_ context.Context, g env.Game, _ env.Episode) (string, error) { return "game: " + g.ID(), nil },
	}
	played := play(t, cfg, games...)
	for _, p := range played {
		if o := (agent.Outcome{Won: true, Steps: want[p.Game], Reason: "won"}); p.Outcome != o {
			t.Errorf("%s: outcome %+v, want %+v", p.Game, p.Outcome, o)
		}
		for k, s := range p.Steps {
			if !s.Exact || !s.Template {
				t.Errorf("%s step %d: %q, oracle %q", p.Game, k+1, s.Command, s.Oracle)
			}
		}
	}
	var one, two bytes.Buffer
	for _, p := range played {
		if err := agent.WriteTrajectory(&one, p); err != nil {
			t.Fatal(err)
		}
	}
	cfg.Batch = 3
	for _, p := range play(t, cfg, golden(t)...) {
		if err := agent.WriteTrajectory(&two, p); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("files of two plays differ")
	}
	i := 0
	for back, err := range agent.Trajectories(&two) {
		if err != nil {
			t.Fatal(err)
		}
		p := played[i]
		p.Steps = slices.Clone(p.Steps)
		for k := range p.Steps {
			p.Steps[k].LogProb = 0
		}
		if !reflect.DeepEqual(back, p) {
			t.Errorf("%s is read back otherwise", p.Game)
		}
		i++
	}
}

// A real game that is larger than its limits allow is a failure with the limit's name.
func TestPlayOfRealGamesWithinLimits(t *testing.T) {
	game := golden(t)[0]
	for _, c := range []struct {
		limits env.Limits
		want   string
	}{
		{env.Limits{Objects: 10}, "limit: objects"},
		{env.Limits{Operators: 3}, "limit: operators"},
		{env.Limits{Work: 10}, "limit: work"},
	} {
		got := play(t, agent.PlayConfig{Policy: policy(drifter), Limits: c.limits}, game)[0]
		if got.Outcome != (agent.Outcome{Reason: c.want}) {
			t.Errorf("%+v: outcome %+v, want %q", c.limits, got.Outcome, c.want)
		}
		if err := agent.Replay(t.Context(), game, got, c.limits); err != nil {
			t.Error(err)
		}
	}
}
