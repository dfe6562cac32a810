package hints_test

import (
	"bytes"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/hints"
)

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
