package alfworld_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/envtest"
	"github.com/hone-rl/hone/internal/outside"
)

// suite tests games that a planner and both scripts can win.
func suite(files map[string][]byte) envtest.Suite {
	s := envtest.Suite{
		Plans:   []env.PlanKind{env.Straight, env.Search, env.Planner},
		Counted: []string{"operators", "objects", "work", "states"},
	}
	for name, data := range files {
		s.Games = append(s.Games, envtest.Game{Name: name, Load: func() (env.Game, error) { return alfworld.Parse(name, data) }})
	}
	return s
}

// TestConformance plays a kitchen in the language of both vintages, and real games of both.
func TestConformance(t *testing.T) {
	files := map[string][]byte{"kitchen": buildFile(t, strings.Replace(kitchen, "GOAL", coolApple, 1), nil)}
	for _, list := range []string{"json_2.1.1", "legacy_json_2.1.1"} {
		paths, err := filepath.Glob(filepath.Join(outside.Shared(t, "alfworld-golden"), list, "train", "*", "*", "game.tw-pddl"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no games in %s: %v", list, err)
		}
		for _, path := range []string{paths[0], paths[len(paths)/2]} {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files[list+"/"+strings.Split(filepath.Base(filepath.Dir(filepath.Dir(path))), "-")[0]] = data
		}
	}
	envtest.Run(t, suite(files))
}

// TestConformanceTiny plays a game of another domain, for which there is no script.
func TestConformanceTiny(t *testing.T) {
	var game map[string]any
	if err := json.Unmarshal(gameFile(t, tinyDomain, tinyProblem, tinyGrammar), &game); err != nil {
		t.Fatal(err)
	}
	game["walkthrough"] = []string{"flip a 1"}
	data, err := json.Marshal(game)
	if err != nil {
		t.Fatal(err)
	}
	s := suite(map[string][]byte{"tiny": data})
	s.Plans, s.Counted = []env.PlanKind{env.Walkthrough, env.Planner}, []string{"work"}
	envtest.Run(t, s)
}
