package hints_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/hints"
)

// shared is a folder beside the repository, of data that does not belong to it.
func shared(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the working directory")
		}
		dir = filepath.Dir(dir)
	}
	path := filepath.Join(dir, "..", "shared", name)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s: %s is missing", t.Name(), path)
		}
		t.Skipf("%s: %s is missing", t.Name(), path)
	}
	return path
}

// golden are the real games of alfworld-golden in the current vintage, sorted by id: 64, of all six families.
func golden(t *testing.T) []env.Game {
	t.Helper()
	root := filepath.Join(shared(t, "alfworld-golden"), "json_2.1.1")
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

// realRecords are the records of the golden games by the plans given, made once for all tests.
func realRecords(t *testing.T, plans ...env.PlanKind) []hints.Record {
	t.Helper()
	realLock.Lock()
	defer realLock.Unlock()
	key := string(plans[0])
	if made[key] == nil {
		for _, g := range golden(t) {
			records, err := hints.Generate(t.Context(), g, hints.GenerateConfig{Plans: plans})
			if err != nil {
				t.Fatal(err)
			}
			made[key] = append(made[key], records...)
		}
	}
	return slices.Clone(made[key])
}

var (
	realLock sync.Mutex
	made     = map[string][]hints.Record{}
)

func all(records []hints.Record) func(func(hints.Record, error) bool) {
	return func(yield func(hints.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Datasets of real games, by each kind of plan, hold no leak.
func TestAuditOfRealGames(t *testing.T) {
	for _, kind := range []env.PlanKind{env.Walkthrough, env.Straight, env.Search} {
		t.Run(string(kind), func(t *testing.T) {
			a, err := hints.RunAudit(all(realRecords(t, kind)))
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Err(); err != nil {
				t.Error(err)
			}
			if a.Games != 64 || len(a.Counts) != 7 {
				t.Errorf("%d games, counts %v", a.Games, a.Counts)
			}
			t.Logf("%d records", a.Records)
		})
	}
}
