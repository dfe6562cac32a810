package household_test

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/household"
	"github.com/hone-rl/hone/internal/outside"
)

// sampled says that one game of how many is looked at, and how far a median may be from what it should be. It is
// every game and a tenth where CI=true, and with HONE_ALL_GAMES=1, which is how household.ALFWorld and the table of
// README.md were made. Else it is one of n and a fifth, at least 1: half of the games are kitchens, so that the
// medians lie in the gap between small rooms and large and a sample's fall to either side.
func sampled(n int) (every int, near func(got, want float64) bool) {
	if os.Getenv("HONE_ALL_GAMES") != "" || os.Getenv("CI") == "true" {
		return 1, func(got, want float64) bool { return math.Abs(got-want) <= want/10 }
	}
	return n, func(got, want float64) bool { return math.Abs(got-want) <= max(want/5, 1) }
}

func add(t *testing.T, survey *household.Survey, id string, data []byte) {
	t.Helper()
	game, err := alfworld.Parse(id, data)
	if err != nil {
		t.Fatal(err)
	}
	if err := survey.Add(t.Context(), game, data); err != nil {
		t.Fatal(err)
	}
}

// The embedded games are as hard as ALFWorld's: every median is near, and so is the share of games with shared places.
func TestAsHardAsALFWorld(t *testing.T) {
	var survey household.Survey
	every, near := sampled(4)
	for game, err := range household.Generate(household.Config{Train: household.ALFWorld.Games / every}) {
		if err != nil {
			t.Fatal(err)
		}
		add(t, &survey, game.ID, game.Data)
	}
	ours := survey.Difficulty()
	t.Logf("\n%s", household.Table(household.ALFWorld, ours))
	for _, row := range household.Rows(household.ALFWorld, ours) {
		if !near(row.Ours.Median, row.Real.Median) {
			t.Errorf("%s: median %v, ALFWorld's is %v", row.What, row.Ours.Median, row.Real.Median)
		}
	}
	if !near(ours.Shared, household.ALFWorld.Shared) {
		t.Errorf("%v %% of games have shared places, ALFWorld's %v %%", ours.Shared, household.ALFWorld.Shared)
	}
}

// household.ALFWorld is what the real games measure.
func TestFrozenALFWorld(t *testing.T) {
	every, near := sampled(12)
	var survey household.Survey
	n := 0
	realGames(t, func(id string, data func() []byte) {
		if n++; strings.HasPrefix(id, "train/") && n%every == 0 {
			add(t, &survey, id, data())
		}
	})
	got, want := survey.Difficulty(), household.ALFWorld
	t.Logf("%+v", got)
	if every == 1 && got != want {
		t.Errorf("ALFWorld's games measure %+v, frozen is %+v", got, want)
	}
	for _, row := range household.Rows(got, want) {
		if !near(row.Real.Median, row.Ours.Median) {
			t.Errorf("%s: median %v of %d games, frozen is %v", row.What, row.Real.Median, got.Games, row.Ours.Median)
		}
	}
}

// realGames calls play with every game of ../shared/alfworld-games, data making its file.
func realGames(t *testing.T, play func(id string, data func() []byte)) {
	t.Helper()
	dir := outside.Shared(t, "alfworld-games")
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	domain, grammar := read("alfred.pddl"), read("alfred.twl2")
	file, err := os.Open(filepath.Join(dir, "games.jsonl.xz"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() }) // only read
	unpacked, err := xz.NewReader(bufio.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReaderSize(unpacked, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		var game struct {
			Game, Task string
			Problem    string `json:"pddl_problem"`
		}
		if err := json.Unmarshal(line, &game); err != nil {
			t.Fatal(err)
		}
		play(game.Game, func() []byte {
			data, err := json.Marshal(map[string]any{
				"pddl_domain": domain, "pddl_problem": game.Problem,
				"grammar": strings.ReplaceAll(grammar, "UNKNOWN GOAL", game.Task), "solvable": true, "walkthrough": nil,
			})
			if err != nil {
				t.Fatal(err)
			}
			return data
		})
	}
}

func TestTable(t *testing.T) {
	a := household.Difficulty{Games: 2, Things: household.Quartiles{Lower: 1, Median: 2, Upper: 3}, Shared: 50}
	table := household.Table(a, household.Difficulty{Games: 3})
	lines := strings.Split(strings.TrimSpace(table), "\n")
	if len(lines) != 3+len(household.Rows(a, a)) {
		t.Fatalf("table has %d lines:\n%s", len(lines), table)
	}
	if got, want := strings.Join(strings.Fields(lines[3]), " "), "things that can be picked up 2 (1–3) 0 (0–0)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := strings.Join(strings.Fields(lines[len(lines)-1]), " "), "games with a shared place, % 50 0"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
