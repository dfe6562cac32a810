package hints_test

import (
	"encoding/json"
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
	"github.com/hone-rl/hone/internal/outside"
)

// goldenFiles are the game files of alfworld-golden in the current vintage by id: 64, of all six families.
func goldenFiles(t *testing.T) map[string][]byte {
	t.Helper()
	root := filepath.Join(outside.Shared(t, "alfworld-golden"), "json_2.1.1")
	files := map[string][]byte{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "game.tw-pddl" {
			return err
		}
		id, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		files[filepath.ToSlash(id)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 64 {
		t.Fatalf("%d golden games, want 64", len(files))
	}
	return files
}

// golden are the games of goldenFiles, sorted by id.
func golden(t *testing.T) []env.Game {
	t.Helper()
	var games []env.Game
	for id, data := range goldenFiles(t) {
		games = append(games, parsed(t, id, data))
	}
	slices.SortFunc(games, func(a, b env.Game) int { return strings.Compare(a.ID(), b.ID()) })
	return games
}

func parsed(t *testing.T, id string, data []byte) env.Game {
	t.Helper()
	g, err := alfworld.Parse(id, data)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// older is a game in the words of the first ALFWorld: "put mug 1 in/on desk 1", and no walkthrough.
func older(t *testing.T, id string, data []byte) env.Game {
	t.Helper()
	legacy := filepath.Join(outside.Shared(t, "alfworld-games"), "legacy")
	var file map[string]any
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	goal := parsed(t, id, data).(*alfworld.Game).Goal().Text
	for key, name := range map[string]string{"pddl_domain": "alfred.pddl", "grammar": "alfred.twl2"} {
		text, err := os.ReadFile(filepath.Join(legacy, name))
		if err != nil {
			t.Fatal(err)
		}
		file[key] = strings.ReplaceAll(string(text), "UNKNOWN GOAL", goal)
	}
	delete(file, "walkthrough")
	data, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, id, data)
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
