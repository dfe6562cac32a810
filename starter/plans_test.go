package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
)

// TestGamesPlans counts the plans of a few games, asked for here once more, and a game without a walkthrough.
func TestGamesPlans(t *testing.T) {
	dir := t.TempDir()
	list := homes(t, 6)
	want := map[string]int{}
	for i, g := range list {
		split := "train"
		if i == 5 {
			split = "valid_seen"
		}
		writeFile(t, filepath.Join(dir, split, "a", fmt.Sprint(i), "game.tw-pddl"), g.Data)
		game, err := alfworld.Parse(fmt.Sprintf("%s/a/%d", split, i), g.Data)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range []env.PlanKind{env.Straight, env.Planner, env.Explore} {
			ep, err := game.Start(t.Context(), env.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			plan, err := ep.(env.Expert).Plan(t.Context(), kind)
			if err != nil {
				t.Fatal(err)
			}
			want[split+" "+string(kind)] += len(plan)
		}
	}
	for _, split := range []string{"train", "valid_seen"} {
		code, out, err := hone(t, "--json", "games", "plans", "--split", split, "--experts", "straight,planner,explore,walkthrough", dir)
		if code != 0 {
			t.Fatalf("exit code %d, %v", code, err)
		}
		var got []planCount
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		games := map[string]int{"train": 5, "valid_seen": 1}[split]
		for _, c := range got {
			if c.Family != "all" {
				continue
			}
			plans := games
			if c.Expert == env.Walkthrough {
				plans = 0 // household games have none
			}
			if c.Games != games || c.Plans != plans || c.NoPlan != games-plans || c.Records != want[split+" "+string(c.Expert)] {
				t.Errorf("%s %s: got %+v, want %d plans of %d commands", split, c.Expert, c, plans, want[split+" "+string(c.Expert)])
			}
		}
	}
	for _, tt := range []struct {
		args  []string
		fault string
	}{
		{[]string{"--experts", "walk", dir}, `expert "walk", expected each at most once of [walkthrough straight search planner explore]`},
		{[]string{"--experts", "search,search", dir}, "at most once"},
		{[]string{"--experts", "", dir}, "--experts: expected at least one of [walkthrough"},
		{[]string{""}, "expected a folder or a file, got an empty argument"},
		{[]string{t.TempDir()}, "reading games: no game.tw-pddl below"},
		{[]string{"--split", "test", dir}, `no games of split "test"`},
	} {
		if code, _, err := hone(t, append([]string{"games", "plans"}, tt.args...)...); code != exitUsage || !strings.Contains(fmt.Sprint(err), tt.fault) {
			t.Errorf("%q: exit code %d, %v, want %d, %s", tt.args, code, err, exitUsage, tt.fault)
		}
	}
}

// TestPlanTable is the table word for word.
func TestPlanTable(t *testing.T) {
	c := &planCount{Expert: env.Explore, Family: "all"}
	for i, err := range []error{nil, nil, nil, env.ErrNoPlan, fmt.Errorf("game g: %w", &env.BudgetError{What: "states", Limit: 1})} {
		if err := c.add([]int{9, 4, 5, 0, 0}[i], err); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.add(0, env.ErrBadGame); err == nil {
		t.Error("a game that cannot be read is counted, want its error")
	}
	c.sum()
	var out strings.Builder
	if err := writePlans(&out, []*planCount{c}, true); err != nil {
		t.Fatal(err)
	}
	if err := writePlans(&out, []*planCount{{Expert: env.Explore, Family: "all", Games: 3553}}, true); err != nil {
		t.Fatal(err)
	}
	want := `expert   task type  games  plans  no plan  over budget  records  mean  median  longest
explore  all        5      3      1        1            18       6.00  5       9
expert     task type  games  plans  no plan  over budget  records  mean  median  longest
explore    all        3553   0      0        0            0        0.00  0       0
published  all        3553   3538   15       0            21194    5.99  –       –
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}
