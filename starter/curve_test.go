package main

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/lineagetest"
)

var update = flag.Bool("update", false, "rewrite testdata")

func asCoded(err error, c *coded) bool { return errors.As(err, c) }

// TestPlays: a run without an evaluation reports what its policies won of the panel; 16 of 64 have the interval 16.0 to 36.8,
// 40 of 64 50.3 to 73.3.
func TestPlays(t *testing.T) {
	store := mem.New()
	made := lineagetest.StoreTraining(t, store, 5)
	storeRun(t, store, "skill1")
	name(t, store, activities.RunName("skill1", "grpo"), made.Outcome(t, store,
		activities.Validation{Step: 0, Panel: "unseen", With: true, Count: 64, Won: 16}, activities.Validation{Step: 0, Panel: "unseen", Count: 64},
		activities.Validation{Step: 5, Panel: "unseen", With: true, Count: 64, Won: 40}))
	var there bool
	var err error
	got := output(t, func() { there, err = (&app{}).printTrainings(t.Context(), store, "skill1") })
	want := `skill1/grpo: 5 steps; won of the panel, with 95 % intervals
step  with skills                   without
0     16/64  25.0 % (16.0 to 36.8)  0/64  0.0 % (0.0 to 5.7)
5     40/64  62.5 % (50.3 to 73.3)  –
`
	if err != nil || !there || got != want {
		t.Errorf("%v, %v, got\n%s\nwant\n%s", there, err, got, want)
	}
	if there, err := (&app{}).printTrainings(t.Context(), store, "nobody"); there || err == nil && there {
		t.Errorf("a run that is not there: %v, %v", there, err)
	}
}

// TestReportNamesTheExcluded: the first ten episodes that a training has lost, and how many more.
func TestReportNamesTheExcluded(t *testing.T) {
	var lost []lineage.LostEpisode
	for k := range 12 {
		lost = append(lost, lineage.LostEpisode{Step: 1 + k/8, ExcludedEpisode: activities.ExcludedEpisode{Game: "slow", Rollout: k % 8, Reason: "clock"}})
	}
	var got strings.Builder
	err := writeExcluded(&got, lost)
	want := `12 episodes excluded by the clock, in no group
step  rollout  game
1     0        slow
1     1        slow
1     2        slow
1     3        slow
1     4        slow
1     5        slow
1     6        slow
1     7        slow
2     0        slow
2     1        slow
and 2 more, which --json lists
`
	if err != nil || got.String() != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got.String(), want)
	}
	got.Reset()
	if err := writeExcluded(&got, nil); err != nil || got.Len() != 0 {
		t.Errorf("none: %q, %v", got.String(), err)
	}
	if text := share(&lineage.PanelPlay{Count: 60, Won: 15, Excluded: 4}); text != "15/60  25.0 % (15.8 to 37.2), 4 excluded" {
		t.Errorf("a panel: %s", text)
	}
}

// TestCurve: the picture of a run, byte for byte, its numbers as JSON, and a point where hand calculation has it.
func TestCurve(t *testing.T) {
	store := mem.New()
	made := lineagetest.StoreTraining(t, store, 5)
	storeRun(t, store, "skill1")
	name(t, store, activities.RunName("skill1", "grpo"), made.Outcome(t, store,
		activities.Validation{Step: 0, Panel: "unseen", With: true, Count: 64, Won: 16}, activities.Validation{Step: 0, Panel: "unseen", Count: 64, Won: 16},
		activities.Validation{Step: 5, Panel: "unseen", With: true, Count: 64, Won: 40}, activities.Validation{Step: 5, Panel: "unseen", Count: 64, Won: 32}))
	file := filepath.Join(t.TempDir(), "skill1.svg")
	var err error
	out := output(t, func() { err = (&app{}).drawCurve(t.Context(), store, "skill1", file) })
	if err != nil || out != file+": 5 steps of skill1\n" {
		t.Fatalf("got %q, %v", out, err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	svg := string(raw)
	piped := output(t, func() { err = (&app{}).drawCurve(t.Context(), store, "skill1/grpo", "") })
	if err != nil || piped != svg {
		t.Errorf("to standard output it is another picture, %v", err)
	}
	// The plot lies from 52 to 844 and, below a heading of 44, a legend of 20 and a title of 28, from 92 to 352: 158.4 pixels a
	// step, 2.6 a per cent. Half of 64 games has the interval 38.10 to 61.90, of step k 12.5·k are won, and on average
	// 6.25·(k + 1).
	for _, want := range []string{
		`<circle class="ring c2" cx="847" cy="222" r="3.6"/>`,
		`<path class="interval c2" d="M847 252.93V191.07"/>`,
		`<circle class="dot c1 d1" cx="841" cy="189.5" r="3.6"/>`,
		`<path class="thin c0" d="M210.4 319.5L368.8 287L527.2 254.5L685.6 222L844 189.5"/>`,
		`<path class="thick c0" d="M210.4 319.5L368.8 303.25L527.2 287L685.6 270.75L844 254.5"/>`,
		`<tspan class="title">skill1</tspan>`, `>5 steps of GRPO</tspan>`, ">episodes won (%)</text>", ">unseen with retrieval</text>", ">unseen without</text>",
		">skills in the library</text>", ">KL to the start (nats a token)</text>",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is missing", want)
		}
	}
	const golden = "testdata/curve.svg"
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(golden, raw, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if svg != string(want) {
		t.Error("the picture is another: look at it and rewrite it with -update")
	}
	var numbers drawnRun
	text := output(t, func() { err = (&app{json: true}).drawCurve(t.Context(), store, "skill1", "") })
	if err != nil || json.Unmarshal([]byte(text), &numbers) != nil || !numbers.Finished || len(numbers.Steps) != 5 || len(numbers.Validations) != 4 || *numbers.Steps[4].Skills != 2 {
		t.Errorf("got %s, %v", text, err)
	}
	if err := (&app{}).drawCurve(t.Context(), store, "skill1", filepath.Join(file, "x")); err == nil {
		t.Error("a file below a file is written")
	}
}
