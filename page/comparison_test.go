package page_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage/lineagetest"
)

// panelOf stores a panel's episodes: of each game so many of four are won.
func panelOf(t *testing.T, store artifacts.Store, panel string, won ...int) artifacts.Digest {
	t.Helper()
	var lines []byte
	for game, n := range won {
		for i := range 4 {
			e := rollout.Episode{Rollout: i, Said: []rollout.Said{}, Trajectory: agent.Trajectory{Free: true, Game: fmt.Sprint("g", game), Steps: []agent.Step{}}}
			e.Outcome.Won = i < n
			lines = append(append(lines, jsonOf(t, e)...), '\n')
		}
	}
	games := []artifacts.Input{{Role: "games", Digest: artifacts.Of([]byte(panel))}}
	return lineagetest.Store(t, store, artifacts.KindRollouts, games, map[string][]byte{activities.EpisodesFile: lines})
}

// playedBy stores a run of one training whose policies won so much of a panel of three games, without skills.
func playedBy(t *testing.T, store artifacts.Store, run string, plays ...artifacts.Digest) {
	t.Helper()
	var lines []byte
	for i, d := range plays {
		v := activities.Validation{Step: 5 * i, Panel: "unseen", Count: 12, Won: 3 + 6*i}
		lines = append(append(lines, jsonOf(t, activities.ValidationLine{Validation: v, Digest: d})...), '\n')
	}
	start := lineagetest.Store(t, store, artifacts.KindModel, nil, map[string][]byte{"config.json": []byte("{}")})
	lineagetest.OpenRun(t, store, run)
	lineagetest.Name(t, store, activities.RunName(run, "grpo"), lineagetest.Store(t, store, artifacts.KindPolicy,
		[]artifacts.Input{{Role: "policy", Digest: start}}, map[string][]byte{activities.StepsFile: nil, activities.ValidationsFile: lines}))
}

// TestSideBySide: of three games 1, 2 and 0 of four are won before and 3, 2 and 4 after: differences of 0.5, 0 and 1, whose mean is
// 0.5 and deviation 0.5, so that Student's interval with two degrees of freedom, 4.3027, is 124.2 points to each side. The control
// wins 2, 2 and 2: the run is ahead by 0.25, 0 and 0.5, with half of all that.
func TestSideBySide(t *testing.T) {
	store := mem.New()
	playedBy(t, store, "skill1", panelOf(t, store, "panel", 1, 2, 0), panelOf(t, store, "panel", 3, 2, 4))
	playedBy(t, store, "control", panelOf(t, store, "panel", 2, 2, 2))
	playedBy(t, store, "other", panelOf(t, store, "another", 2, 2, 2))
	learnt(t, store, "unplayed") // its panel has one game
	root := opened(t, store, "skill1", "control", "other", "unplayed")
	got := rows(t, root, "Learnt by reinforcement")
	for i, want := range []string{
		"skill1 3 1 without 25.0 % 75.0 % 5 +50.0 points (-74.2 to 174.2) –",
		"control 3 1 without 50.0 % 50.0 % 0 +0.0 points (0.0 to 0.0) +25.0 points (-37.1 to 87.1)",
		"other 3 1 without 50.0 % 50.0 % 0 +0.0 points (0.0 to 0.0) –",
		"unplayed – – – – – – – –",
	} {
		if text := strings.Join(got[i], " "); text != want {
			t.Errorf("got %s, want %s", text, want)
		}
	}
	whole := text(find(t, root, "compare"))
	for _, want := range []string{
		"Not compared: skill1 and other cannot be compared: they have other panels", "Not compared: run unplayed: 1 games: expected two at least.",
		"What differs in the specs", "Nothing.",
	} {
		if !strings.Contains(whole, want) {
			t.Errorf("got %s, want %q in it", whole, want)
		}
	}
	var pictures []string
	for _, svg := range elements(find(t, root, "compare"), "svg") {
		pictures = append(pictures, attr(svg, "aria-label"))
	}
	want := []string{"Won of panel unseen, with skills with intervals of 95 %", "Won of panel unseen, without skills with intervals of 95 %"}
	if !slices.Equal(slices.Compact(pictures), want) {
		t.Errorf("pictures %q, want each of %q in two widths", pictures, want)
	}
}

// TestEvaluationsSideBySide: rows of the same panel stand together, and what differs in the specs is the field that was changed.
func TestEvaluationsSideBySide(t *testing.T) {
	root := opened(t, tunedStore(t), "small-1", "small-2")
	got := rows(t, root, "unseen: student without H")
	if len(got) != 2 || got[0][0] != "small-1" || got[1][0] != "small-2" || got[0][1] != "0/1" || got[0][5] != "–" || got[1][5] != "1 games: expected two at least" {
		t.Errorf("got %q", got)
	}
	if got := rows(t, root, "What differs in the specs"); len(got) != 1 || !slices.Equal(got[0], []string{"student.steps", "2", "4"}) {
		t.Errorf("got %q, want student.steps alone", got)
	}
}
