package agent_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent"
)

// played is games of which so many of each family are won.
func played(pickWon, twoWon int) []agent.Trajectory {
	var all []agent.Trajectory
	for i := range 4 {
		for family, n := range map[string]int{pick: pickWon, two: twoWon} {
			game := fmt.Sprintf("%s %d", family, i)
			if i < n {
				all = append(all, won(game, family, 1))
			} else {
				all = append(all, lost(game, family, "steps"))
			}
		}
	}
	return all
}

func seededPanel(t *testing.T) agent.Panel {
	t.Helper()
	p, err := agent.NewPanel("unseen",
		cell(t, agent.Row{Model: "untrained"}, played(0, 0)...),
		cell(t, agent.Row{Model: "teacher", Seed: 9}, played(4, 0)...),
		cell(t, agent.Row{Model: "teacher", Seed: 2}, played(4, 2)...),
		cell(t, agent.Row{Model: "teacher", Seed: 5}, played(4, 4)...),
		cell(t, agent.Row{Model: "student", Seed: 2}, played(1, 2)...),
	)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Of 8 games 4, 6 and 8 are won: shares 0.5, 0.75 and 1 have the mean 0.75 and the deviation sqrt((2·0.25²)/2) = 0.25.
func TestSpread(t *testing.T) {
	p := seededPanel(t)
	if len(p.Spread) != 2 {
		t.Fatalf("got %+v, want teacher and student: the untrained model has no seed", p.Spread)
	}
	teacher, student := p.Spread[0], p.Spread[1]
	if teacher.Model != "teacher" || teacher.WithHint || !slices.Equal(teacher.Seeds, []uint64{2, 5, 9}) {
		t.Errorf("got %+v", teacher)
	}
	for _, c := range []struct {
		name      string
		got, want agent.Varied
	}{
		{"all", teacher.All, agent.Varied{Games: 8, Mean: 0.75, Deviation: 0.25, Least: 0.5, Most: 1}},
		{"the same for all seeds", teacher.Families[pick], agent.Varied{Games: 4, Mean: 1, Least: 1, Most: 1}},
		{"a family", teacher.Families[two], agent.Varied{Games: 4, Mean: 0.5, Deviation: 0.5, Least: 0, Most: 1}},
		{"one seed", student.All, agent.Varied{Games: 8, Mean: 0.375, Least: 0.375, Most: 0.375}},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, c.got, c.want)
		}
	}
	if plain := panel(t); plain.Spread != nil {
		t.Errorf("a table without seeds has %+v", plain.Spread)
	}
	if raw, err := json.Marshal(panel(t)); err != nil || strings.Contains(string(raw), "seed") || strings.Contains(string(raw), "spread") {
		t.Errorf("a table without seeds speaks of them: %s, %v", raw, err)
	}
}

func TestSpreadMarkdown(t *testing.T) {
	r, err := agent.NewReport(seededPanel(t))
	if err != nil {
		t.Fatal(err)
	}
	got := r.Markdown()
	for _, want := range []string{
		`| model | seed | H | won |`,
		`| untrained | – | without | 0/8 | 0.0 % |`,
		`| teacher | 9 | without | 4/8 | 50.0 % |`,
		`
Over the seeds, mean ± standard deviation of the sample of the shares of won games:

| model | H | seeds | rate | least to most | pick_and_place_simple | pick_two_obj_and_place |
|---|---|---|---|---|---|---|
| teacher | without | 3 | 75.0 ± 25.0 % | 50.0 % to 100.0 % | 100.0 ± 0.0 % | 50.0 ± 50.0 % |
| student | without | 1 | 37.5 % | 37.5 % to 37.5 % | 25.0 % | 50.0 % |

steps: mean`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant in it\n%s", got, want)
		}
	}
}

// Rows of other seeds are other rows; the same seed twice is not.
func TestPanelSeeds(t *testing.T) {
	a := cell(t, agent.Row{Model: "teacher", Seed: 1}, played(1, 1)...)
	if _, err := agent.NewPanel("p", a, a); err == nil || !strings.Contains(err.Error(), "teacher of seed 1 without H") {
		t.Errorf("one seed twice: %v", err)
	}
}
