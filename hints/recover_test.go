package hints_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
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

// lost is an episode whose expert does not find back once the mug has been carried away from its drawer.
type lost struct {
	room
	fault error
}

type lostEpisode struct {
	*episode
	game  lost
	moved bool
}

func (g lost) Start(ctx context.Context, limits env.Limits) (env.Episode, error) {
	e, err := g.room.Start(ctx, limits)
	return &lostEpisode{episode: e.(*episode), game: g}, err
}

func (e *lostEpisode) Step(ctx context.Context, text string) (env.Observation, error) {
	e.moved = e.moved || text == "look"
	return e.episode.Step(ctx, text)
}

func (e *lostEpisode) Plan(ctx context.Context, kind env.PlanKind) ([]string, error) {
	if e.moved {
		return nil, e.game.fault
	}
	return e.episode.Plan(ctx, kind)
}

// A detour that the expert does not find back from is listed with its reason; the game keeps its other records.
func TestRecoverFails(t *testing.T) {
	for _, c := range []struct {
		name, kind string
		fault      error
	}{
		{"no plan", hints.ExcludedNoPlan, fmt.Errorf("%w: the mug is gone", env.ErrNoPlan)},
		{"budget", hints.ExcludedByBudget, &env.BudgetError{What: "states", Limit: 9}},
		{"clock", hints.ExcludedByClock, context.DeadlineExceeded},
		{"fault", hints.ExcludedByError, fmt.Errorf("%w: line 3", env.ErrBadGame)},
	} {
		t.Run(c.name, func(t *testing.T) {
			game := lost{room: room{id: "g", at: 2}, fault: c.fault}
			cfg := recovering(hints.Recovery{PerGame: 12, Seed: 1})
			made, err := hints.Make(t.Context(), game, cfg)
			if err != nil {
				t.Fatal(err)
			}
			numbers := map[int]string{}
			for _, e := range made.Failed {
				if e.Game != "g" || numbers[e.Detour] != "" || e.Reason == "" {
					t.Errorf("failed %+v", e)
				}
				numbers[e.Detour] = e.Kind
			}
			looks := 0
			for _, kind := range numbers {
				if kind == c.kind {
					looks++
				}
			}
			if looks == 0 || made.Late() != (c.kind == hints.ExcludedByClock) {
				t.Errorf("failed detours %v, late %v, want some by %s", numbers, made.Late(), c.kind)
			}
			var ordinary []hints.Record
			for r, err := range hints.Records(bytes.NewReader(made.Lines)) {
				if err != nil {
					t.Fatal(err)
				}
				if r.Detour == 0 {
					ordinary = append(ordinary, r)
				} else {
					numbers[r.Detour] = "made"
				}
			}
			if len(ordinary) != 7 || len(numbers) != 12 {
				t.Errorf("%d records from the first state, want 7; detours %v, want all 12", len(ordinary), numbers)
			}
			m, err := hints.WriteDataset(hints.DatasetConfig{Name: "d", Generate: cfg}, io.Discard, readers(made.Lines), made.Failed)
			if err != nil {
				t.Fatal(err)
			}
			if r := m.Recovery; r.Detours+len(made.Failed) != 12 || r.Failed[c.kind] != looks || m.Games != 1 || len(m.Excluded) != 0 {
				t.Errorf("manifest %+v, recovery %+v", m, r)
			}
		})
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

// A dataset with ways back: audit, split, counts and order are whole; without them its records are those of a
// dataset made without.
func TestDatasetWithDetours(t *testing.T) {
	cfg := recovering(hints.Recovery{PerGame: 2, Seed: 1})
	plain := cfg
	plain.Recovery = nil
	var with, without [][]byte
	var failed []hints.Excluded
	games := homes(t, 24)
	slices.SortFunc(games, func(a, b env.Game) int { return strings.Compare(a.ID(), b.ID()) })
	for _, g := range games {
		for _, c := range []struct {
			cfg hints.GenerateConfig
			to  *[][]byte
		}{{cfg, &with}, {plain, &without}} {
			made, err := hints.Make(t.Context(), g, c.cfg)
			if err != nil {
				t.Fatal(err)
			}
			*c.to = append(*c.to, made.Lines)
			failed = append(failed, made.Failed...)
		}
	}
	write := func(cfg hints.GenerateConfig, chunks ...[]byte) (hints.Manifest, []byte) {
		t.Helper()
		var b bytes.Buffer
		m, err := hints.WriteDataset(hints.DatasetConfig{Name: "d", Generate: cfg, Split: hints.SplitConfig{PerMille: 250}}, &b, readers(chunks...), failed)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Audit.Err(); err != nil {
			t.Error(err)
		}
		return m, b.Bytes()
	}
	m, whole := write(cfg, bytes.Join(with, nil))
	if _, again := write(cfg, with...); !bytes.Equal(again, whole) {
		t.Error("a chunk a game gives another dataset")
	}
	p, bare := write(plain, bytes.Join(without, nil))
	var ordinary bytes.Buffer
	sides := map[bool]int{}
	experts := map[env.PlanKind]int{}
	for r, err := range hints.Records(bytes.NewReader(whole)) {
		if err == nil && r.Detour == 0 {
			err = hints.WriteRecord(&ordinary, r)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, held := slices.BinarySearch(m.Split.ValidationGames, r.Game)
		sides[held]++
		experts[r.Expert]++
	}
	if !bytes.Equal(ordinary.Bytes(), bare) {
		t.Error("detours change the other records")
	}
	r := m.Recovery
	if p.Recovery != nil || r == nil || r.Games != 24 || r.Detours != 48 || r.Records != m.Records-p.Records || r.Experts[env.Search] == 0 {
		t.Errorf("recovery %+v of %d records, %d without", r, m.Records, p.Records)
	}
	if !reflect.DeepEqual(m.Plans, p.Plans) || !slices.Equal(m.Split.ValidationGames, p.Split.ValidationGames) {
		t.Errorf("plans %+v and %+v, validation games %v and %v", m.Plans, p.Plans, m.Split.ValidationGames, p.Split.ValidationGames)
	}
	if m.Split.Train.Records != sides[false] || m.Split.Validation.Records != sides[true] || !reflect.DeepEqual(m.ExpertRecords, experts) {
		t.Errorf("split %+v of %v, experts %v of %v", m.Split, sides, m.ExpertRecords, experts)
	}
	checkReplays(t, games, whole, cfg)
}

// checkReplays replays the records of each game, and finds each of them when its observation is another.
func checkReplays(t *testing.T, games []env.Game, records []byte, cfg hints.GenerateConfig) {
	t.Helper()
	byGame := map[string][]hints.Record{}
	for r, err := range hints.Records(bytes.NewReader(records)) {
		if err != nil {
			t.Fatal(err)
		}
		byGame[r.Game] = append(byGame[r.Game], r)
	}
	for n, g := range games {
		list := byGame[g.ID()]
		if err := hints.Replay(t.Context(), g, list, cfg); err != nil {
			t.Error(err)
		}
		if n%6 != 0 {
			continue
		}
		for i := range list {
			forged := slices.Clone(list)
			forged[i].X.Observation += "!"
			if err := hints.Replay(t.Context(), g, forged, cfg); err == nil || !strings.Contains(err.Error(), "x.observation") {
				t.Errorf("%s: record %d forged: %v", g.ID(), i, err)
			}
		}
		for name, forged := range map[string][]hints.Record{
			"the last record is gone":  list[:len(list)-1],
			"the first record is gone": list[1:],
			"a record stands twice":    slices.Insert(slices.Clone(list), 1, list[0]),
		} {
			if err := hints.Replay(t.Context(), g, forged, cfg); err == nil {
				t.Errorf("%s: %s: it replays", g.ID(), name)
			}
		}
	}
}

// Each rule for records of detours, broken, is refused.
func TestDetourRecordsRefused(t *testing.T) {
	cfg := recovering(hints.Recovery{PerGame: 2, Commands: 2, Seed: 1})
	game := homes(t, 1)[0]
	id := game.ID()
	ordinary := generated(t, game, cfg)
	back, failed := hints.Recover(t.Context(), game, ordinary, cfg)
	if len(failed) > 0 || len(back) < 4 {
		t.Fatalf("%d records, %v", len(back), failed)
	}
	second := slices.IndexFunc(back, func(r hints.Record) bool { return r.Detour == 2 })
	n := len(ordinary) // the first record of detour 1
	for _, c := range []struct {
		name  string
		alter func(all []hints.Record) []hints.Record // of ordinary and back
		want  string
	}{
		{"detours out of order", func(all []hints.Record) []hints.Record {
			return slices.Concat(all[:n], all[n+second:], all[n:n+second])
		}, "detour 1 of " + id + " after detour 2"},
		{"detour before the game", func(all []hints.Record) []hints.Record {
			return slices.Concat(all[n:n+second], all[:n])
		}, "expected a game's steps from 1 on"},
		{"step left out", func(all []hints.Record) []hints.Record { return slices.Delete(all, n+1, n+2) }, "one by one"},
		{"other way astray", func(all []hints.Record) []hints.Record {
			all[n+1].Astray = []string{"look"}
			all[n+1].Astray = append(all[n+1].Astray, all[n].Astray[1:]...)
			return all
		}, `detour 1 step`},
		{"detour behind the plan", func(all []hints.Record) []hints.Record {
			for i := n; i < n+second; i++ {
				all[i].Step += 20
			}
			return all
		}, "after fewer than all"},
		{"other expert", func(all []hints.Record) []hints.Record {
			all[n+1].Expert = env.Straight
			return all
		}, `expert "straight"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines, err := hints.Lines(c.alter(slices.Concat(ordinary, back)))
			if err != nil {
				t.Fatal(err)
			}
			_, err = hints.WriteDataset(hints.DatasetConfig{Name: "d", Generate: cfg}, io.Discard, readers(lines), nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
	whole, err := hints.Lines(slices.Concat(ordinary, back))
	if err != nil {
		t.Fatal(err)
	}
	plain := cfg
	plain.Recovery = nil
	for name, c := range map[string]struct {
		cfg      hints.GenerateConfig
		lines    []byte
		excluded []hints.Excluded
		want     string
	}{
		"none asked for":        {plain, whole, nil, "has records of a detour: expected none"},
		"failed and there":      {cfg, whole, []hints.Excluded{{Game: id, Detour: 1, Kind: "no_plan"}}, "detour 1 of game " + id + " is excluded and has records"},
		"failed, none asked":    {plain, nil, []hints.Excluded{{Game: id, Detour: 1, Kind: "no_plan"}}, "expected no detours"},
		"failed without a game": {cfg, nil, []hints.Excluded{{Game: id, Detour: 1, Kind: "no_plan"}}, "expected records of the game"},
	} {
		_, err := hints.WriteDataset(hints.DatasetConfig{Name: "d", Generate: c.cfg}, io.Discard, readers(c.lines), c.excluded)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, c.want)
		}
	}
}
