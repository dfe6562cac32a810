package hints_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/household"
	"github.com/hone-rl/hone/hints"
)

// homes are generated games of all six families.
func homes(t *testing.T, n int) []env.Game {
	t.Helper()
	var games []env.Game
	for g, err := range household.Generate(household.Config{Seed: 5, Train: n, Mix: household.EvenMix}) {
		if err != nil {
			t.Fatal(err)
		}
		games = append(games, parsed(t, g.ID, g.Data))
	}
	return games
}

func recovering(r hints.Recovery) hints.GenerateConfig {
	return hints.GenerateConfig{Plans: []env.PlanKind{env.Search}, History: 1000, Recovery: &r}
}

func generated(t *testing.T, game env.Game, cfg hints.GenerateConfig) []hints.Record {
	t.Helper()
	records, err := hints.Generate(t.Context(), game, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// Every detour is replayed: it leaves the plan somewhere, says what is on offer but not what the expert would say
// there, does not win, and is led back to the win. None of its commands is learnt where it was said.
func TestRecover(t *testing.T) {
	lengths, froms, records := map[int]int{}, map[bool]int{}, 0
	for _, game := range homes(t, 24) {
		cfg := recovering(hints.Recovery{PerGame: 3, Seed: 9})
		ordinary := generated(t, game, cfg)
		back, failed := hints.Recover(t.Context(), game, ordinary, cfg)
		if len(failed) > 0 {
			t.Errorf("%s: failed %+v", game.ID(), failed)
		}
		for n := 1; n <= 3; n++ {
			part := slices.DeleteFunc(slices.Clone(back), func(r hints.Record) bool { return r.Detour != n })
			if len(part) == 0 {
				t.Errorf("%s: no records of detour %d", game.ID(), n)
				continue
			}
			records += len(part)
			checkDetour(t, game, ordinary, part)
			lengths[len(part[0].Astray)]++
			froms[part[0].Step-1 == len(part[0].Astray)]++
		}
	}
	// 72 detours of one to three commands: each length about 24 times.
	if len(lengths) != 3 || min(lengths[1], lengths[2], lengths[3]) < 12 || froms[true] == 0 || froms[false] == 0 {
		t.Errorf("detours by length %v, at the first state %d, later %d", lengths, froms[true], froms[false])
	}
	t.Logf("%d records, detours by length %v", records, lengths)
}

// checkDetour plays a detour and its way back.
func checkDetour(t *testing.T, game env.Game, ordinary, part []hints.Record) {
	t.Helper()
	first := part[0]
	where := fmt.Sprintf("%s detour %d", game.ID(), first.Detour)
	episode, err := game.Start(t.Context(), env.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	history := first.X.History
	from := len(history) - len(first.Astray)
	for i, turn := range history {
		now := episode.Now()
		if now.Text != turn.Observation || !slices.Contains(agent.Candidates(now.Actions.Commands), turn.Command) {
			t.Fatalf("%s: turn %d is %+v, the game says %q", where, i, turn, now.Text)
		}
		if i < from && turn.Command != ordinary[i].Y {
			t.Errorf("%s: turn %d is %q, before the detour the plan has %q", where, i, turn.Command, ordinary[i].Y)
		}
		if i >= from {
			if turn.Command != first.Astray[i-from] {
				t.Errorf("%s: turn %d is %q, astray %q", where, i, turn.Command, first.Astray)
			}
			own, err := episode.(env.Expert).Plan(t.Context(), env.Search)
			if err == nil && own[0] == turn.Command {
				t.Errorf("%s: turn %d, %q, is what the expert says", where, i, turn.Command)
			}
		}
		if now, err = episode.Step(t.Context(), turn.Command); err != nil || now.Won {
			t.Fatalf("%s: turn %d, %q: won %v, %v", where, i, turn.Command, now.Won, err)
		}
	}
	plan, err := episode.(env.Expert).Plan(t.Context(), first.Expert)
	if err != nil || len(plan) != len(part) {
		t.Fatalf("%s: the expert would say %q, %v; %d records", where, plan, err, len(part))
	}
	for i, r := range part {
		if r.Step != len(history)+i+1 || r.Y != plan[i] || !reflect.DeepEqual(r.H, ordinary[0].H) || !slices.Equal(r.Astray, first.Astray) || r.Family != game.Family() {
			t.Errorf("%s: record %d is %+v", where, i, r)
		}
		now, err := episode.Step(t.Context(), r.Y)
		if err != nil || now.Won != (i == len(part)-1) {
			t.Errorf("%s: step %d, %q: won %v, %v", where, r.Step, r.Y, now.Won, err)
		}
	}
}

// What is drawn depends on seed, game and the number of the detour alone.
func TestRecoverDraws(t *testing.T) {
	game := homes(t, 1)[0]
	recovered := func(r hints.Recovery) []hints.Record {
		cfg := recovering(r)
		records, failed := hints.Recover(t.Context(), game, generated(t, game, cfg), cfg)
		if len(failed) > 0 {
			t.Fatal(failed)
		}
		return records
	}
	two := recovered(hints.Recovery{PerGame: 2, Seed: 1})
	if again := recovered(hints.Recovery{PerGame: 2, Seed: 1}); !reflect.DeepEqual(again, two) {
		t.Error("the same seed gives other detours")
	}
	if three := recovered(hints.Recovery{PerGame: 3, Seed: 1}); !reflect.DeepEqual(three[:len(two)], two) || len(three) == len(two) {
		t.Error("a third detour changes the first two")
	}
	if other := recovered(hints.Recovery{PerGame: 2, Seed: 2}); reflect.DeepEqual(other, two) {
		t.Error("another seed gives the same detours")
	}
	for _, r := range recovered(hints.Recovery{PerGame: 20, Commands: 1, Seed: 1}) {
		if len(r.Astray) != 1 {
			t.Errorf("astray %q, want one command", r.Astray)
		}
	}
	if none, failed := hints.Recover(t.Context(), game, generated(t, game, hints.GenerateConfig{}), hints.GenerateConfig{}); none != nil || failed != nil {
		t.Errorf("no detours asked for: %d records, %v", len(none), failed)
	}
}

// A share of 250 in a thousand is some 100 of 400 games; which ones does not depend on the others.
func TestRecoverShare(t *testing.T) {
	n := 0
	for i := range 400 {
		game := room{id: fmt.Sprintf("g/%d", i), at: 2}
		cfg := recovering(hints.Recovery{PerGame: 1, Commands: 1, Share: 250, Seed: 3})
		back, failed := hints.Recover(t.Context(), game, generated(t, game, cfg), cfg)
		if len(back)+len(failed) > 0 {
			n++
		}
	}
	if n < 75 || n > 125 {
		t.Errorf("%d of 400 games, want about 100", n)
	}
}

// The last command that is left is one that wins: it is not said, and the detour is none.
func TestRecoverNeverWins(t *testing.T) {
	for _, g := range homes(t, 12) {
		cfg := recovering(hints.Recovery{PerGame: 10, Commands: 6, Seed: 4})
		back, _ := hints.Recover(t.Context(), g, generated(t, g, cfg), cfg)
		for _, r := range back {
			episode, err := g.Start(t.Context(), env.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			for _, turn := range r.X.History {
				if now, err := episode.Step(t.Context(), turn.Command); err != nil || now.Won {
					t.Fatalf("%s: won after %q, %v", g.ID(), turn.Command, err)
				}
			}
		}
	}
}
