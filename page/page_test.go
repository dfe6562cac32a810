package page_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage/lineagetest"
	"github.com/hone-rl/hone/page"
)

var update = flag.Bool("update", false, "rewrite testdata")

// written is the page of runs.
func written(t *testing.T, store artifacts.Store, runs ...string) string {
	t.Helper()
	var b bytes.Buffer
	if err := page.Write(t.Context(), &b, page.Config{Store: store, Runs: runs}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// main is the page without what is the same on every page.
func main(t *testing.T, text string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "<main")
	body, _, end := strings.Cut(rest, "</main>")
	if !ok || !end {
		t.Fatalf("no main part in\n%.2000s", text)
	}
	return body
}

// learnt stores a run of one training of five steps, whose policy won 16 of 64 of its panel before and 40 after.
func learnt(t *testing.T, store artifacts.Store, run string) *lineagetest.Training {
	t.Helper()
	made := lineagetest.StoreTraining(t, store, 5)
	lineagetest.OpenRun(t, store, run)
	lineagetest.Name(t, store, activities.RunName(run, "grpo"), made.Outcome(t, store,
		activities.Validation{Step: 0, Panel: "unseen", With: true, Count: 64, Won: 16, Families: []activities.FamilyEpisodes{{Family: "pick", Count: 64, Won: 16}}},
		activities.Validation{Step: 5, Panel: "unseen", With: true, Count: 64, Won: 40, Families: []activities.FamilyEpisodes{{Family: "pick", Count: 64, Won: 40}}}))
	return made
}

// TestPage: the page of a small training, byte for byte, and numbers in it that are known beforehand.
func TestPage(t *testing.T) {
	store := mem.New()
	learnt(t, store, "skill1")
	got := main(t, written(t, store, "skill1"))
	const golden = "testdata/learnt.html"
	if *update {
		if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
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
}
