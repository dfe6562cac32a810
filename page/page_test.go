package page_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage/lineagetest"
	"github.com/hone-rl/hone/page"
	"github.com/hone-rl/hone/runs"
)

var update = flag.Bool("update", false, "rewrite testdata")

// written is the page of runs.
func written(t *testing.T, c page.Config) string {
	t.Helper()
	var b bytes.Buffer
	if err := page.Write(t.Context(), &b, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// opened is the page of runs as a browser reads it, which is sound.
func opened(t *testing.T, store artifacts.Store, runs ...string) *html.Node {
	t.Helper()
	root := parsed(t, written(t, page.Config{Store: store, Runs: runs}))
	sound(t, root)
	return root
}

// learnt stores a run of one training of five steps, whose policy won 16 of 64 of its panel before and 40 after with skills,
// and 16 and 32 without.
func learnt(t *testing.T, store artifacts.Store, run string) *lineagetest.Training {
	t.Helper()
	made := lineagetest.StoreTraining(t, store, 5)
	lineagetest.OpenRun(t, store, run)
	var plays []activities.Validation
	for _, p := range []struct {
		step, won int
		with      bool
	}{{0, 16, true}, {0, 16, false}, {5, 40, true}, {5, 32, false}} {
		plays = append(plays, activities.Validation{
			Step: p.step, Panel: "unseen", With: p.with, Count: 64, Won: p.won,
			Families: []activities.FamilyEpisodes{{Family: "pick", Count: 60, Won: p.won - 4}, {Family: "heat", Count: 4, Won: 4}},
		})
	}
	lineagetest.Name(t, store, activities.RunName(run, "grpo"), made.Outcome(t, store, plays...))
	return made
}

// TestPage: the page of a small training, byte for byte, and numbers in it that are known beforehand: 16 of 64 has the interval
// 16.0 to 36.8, 40 of 64 50.3 to 73.3; of step k, of eight episodes, k are won.
func TestPage(t *testing.T) {
	store := mem.New()
	learnt(t, store, "skill1")
	whole := written(t, page.Config{Store: store, Runs: []string{"skill1"}})
	_, got, _ := strings.Cut(whole, "<main")
	got, _, _ = strings.Cut(got, "</main>") // the rest is the same on every page, and has the version
	const golden = "testdata/learnt.html"
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(golden), 0o755), os.WriteFile(golden, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Error("the page is another: look at it and rewrite it with -update")
	}
	root := parsed(t, whole)
	sound(t, root)
	plays := rows(t, root, "grpo: won of the panel, step by step")
	for i, want := range []string{
		"0 unseen with 16/64 25.0 % 16.0 % to 36.8 %", "0 unseen without 16/64 25.0 % 16.0 % to 36.8 %",
		"5 unseen with 40/64 62.5 % 50.3 % to 73.3 %", "5 unseen without 32/64 50.0 % 38.1 % to 61.9 %",
	} {
		if got := strings.Join(plays[i][:6], " "); got != want {
			t.Errorf("row %d: got %s, want %s", i, got, want)
		}
	}
	if got := rows(t, root, "grpo: games won of each family")[2]; !slices.Equal(got, []string{"5", "unseen", "with", "36/60", "4/4"}) {
		t.Errorf("families: got %q", got)
	}
	for i, row := range rows(t, root, "grpo: steps") {
		if want := []string{"1/8", "2/8", "3/8", "4/8", "5/8"}[i]; row[1] != want || row[4] != []string{"0.0010", "0.0020", "0.0030", "0.0040", "0.0050"}[i] {
			t.Errorf("step %d: got %q, want %s won", i+1, row, want)
		}
	}
}

// TestPageOfSkills: the lives that TestLives of lineage has: E and F are there, D has retired after step 5.
func TestPageOfSkills(t *testing.T) {
	store := mem.New()
	learnt(t, store, "skill1")
	root := opened(t, store, "skill1")
	var heads []string
	for _, n := range elements(find(t, root, "r1-skills1"), "details") {
		heads = append(heads, text(elements(n, "summary")[0]))
	}
	if len(heads) != 3 || !strings.HasSuffix(heads[2], "when D retired") {
		t.Fatalf("got %q, want three, the last of them retired", heads)
	}
	d := find(t, root, "r1-"+string(lineagetest.ID("D")))
	for _, want := range []string{"0.4375, counted 4, selected 1, merged with 1", "in step 1, of episode/D", "after step 5: worth least by oldest", "do D", "task of D"} {
		if !strings.Contains(text(d), want) {
			t.Errorf("got %s, want %q in it", text(d), want)
		}
	}
	if svg := elements(d, "svg")[0]; attr(svg, "aria-label") != "utility from 0.50 after step 1 to 0.44 after step 4" {
		t.Errorf("its path is %q", attr(svg, "aria-label"))
	}
}

// TestPageBounds: as many episodes as asked for, won and lost in turn, and how many are left out of 4 panels of 64 and 8 of the last
// step, beside the 32 of the steps before it.
func TestPageBounds(t *testing.T) {
	store := mem.New()
	learnt(t, store, "skill1")
	for asked, want := range map[int]string{
		-1: "0 games to step through; 264 of the same kinds are left out, and 32 of other steps.",
		5:  "5 games to step through; 259 of the same kinds are left out, and 32 of other steps.",
		0:  "24 games to step through; 240 of the same kinds are left out, and 32 of other steps.",
	} {
		root := parsed(t, written(t, page.Config{Store: store, Runs: []string{"skill1"}, Episodes: asked}))
		sound(t, root)
		if got := text(find(t, root, "r1-episodes")); !strings.Contains(got, want) {
			t.Errorf("asked for %d: got %.400s, want %q", asked, got, want)
		}
	}
	root := opened(t, store, "skill1")
	for _, row := range rows(t, root, "Episodes shown")[1:] {
		if row[1] != "5" && row[1] != "4" {
			t.Errorf("got %q, want four or five of each", row)
		}
	}
}

// TestPageAgain: the same store gives the same bytes.
func TestPageAgain(t *testing.T) {
	store := mem.New()
	learnt(t, store, "skill1")
	learnt(t, store, "again")
	c := page.Config{Store: store, Runs: []string{"skill1", "again"}}
	first := written(t, c)
	for range 5 {
		if written(t, c) != first {
			t.Fatal("another page the second time")
		}
	}
}

// TestPageRefuses what cannot be written, and says so as what was asked for.
func TestPageRefuses(t *testing.T) {
	store := mem.New()
	learnt(t, store, "skill1")
	for _, tt := range []struct {
		runs  []string
		want  string
		asked bool
	}{
		{nil, "expected a run", false},
		{[]string{"skill1", "skill1"}, "run skill1 stands twice", false},
		{[]string{"a", "b", "c", "d", "e", "f", "g"}, "7 runs: expected at most 6", false},
		{[]string{"skill1", "nobody"}, `no run "nobody" in this store`, true},
	} {
		var b bytes.Buffer
		err := page.Write(t.Context(), &b, page.Config{Store: store, Runs: tt.runs})
		var asked *runs.AskedError
		if err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, &asked) != tt.asked || b.Len() != 0 {
			t.Errorf("%q: got %v and %d bytes, want %q", tt.runs, err, b.Len(), tt.want)
		}
	}
}
