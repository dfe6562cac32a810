package durability_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// everyActivity are the activities of a run of the embedded games.
var everyActivity = []string{
	"AssembleDataset", "Begin", "CheckGames", "CloseRun", "CollectTrajectories", "CountGames", "Finish",
	"GenerateHousehold", "HintChunk", "InitModel", "OpenRun", "PlayShard", "SelectPanel", "TrainSFT", "WriteReport",
}

func seed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("HONE_SEED")
	if text == "" {
		return 1
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("HONE_SEED: %v", err)
	}
	return n
}

// chosen are the points at which workers are killed: in every stage one of each kind that occurs in it, and every
// type of activity at least once, and a checkpoint that is whole but for its name; with all, one of each kind of
// every type of activity in every stage.
func chosen(points []point, dice *rand.Rand, all bool) []point {
	var picked []point
	classes := map[[3]string][]point{}
	var order [][3]string
	for _, p := range points {
		class := [3]string{p.group(), p.Point, ""}
		if all {
			class = [3]string{p.Stage, p.Point, p.Type}
		}
		if classes[class] == nil {
			order = append(order, class)
		}
		classes[class] = append(classes[class], p)
	}
	for _, class := range order {
		picked = append(picked, draw(classes[class], dice))
	}
	torn := slices.IndexFunc(points, func(p point) bool {
		return p.Stage == "teacher" && p.Point == "name-before" && strings.HasSuffix(p.What, "/00000040")
	})
	if torn >= 0 && !slices.Contains(picked, points[torn]) {
		picked = append(picked, points[torn])
	}
	for _, name := range everyActivity {
		is := func(p point) bool { return p.Type == name }
		if !slices.ContainsFunc(picked, is) {
			rest := slices.DeleteFunc(slices.Clone(points), func(p point) bool { return !is(p) || slices.Contains(picked, p) })
			if len(rest) > 0 {
				picked = append(picked, draw(rest, dice))
			}
		}
	}
	return picked
}

// draw takes one of points: each type of activity with the same chance whatever the number of its points, but for
// Begin and Finish, which every stage has, with a third of it.
func draw(points []point, dice *rand.Rand) point {
	var types []string
	for _, p := range points {
		if slices.Contains(types, p.Type) {
			continue
		}
		types = append(types, p.Type)
		if p.Type != "Begin" && p.Type != "Finish" {
			types = append(types, p.Type, p.Type)
		}
	}
	name := types[dice.IntN(len(types))]
	of := slices.DeleteFunc(slices.Clone(points), func(p point) bool { return p.Type != name })
	return of[dice.IntN(len(of))]
}

// dealt shares the points among n runs that go on side by side, those of a stage evenly.
func dealt(points []point, n int, dice *rand.Rand) [][]point {
	points = slices.Clone(points)
	dice.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
	slices.SortStableFunc(points, func(a, b point) int { return strings.Compare(a.group(), b.group()) })
	lanes := make([][]point, n)
	for i, p := range points {
		lanes[i%n] = append(lanes[i%n], p)
	}
	return lanes
}
