package agent_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/env"
)

// The ends of the score interval are the p at which n(won/n - p)² = z² p(1-p). With won = 0 the upper one is
// z²/(n+z²), 3.841459/63.841459 for 60.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		won, games int
		low, high  float64
	}{
		{0, 60, 0, 0.060172},
		{60, 60, 0.939828, 1},
		{0, 3, 0, 0.561497},
		{0, 0, 0, 1},
	} {
		low, high := agent.Wilson(c.won, c.games)
		if low != c.low || high != c.high {
			t.Errorf("Wilson(%d, %d) = %v, %v, want %v, %v", c.won, c.games, low, high, c.low, c.high)
		}
	}
	for _, c := range [][2]int{{8, 10}, {118, 134}, {1, 274}, {245, 274}} {
		won, n := float64(c[0]), float64(c[1])
		low, high := agent.Wilson(c[0], c[1])
		if low >= won/n || high <= won/n {
			t.Errorf("Wilson(%v) = %v, %v: the rate is not inside", c, low, high)
		}
		for _, p := range []float64{low, high} {
			if got := n * (won/n - p) * (won/n - p) / (p * (1 - p)); math.Abs(got-3.841459) > 5e-3 { // the ends are rounded to six decimals
				t.Errorf("Wilson(%v) at %v: squared score %v, want 3.841459", c, p, got)
			}
		}
	}
}

func trajectories(all ...agent.Trajectory) func(func(agent.Trajectory, error) bool) {
	return func(yield func(agent.Trajectory, error) bool) {
		for _, t := range all {
			if !yield(t, nil) {
				return
			}
		}
	}
}

func won(game, family string, steps int) agent.Trajectory {
	t := agent.Trajectory{Game: game, Family: family, Outcome: agent.Outcome{Won: true, Steps: steps, Reason: "won"}}
	for range steps {
		t.Steps = append(t.Steps, agent.Step{Command: "look", Oracle: "look", Exact: true, Template: true})
	}
	return t
}

func lost(game, family, reason string) agent.Trajectory {
	return agent.Trajectory{Game: game, Family: family, Outcome: agent.Outcome{Steps: 2, Reason: reason}, Steps: []agent.Step{
		{Command: "go to a 1", Oracle: "go to a 2", Template: true}, {Command: "look", NoOracle: "no plan"},
	}}
}

func hinted(all ...agent.Trajectory) []agent.Trajectory {
	for i := range all {
		all[i].Hint = "skill: pick and place\n"
	}
	return all
}

const pick, two = "pick_and_place_simple", "pick_two_obj_and_place"

func conditions() agent.Conditions {
	return agent.ConditionsOf(agent.PlayConfig{StopCycles: true, Oracle: env.Straight, Positions: 512, Prompt: agent.Lite}, "sha256:ab")
}

func cell(t *testing.T, row agent.Row, all ...agent.Trajectory) agent.Cell {
	t.Helper()
	if row.Conditions == (agent.Conditions{}) {
		row.Conditions = conditions()
	}
	c, err := agent.NewCell(row, trajectories(all...))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func panel(t *testing.T) agent.Panel {
	t.Helper()
	p, err := agent.NewPanel("valid_unseen",
		cell(t, agent.Row{Model: "untrained", Weights: []string{"sha256:01"}}, lost("a", pick, "steps"), lost("b", two, "limit: work"), lost("c", pick, "cycle")),
		cell(t, agent.Row{Model: "teacher", WithHint: true, Weights: []string{"sha256:02"}}, hinted(won("a", pick, 4), won("b", two, 9), lost("c", pick, "cycle"))...),
	)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCell(t *testing.T) {
	p := panel(t)
	s := p.Cells[1].All
	// 13 of 14 decisions are exact, all 14 right by types; one had no oracle. Two of three: 0.666667.
	if s.Games != 3 || s.Won != 2 || s.Rate != 0.666667 || s.MeanSteps != 6.5 || s.Decisions != 14 || s.Exact != 0.928571 || s.Template != 1 || s.NoOracle != 1 {
		t.Errorf("%+v", s)
	}
	if f := p.Cells[0].All.Failures; f["steps"] != 1 || f["limit"] != 1 || f["cycle"] != 1 || len(f) != 3 {
		t.Errorf("failures %v", f)
	}
	if s := p.Cells[1].Families[pick]; s.Games != 2 || s.Won != 1 {
		t.Errorf("%+v", s)
	}
}

func TestCellRefuses(t *testing.T) {
	broken := errors.New("line 7")
	for _, c := range []struct {
		name string
		row  agent.Row
		all  func(func(agent.Trajectory, error) bool)
		want string
	}{
		{"none", agent.Row{Model: "m"}, trajectories(), "m without H: no game was played"},
		{"twice", agent.Row{Model: "m"}, trajectories(won("a", pick, 1), won("a", pick, 1)), "a is played twice"},
		{"hint without", agent.Row{Model: "m"}, trajectories(hinted(won("a", pick, 1))...), `a has hint "skill`},
		{"no hint with", agent.Row{Model: "m", WithHint: true}, trajectories(won("a", pick, 1)), `a has hint ""`},
		{"unreadable", agent.Row{Model: "m"}, func(yield func(agent.Trajectory, error) bool) { yield(agent.Trajectory{}, broken) }, "line 7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := agent.NewCell(c.row, c.all); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

func TestPanelRefuses(t *testing.T) {
	base := agent.Row{Model: "teacher", WithHint: true}
	for _, c := range []struct {
		what string
		edit func(*agent.Conditions)
	}{
		{"games", func(c *agent.Conditions) { c.Games = "sha256:cd" }},
		{"candidate rule", func(c *agent.Conditions) { c.Candidates = "all" }},
		{"prompt format", func(c *agent.Conditions) { c.Prompt = agent.Full }},
		{"decoding", func(c *agent.Conditions) { c.Decoding = "sampled" }},
		{"step limit", func(c *agent.Conditions) { c.MaxSteps = 30 }},
		{"cycle rule", func(c *agent.Conditions) { c.StopCycles = false }},
		{"positions", func(c *agent.Conditions) { c.Positions = 256 }},
		{"oracle", func(c *agent.Conditions) { c.Oracle = env.Search }},
		{"env limits", func(c *agent.Conditions) { c.Limits.Work = 7 }},
	} {
		t.Run(c.what, func(t *testing.T) {
			other := base
			other.Model, other.Conditions = "untrained", conditions()
			c.edit(&other.Conditions)
			_, err := agent.NewPanel("p", cell(t, base, hinted(won("a", pick, 1))...), cell(t, other, hinted(won("a", pick, 1))...))
			var got *agent.CompareError
			if !errors.As(err, &got) {
				t.Fatalf("error %v, want a *CompareError", err)
			}
			if got.What != c.what || got.A != "teacher with H" || got.B != "untrained with H" || got.ValueA == got.ValueB {
				t.Errorf("%v", got)
			}
		})
	}
	t.Run("games played", func(t *testing.T) {
		other := base
		other.Model = "untrained"
		_, err := agent.NewPanel("p", cell(t, base, hinted(won("a", pick, 1))...), cell(t, other, hinted(won("b", pick, 1))...))
		var got *agent.CompareError
		if !errors.As(err, &got) || got.What != "games played" {
			t.Errorf("error %v", err)
		}
	})
	t.Run("the same row", func(t *testing.T) {
		c := cell(t, base, hinted(won("a", pick, 1))...)
		if _, err := agent.NewPanel("p", c, c); err == nil {
			t.Error("one row twice is accepted")
		}
	})
	t.Run("the same panel", func(t *testing.T) {
		if _, err := agent.NewReport(panel(t), panel(t)); err == nil {
			t.Error("two panels of one name are accepted")
		}
	})
}

func TestPanelLabel(t *testing.T) {
	six := []string{pick, "look_at_obj_in_light", "pick_clean_then_place_in_recep", "pick_heat_then_place_in_recep", "pick_cool_then_place_in_recep", two}
	for _, c := range []struct {
		families []string
		want     string
	}{
		{[]string{pick}, "pick_and_place_simple only"},
		{six, "all six families"},
		{six[:2], "2 families: pick_and_place_simple, look_at_obj_in_light"},
		{append(slices.Clone(six), "shop"), "7 families: " + strings.Join(append(slices.Clone(six), "shop"), ", ")},
	} {
		var all []agent.Trajectory
		for i, f := range c.families {
			all = append(all, won(string(rune('a'+i)), f, 1))
		}
		p, err := agent.NewPanel("p", cell(t, agent.Row{Model: "student"}, all...))
		if err != nil || p.Label != c.want {
			t.Errorf("label %q, %v, want %q", p.Label, err, c.want)
		}
	}
}

func TestReportMarkdown(t *testing.T) {
	r, err := agent.NewReport(panel(t))
	if err != nil {
		t.Fatal(err)
	}
	want := `## valid_unseen: 3 games, 2 families: pick_and_place_simple, pick_two_obj_and_place

| model | H | won | rate | 95 % | steps | exact | template | failures |
|---|---|---|---|---|---|---|---|---|
| untrained | without | 0/3 | 0.0 % | 0.0 % to 56.1 % | – | 0.0 % | 100.0 % | cycle 1, limit 1, steps 1 |
| teacher | with | 2/3 | 66.7 % | 20.8 % to 93.9 % | 6.5 | 92.9 % | 100.0 % | cycle 1 |

| model | H | pick_and_place_simple | pick_two_obj_and_place |
|---|---|---|---|
| untrained | without | 0/2 | 0/1 |
| teacher | with | 1/2 | 1/1 |

steps: mean of won games. exact, template: choices equal to the oracle's, word for word and by types.
Every failure counts in the rate; those by a limit, the clock or the model's positions are named.

Conditions: games sha256:ab; candidate rule admissible but help/1; prompt format lite/1; decoding greedy trie/1; step limit 50; cycle rule true; positions 512; oracle straight; env limits {Operators:0 Objects:0 States:0 Work:0}.
Hints that held a digit: 0; a command then chosen: 0.
`
	if got := r.Markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestReportJSON(t *testing.T) {
	r, err := agent.NewReport(panel(t))
	if err != nil {
		t.Fatal(err)
	}
	one, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(one, []byte(`{"panels":[{"cells":[{"all":{"decisions":3,"exact":0,"failures":{"cycle":1,"limit":1,"steps":1},`)) {
		t.Errorf("not canonical: %s", one[:120])
	}
	for range 5 {
		if again, err := r.JSON(); err != nil || !bytes.Equal(one, again) {
			t.Fatal("two encodings differ")
		}
	}
}
