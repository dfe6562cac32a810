package hints_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/hints"
)

var straightHint = hints.Hint{
	Skill: "pick and place", Target: "mug", Count: "one", Source: []string{"drawer"}, Destination: "desk",
	Plan: []string{"go to drawer", "open drawer", "take mug from drawer", "go to desk", "move mug to desk"},
}

func TestGenerate(t *testing.T) {
	direct := []string{"go to drawer 2", "open drawer 2", "take mug 1 from drawer 2", "go to desk 1", "move mug 1 to desk 1"}
	search := append([]string{"go to drawer 1", "open drawer 1"}, direct...)
	detour := append([]string{"look"}, direct...)
	for _, c := range []struct {
		name        string
		walkthrough []string
		plans       []env.PlanKind
		expert      env.PlanKind
		want        []string
		plan        []string
	}{
		{"default", nil, nil, env.Straight, direct, straightHint.Plan},
		{"search", nil, []env.PlanKind{env.Search}, env.Search, search, straightHint.Plan},
		{"walkthrough", detour, nil, env.Walkthrough, detour, straightHint.Plan},
		{"walkthrough that goes on after the win", append(slices.Clone(direct), "look"), nil, env.Walkthrough, direct, straightHint.Plan},
		{"walkthrough that does not win", direct[:3], nil, env.Straight, direct, straightHint.Plan},
		{"walkthrough that is refused", []string{"fly"}, []env.PlanKind{env.Walkthrough, env.Search}, env.Search, search, straightHint.Plan},
	} {
		t.Run(c.name, func(t *testing.T) {
			records, err := hints.Generate(t.Context(), room{id: "g", at: 2, walkthrough: c.walkthrough}, hints.GenerateConfig{Plans: c.plans})
			if err != nil {
				t.Fatal(err)
			}
			hint := straightHint
			hint.Plan = c.plan
			var got []string
			for i, r := range records {
				got = append(got, r.Y)
				if r.Game != "g" || r.Family != "pick_and_place_simple" || r.Step != i+1 || r.Expert != c.expert || !reflect.DeepEqual(r.H, hint) {
					t.Errorf("record %d: %+v", i, r)
				}
				if !slices.Contains(r.X.Admissible, r.Y) || len(r.X.History) != min(i, 2) {
					t.Errorf("record %d: %+v", i, r.X)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// The third record of the straight plan knows the two turns before it and nothing of the hint.
func TestGenerateX(t *testing.T) {
	records, err := hints.Generate(t.Context(), room{id: "g", at: 1}, hints.GenerateConfig{})
	if err != nil {
		t.Fatal(err)
	}
	want := agent.X{
		Goal: "put a mug on desk",
		History: []agent.Turn{
			{Observation: "You see a desk 1, a drawer 3, a drawer 2, and a drawer 1.\n\nYour task is to: put a mug on desk.", Command: "go to drawer 1"},
			{Observation: "You go to drawer 1.", Command: "open drawer 1"},
		},
		Observation: "You open drawer 1.",
		Admissible:  []string{"go to desk 1", "go to drawer 2", "go to drawer 3", "help", "look", "take mug 1 from drawer 1"},
	}
	if got := records[2].X; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestExclude(t *testing.T) {
	_, noPlan := hints.Generate(t.Context(), room{id: "g", at: 2, walkthrough: []string{"fly"}}, hints.GenerateConfig{Plans: []env.PlanKind{env.Walkthrough}})
	_, budget := hints.Generate(t.Context(), room{id: "g", at: 2, limit: true}, hints.GenerateConfig{})
	for _, c := range []struct {
		name   string
		err    error
		kind   string
		reason string
	}{
		{"no plan", noPlan, "no_plan", `generating records of g: walkthrough plan: no plan leads to the goal: command 1, "fly", is not admissible`},
		{"budget", budget, "budget", "generating records of g: walkthrough plan: game exceeds its budget of 9 states"},
		{"clock", fmt.Errorf("loading: %w", context.DeadlineExceeded), "clock", "the wall-clock net of the game ended"},
		{"error", fmt.Errorf("%w: line 3", env.ErrBadGame), "error", "bad game file: line 3"},
		{"two lines", errors.Join(env.ErrNoPlan, errors.New("nor \xff another")), "no_plan", "no plan leads to the goal; nor \ufffd another"},
		{"a game quoted", errors.New(strings.Repeat("é", 2000)), "error", strings.Repeat("é", 498) + "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := hints.Excluded{Game: "g", Kind: c.kind, Reason: c.reason}
			if got := hints.Exclude("g", c.err); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
	if !errors.Is(noPlan, env.ErrNoPlan) {
		t.Errorf("%v is not ErrNoPlan", noPlan)
	}
}

func TestExcludedFile(t *testing.T) {
	games := []hints.Excluded{
		{Game: "b", Kind: "clock", Reason: "x <y>"},
		{Game: "c", Detour: 11, Kind: "no_plan", Reason: "w"},
		{Game: "c", Detour: 2, Kind: "no_plan", Reason: "v"},
		{Game: "a", Kind: "budget", Reason: "z"},
	}
	var b strings.Builder
	if err := hints.WriteExcluded(&b, games); err != nil {
		t.Fatal(err)
	}
	want := `{"game":"a","kind":"budget","reason":"z"}` + "\n" + `{"game":"b","kind":"clock","reason":"x <y>"}` + "\n" +
		`{"game":"c","detour":2,"kind":"no_plan","reason":"v"}` + "\n" + `{"game":"c","detour":11,"kind":"no_plan","reason":"w"}` + "\n"
	if b.String() != want {
		t.Errorf("got %s, want %s", b.String(), want)
	}
	got, err := hints.ReadExcluded(strings.NewReader(want))
	if err != nil || !slices.Equal(got, []hints.Excluded{games[3], games[0], games[2], games[1]}) {
		t.Errorf("read %+v, %v", got, err)
	}
	for _, bad := range []string{"{\n", `{"game":"a","kind":"tired","reason":""}` + "\n", `{"game":"","kind":"clock","reason":""}` + "\n", want[:50], `{"game":"a","detour":-1,"kind":"clock","reason":""}` + "\n", `{"game":"a","host":"h","kind":"clock","reason":""}` + "\n", `{"Game":"a","kind":"clock","reason":""}` + "\n", `{"game":"a","game":"b","kind":"clock","reason":""}` + "\n"} {
		if _, err := hints.ReadExcluded(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "excluded games line") {
			t.Errorf("%q: error %v", bad, err)
		}
	}
}

// A hint in play is the one of the records.
func TestHinter(t *testing.T) {
	game := room{id: "g", at: 3}
	cfg := hints.GenerateConfig{Plans: []env.PlanKind{env.Search}}
	e, err := game.Start(t.Context(), env.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := hints.Hinter(cfg)(t.Context(), game, e)
	if err != nil || got != straightHint.Text() {
		t.Errorf("got %q, %v", got, err)
	}
	if now := e.Now(); now.Moves != 0 {
		t.Errorf("the episode was played on: %+v", now)
	}
}
