package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage/lineagetest"
)

// lost is a game of panelOf without an episode.
const lost = -1

// panelOf stores a panel's episodes: of each game so many of four are won.
func panelOf(t *testing.T, store artifacts.Store, won ...int) artifacts.Digest {
	t.Helper()
	return namedPanelOf(t, store, "panel", won...)
}

func namedPanelOf(t *testing.T, store artifacts.Store, panel string, won ...int) artifacts.Digest {
	t.Helper()
	var lines []byte
	for game, n := range won {
		for i := range 4 {
			if n == lost {
				break
			}
			e := rollout.Episode{Rollout: i, Said: []rollout.Said{}, Trajectory: agent.Trajectory{Free: true, Game: fmt.Sprint("g", game), Steps: []agent.Step{}}}
			e.Outcome.Won = i < n
			raw, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(append(lines, raw...), '\n')
		}
	}
	games := []artifacts.Input{{Role: "games", Digest: artifacts.Of([]byte(panel))}}
	return lineagetest.Store(t, store, artifacts.KindRollouts, games, map[string][]byte{activities.EpisodesFile: lines})
}

// learntBy stores a run of one training whose policies won so much of a panel before and after.
func learntBy(t *testing.T, store artifacts.Store, run string, plays ...artifacts.Digest) {
	t.Helper()
	var validations []byte
	for i, d := range plays {
		raw, err := json.Marshal(activities.ValidationLine{Validation: activities.Validation{Step: 5 * i, Panel: "unseen", With: true}, Digest: d})
		if err != nil {
			t.Fatal(err)
		}
		validations = append(append(validations, raw...), '\n')
	}
	library := lineagetest.Libraries(t, store)[0]
	storeRun(t, store, run)
	name(t, store, activities.RunName(run, "grpo"), lineagetest.Store(t, store, artifacts.KindPolicy,
		[]artifacts.Input{{Role: "policy", Digest: plays[0]}, {Role: "library", Digest: library}}, map[string][]byte{activities.ValidationsFile: validations}))
}

// TestCompare: of three games 1, 2 and 0 of four are won before and 3, 2 and 4 after: differences of 0.5, 0 and 1, whose
// mean is 0.5 and deviation 0.5. The control wins 2, 2 and 2: the run is ahead by 0.25, 0 and 0.5.
func TestCompare(t *testing.T) {
	store := mem.New()
	learntBy(t, store, "skill1", panelOf(t, store, 1, 2, 0), panelOf(t, store, 3, 2, 4))
	learntBy(t, store, "control", panelOf(t, store, 2, 2, 2))
	var err error
	got := output(t, func() { err = (&app{}).compare(t.Context(), store, []string{"skill1", "control"}) })
	for _, want := range []string{
		"skill1: 3 games, 1 seed, with skills\n  25.0 % before, 75.0 % after step 5: +50.0 points (",
		"control: 3 games, 1 seed, with skills\n  50.0 % before, 50.0 % after step 0: +0.0 points (0.0 to 0.0)\n",
		"skill1 beside control: +25.0 points (",
	} {
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%v, got\n%s\nwant in it\n%s", err, got, want)
		}
	}
	// Two runs together: of the games 1, 2 and 0 before and 3, 2 and 4 after; 1, 2 and 0, and 1, 2 and 2.
	learntBy(t, store, "second", panelOf(t, store, 1, 2, 0), panelOf(t, store, 1, 2, 2))
	got = output(t, func() { err = (&app{}).compare(t.Context(), store, []string{"skill1,second"}) })
	if want := "skill1,second: 3 games, 2 seeds, with skills\n  25.0 % before, 58.3 % after step 5: +33.3 points ("; err != nil || !strings.Contains(got, want) || !strings.Contains(got, "by seed: +50.0 +16.7\n") {
		t.Errorf("%v, got\n%s\nwant in it\n%s", err, got, want)
	}
	if code, _, err := hone(t, "compare", "skill1-1a2b3c4d5e,skill1-1a2b3c4d5e"); code != 2 || !strings.Contains(err.Error(), "run skill1-1a2b3c4d5e stands twice, expected each once") {
		t.Errorf("a run twice: code %d, %v", code, err)
	}
	if err := (&app{}).compare(t.Context(), store, []string{"skill1,control"}); err == nil || !strings.Contains(err.Error(), "control ends after step 0") {
		t.Errorf("another number of steps: %v", err)
	}
	learntBy(t, store, "other", namedPanelOf(t, store, "another", 2, 2, 2))
	for _, runs := range [][]string{{"skill1", "other"}, {"control,other"}} {
		if err := (&app{}).compare(t.Context(), store, runs); err == nil || !strings.Contains(err.Error(), "panel") {
			t.Errorf("%v, of other panels: %v", runs, err)
		}
	}
	if err := (&app{}).compare(t.Context(), store, []string{"nobody"}); err == nil {
		t.Error("a run that is not there is compared")
	}
}

// TestCompareLost: the third game of TestCompare has no episode in the control: what is left is 1 and 2 of four before, 3 and 2
// after, and 2 and 2 of the control. The games are g0 to g2.
func TestCompareLost(t *testing.T) {
	store := mem.New()
	learntBy(t, store, "skill1", panelOf(t, store, 1, 2, 0), panelOf(t, store, 3, 2, 4))
	learntBy(t, store, "control", panelOf(t, store, 2, 2, lost))
	var err error
	got := output(t, func() { err = (&app{}).compare(t.Context(), store, []string{"skill1", "control"}) })
	for _, want := range []string{
		"skill1: 2 games, 1 seed, with skills\n  37.5 % before, 62.5 % after step 5: +25.0 points (",
		"control: 2 games, 1 seed, with skills\n  50.0 % before, 50.0 % after step 0: +0.0 points (0.0 to 0.0)\n",
		"left out, since somewhere all episodes were lost: g2\n",
		"skill1 beside control: +12.5 points (",
	} {
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%v, got\n%s\nwant in it\n%s", err, got, want)
		}
	}
}
