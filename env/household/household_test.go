package household_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/household"
)

func generate(t *testing.T, cfg household.Config) []household.Game {
	t.Helper()
	var list []household.Game
	for game, err := range household.Generate(cfg) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, game)
	}
	return list
}

// digest is the sha256 of the lines "sha256 id" of a list.
func digest(list []household.Game) string {
	sum := sha256.New()
	for _, game := range list {
		fmt.Fprintf(sum, "%x %s\n", sha256.Sum256(game.Data), game.ID)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Another digest here means other games for everybody: it belongs into the change log.
func TestSameSeedSameBytes(t *testing.T) {
	const want = "82132e085537a92ce6534e7977cca2b7b9a1d6e2e018a80597484b268eff55f1"
	cfg := household.Config{Seed: 1, Train: 60, ValidSeen: 12, ValidUnseen: 12}
	first := generate(t, cfg)
	if got := digest(first); got != want {
		t.Errorf("list of seed 1 has digest %s, want %s", got, want)
	}
	cfg.Train = 30
	if shorter := generate(t, cfg); digest(shorter[:30]) != digest(first[:30]) || digest(shorter[30:]) != digest(first[60:]) {
		t.Errorf("a shorter list does not have the first games of the longer one")
	}
	cfg.Seed = 2
	if digest(generate(t, cfg)[:30]) == digest(first[:30]) {
		t.Errorf("seeds 1 and 2 give the same games")
	}
}

func TestSplits(t *testing.T) {
	type split struct{ scenes, tasks, marks, families map[string]bool }
	splits := map[string]split{}
	ids := map[string]bool{}
	for _, game := range generate(t, household.Config{Seed: 7, Train: 600, ValidSeen: 120, ValidUnseen: 120, Mix: household.EvenMix}) {
		parts := strings.Split(game.ID, "/")
		name := strings.Split(parts[2], "-")
		if len(parts) != 4 || parts[0] != "household" || parts[1] != game.Split || len(name) != 4 || name[0] != game.Family || ids[game.ID] {
			t.Fatalf("id %s of a %s game of %s", game.ID, game.Family, game.Split)
		}
		ids[game.ID] = true
		mark, err := household.Fingerprint(game.Data)
		if err != nil {
			t.Fatal(err)
		}
		s, ok := splits[game.Split]
		if !ok {
			s = split{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
			splits[game.Split] = s
		}
		for other, o := range splits {
			if o.marks[mark] {
				t.Errorf("%s is also in %s", game.ID, other)
			}
		}
		s.scenes[name[3]], s.tasks[parts[2]], s.marks[mark], s.families[game.Family] = true, true, true, true
	}
	train, seen, unseen := splits[household.Train], splits[household.ValidSeen], splits[household.ValidUnseen]
	for scene := range unseen.scenes {
		if train.scenes[scene] || seen.scenes[scene] {
			t.Errorf("scene %s of valid_unseen is a known one", scene)
		}
	}
	for task := range seen.tasks {
		if train.tasks[task] {
			t.Errorf("train and valid_seen ask for the same: %s", task)
		}
	}
	for scene := range seen.scenes {
		if n, err := strconv.Atoi(scene); err != nil || n%100 > 27 {
			t.Errorf("scene %s of valid_seen is not one of train's 27 of its room", scene)
		}
	}
	for split, s := range splits {
		if len(s.families) != 6 {
			t.Errorf("%s has the families %v", split, slices.Sorted(maps.Keys(s.families)))
		}
	}
}

// Whatever the seed, scenes of valid_unseen are laid out as no scene of train is.
func TestLayoutsDiffer(t *testing.T) {
	for seed := range uint64(2) {
		known := map[string]string{}
		for _, game := range generate(t, household.Config{Seed: seed, Train: 300, ValidUnseen: 60}) {
			layout, scene := layoutOf(t, game), game.ID[strings.LastIndex(game.ID, "-")+1:strings.LastIndex(game.ID, "/")]
			if other, ok := known[layout]; ok && other != scene {
				t.Errorf("seed %d: scenes %s and %s have one layout", seed, other, scene)
			}
			known[layout] = scene
		}
	}
}

// layoutOf tells the kinds of receptacles reached from each place, places sorted.
func layoutOf(t *testing.T, game household.Game) string {
	t.Helper()
	at := map[string][]string{}
	for line := range strings.Lines(problemOf(t, game)) {
		if f := strings.Fields(strings.Trim(line, "()\n")); len(f) == 3 && f[0] == "receptacleAtLocation" {
			kind, _, _ := strings.Cut(f[1], "_bar_")
			at[f[2]] = append(at[f[2]], kind+fmt.Sprint(strings.Contains(f[1], "Basin")))
		}
	}
	var places []string
	for _, kinds := range at {
		slices.Sort(kinds)
		places = append(places, strings.Join(kinds, "+"))
	}
	slices.Sort(places)
	return strings.Join(places, " ")
}

func problemOf(t *testing.T, game household.Game) string {
	t.Helper()
	var file struct {
		Problem string `json:"pddl_problem"`
	}
	if err := json.Unmarshal(game.Data, &file); err != nil {
		t.Fatalf("%s: %v", game.ID, err)
	}
	return file.Problem
}

func TestFile(t *testing.T) {
	total := 0
	list := generate(t, household.Config{Train: 120})
	for _, game := range list {
		var file map[string]any
		if err := json.Unmarshal(game.Data, &file); err != nil {
			t.Fatalf("%s: %v", game.ID, err)
		}
		if keys := slices.Sorted(maps.Keys(file)); !slices.Equal(keys, []string{"grammar", "pddl_domain", "pddl_problem", "solvable", "walkthrough"}) {
			t.Fatalf("%s: keys %v", game.ID, keys)
		}
		if file["solvable"] != true || file["walkthrough"] != nil {
			t.Errorf("%s: solvable %v, walkthrough %v", game.ID, file["solvable"], file["walkthrough"])
		}
		if !bytes.HasSuffix(game.Data, []byte("}\n")) || bytes.Contains(game.Data, []byte("TASK SENTENCE")) {
			t.Errorf("%s: not a whole file", game.ID)
		}
		total += len(game.Data)
	}
	if mean := total / len(list); mean > 40<<10 {
		t.Errorf("a game takes %d bytes in the mean, want at most 40 KiB", mean)
	}
}

func TestBadConfig(t *testing.T) {
	for name, cfg := range map[string]household.Config{
		"negative games":  {Train: -1},
		"negative weight": {Train: 1, Mix: household.Mix{1, -1}},
	} {
		n := 0
		for game, err := range household.Generate(cfg) {
			if n++; err == nil || game.ID != "" || n > 1 {
				t.Errorf("%s: game %q, error %v, want one error", name, game.ID, err)
			}
		}
	}
}

func BenchmarkGenerate(b *testing.B) {
	for b.Loop() {
		for _, err := range household.Generate(household.Config{Train: 100}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
