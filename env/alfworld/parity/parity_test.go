package parity_test

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/alfworld/parity"
	"github.com/hone-rl/hone/env/household"
)

func games(t *testing.T) []parity.Drawn {
	t.Helper()
	list, err := parity.DrawHousehold(3, 2, household.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 12 {
		t.Fatalf("%d games, want 12", len(list))
	}
	return list
}

// TestDrawHousehold draws as many games of each family, of an odd number too.
func TestDrawHousehold(t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		list, err := parity.DrawHousehold(0, n, household.Rules{})
		if err != nil {
			t.Fatal(err)
		}
		families := map[string]int{}
		for _, g := range list {
			families[g.Family]++
		}
		for _, f := range household.Families {
			if families[f] != n {
				t.Errorf("%d games of %s, want %d", families[f], f, n)
			}
		}
		if len(list) != 6*n {
			t.Errorf("%d games, want %d", len(list), 6*n)
		}
	}
}

// TestDraw gives the same commands again, other ones for another seed, and among them wins, rare verbs and junk.
func TestDraw(t *testing.T) {
	verbs, refused, won := map[string]int{}, 0, 0
	for _, g := range games(t) {
		game, err := alfworld.Parse(g.ID, g.Data)
		if err != nil {
			t.Fatal(err)
		}
		commands, err := parity.Draw(t.Context(), 1, g.ID, game, 40)
		if err != nil || len(commands) != 40 {
			t.Fatalf("%d commands, %v", len(commands), err)
		}
		again, err := parity.Draw(t.Context(), 1, g.ID, game, 40)
		if err != nil || !slices.Equal(again, commands) {
			t.Errorf("%s: drawn again %q, want %q, %v", g.ID, again, commands, err)
		}
		other, err := parity.Draw(t.Context(), 2, g.ID, game, 40)
		if err != nil || slices.Equal(other, commands) {
			t.Errorf("%s: another seed draws the same, %v", g.ID, err)
		}
		a, err := parity.Ours{}.Play(t.Context(), g.Data, commands)
		if err != nil || a.Fault != "" || len(a.Rows) != 41 {
			t.Fatalf("%d rows, fault %q, %v", len(a.Rows), a.Fault, err)
		}
		for i, c := range commands {
			if a.Rows[i+1].Moves == a.Rows[i].Moves {
				refused++
				continue
			}
			verbs[parity.Verb(strings.TrimSpace(c))]++
		}
		if slices.ContainsFunc(a.Rows, func(r parity.Row) bool { return r.Won }) {
			won++
		}
	}
	for _, v := range []string{"go", "look", "inventory", "examine", "open", "close", "take", "move"} {
		if verbs[v] == 0 {
			t.Errorf("no %q was drawn: %v", v, verbs)
		}
	}
	if won < 3 || won == 12 || refused < 10 || refused > 80 {
		t.Errorf("%d of 12 games won, %d of 480 commands refused", won, refused)
	}
}

// liar is our engine with a fault: once a fridge or cabinet has been opened, inventories are told differently.
type liar struct{}

func (liar) Play(ctx context.Context, game []byte, commands []string) (parity.Answer, error) {
	a, err := parity.Ours{}.Play(ctx, game, commands)
	opened := false
	for i, c := range commands {
		opened = opened || a.Rows[i+1].Moves > a.Rows[i].Moves && strings.HasPrefix(strings.TrimSpace(c), "open ")
		if opened && strings.TrimSpace(c) == "inventory" {
			a.Rows[i+1].Text += " And a grudge."
		}
	}
	return a, err
}

// TestRun finds a planted fault, shrinks it to going, opening and asking, and keeps it where a replay finds it too.
func TestRun(t *testing.T) {
	list := games(t)
	keep := t.TempDir()
	cfg := parity.Config{Seed: 1, Steps: 40, Peers: []parity.Engine{liar{}, liar{}}, Keep: keep}
	report, err := parity.Run(t.Context(), cfg, list)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Found) == 0 || report.Games != 12 || report.Rows != 12*41 || len(report.Families) != 6 {
		t.Fatalf("%d differences in %d games and %d rows of %d families", len(report.Found), report.Games, report.Rows, len(report.Families))
	}
	for _, f := range report.Found {
		if len(f.Commands) != 3 || !strings.HasPrefix(f.Commands[0], "go to ") || !strings.HasPrefix(f.Commands[1], "open ") ||
			strings.TrimSpace(f.Commands[2]) != "inventory" || f.Step != 3 || f.Field != "feedback" || !strings.Contains(f.Want, "grudge") {
			t.Errorf("shrunk to %+v", f)
		}
	}
	golden, err := alfworld.CheckGolden(t.Context(), keep, nil)
	if err != nil || golden.Games != len(report.Found) || golden.Differences != golden.Games || golden.Rows != 4*golden.Games {
		t.Errorf("kept: %+v, %v", golden, err)
	}
	var text bytes.Buffer
	if err := report.Write(&text); err != nil || !strings.Contains(text.String(), `> "inventory"`) {
		t.Errorf("%v: %s", err, text.String())
	}

	cfg.Peers = []parity.Engine{liar{}}
	cfg.Keep = t.TempDir()
	alone, err := parity.Run(t.Context(), cfg, list)
	if err != nil || len(alone.Found) != len(report.Found) || filepath.Base(alone.Found[0].Folder) != filepath.Base(report.Found[0].Folder) {
		t.Errorf("one peer finds something else: %+v, %v", alone, err)
	}
	cfg.Peers = []parity.Engine{parity.Ours{}}
	if same, err := parity.Run(t.Context(), cfg, list); err != nil || len(same.Found) != 0 {
		t.Errorf("beside itself: %+v, %v", same, err)
	}
}

func TestCompare(t *testing.T) {
	row := parity.Row{Text: "x", Commands: []string{"a", "b"}, Score: 1, Won: true, Done: true, Moves: 2}
	of := func(fault string, rows ...parity.Row) parity.Answer { return parity.Answer{Rows: rows, Fault: fault} }
	with := func(change func(*parity.Row)) parity.Row {
		r := row
		change(&r)
		return r
	}
	for _, c := range []struct {
		name      string
		want, got parity.Answer
		field     string
		step      int
	}{
		{"same", of("", row, row), of("", row, row), "", 0},
		{"text", of("", row, row), of("", row, with(func(r *parity.Row) { r.Text = "y" })), "feedback", 1},
		{"commands", of("", row), of("", with(func(r *parity.Row) { r.Commands = r.Commands[:1] })), "admissible_commands", 0},
		{"score", of("", row), of("", with(func(r *parity.Row) { r.Score = 0 })), "score", 0},
		{"won", of("", row), of("", with(func(r *parity.Row) { r.Won = false })), "won", 0},
		{"done", of("", row), of("", with(func(r *parity.Row) { r.Done = false })), "done", 0},
		{"moves", of("", row), of("", with(func(r *parity.Row) { r.Moves = 3 })), "moves", 0},
		{"both fail", of("KeyError", row), of("no rule", row), "", 0},
		{"one fails", of("KeyError", row), of("", row, row), "fault", 1},
		{"the other fails", of("", row, row), of("no rule", row), "fault", 1},
		{"both fail, not at once", of("KeyError", row), of("no rule", row, row), "fault", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := parity.Compare(c.want, c.got)
			if c.field == "" {
				if d != nil {
					t.Errorf("got %+v, want none", d)
				}
				return
			}
			if d == nil || d.Field != c.field || d.Step != c.step {
				t.Errorf("got %+v, want %s at step %d", d, c.field, c.step)
			}
		})
	}
}

// moody is our engine, but for one answer that it gives only once.
type moody struct{ asked int }

func (m *moody) Play(ctx context.Context, game []byte, commands []string) (parity.Answer, error) {
	a, err := parity.Ours{}.Play(ctx, game, commands)
	if m.asked++; m.asked == 3 {
		a.Fault, a.Rows = "killed", nil
	}
	return a, err
}

// TestRunTellsWhatIsNotRepeated: a difference that does not come again is told, and does not end the run.
func TestRunTellsWhatIsNotRepeated(t *testing.T) {
	list := games(t)
	report, err := parity.Run(t.Context(), parity.Config{Steps: 5, Peers: []parity.Engine{&moody{}}, Keep: t.TempDir()}, list)
	if err != nil || report.Games != len(list) || len(report.Found) != 1 {
		t.Fatalf("%+v, %v", report, err)
	}
	if f := report.Found[0]; f.Game != list[2].ID || !strings.Contains(f.Field, "fault (once") || f.Folder != "" {
		t.Errorf("got %+v", f)
	}
}
