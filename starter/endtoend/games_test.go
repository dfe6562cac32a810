package endtoend_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/internal/outside"
)

// goldenTrials copies n real trials of each split into a new data folder and returns it with the train trials' folders.
func goldenTrials(t *testing.T, n int) (root string, trials []string) {
	t.Helper()
	golden := outside.Shared(t, "alfworld-golden", "json_2.1.1")
	root = t.TempDir()
	for _, split := range []string{"train", "valid_seen"} {
		all, err := filepath.Glob(filepath.Join(golden, split, "*", "*"))
		if err != nil || len(all) < n {
			t.Fatalf("%d trials of %s, %v", len(all), split, err)
		}
		for i := range n {
			from := all[i*len(all)/n] // of several families
			rel, err := filepath.Rel(filepath.Dir(golden), from)
			if err != nil {
				t.Fatal(err)
			}
			to := filepath.Join(root, rel)
			for _, name := range []string{"game.tw-pddl", "traj_data.json"} {
				write(t, filepath.Join(to, name), string(read(t, filepath.Join(from, name))))
			}
			if split == "train" {
				trials = append(trials, to)
			}
		}
	}
	return root, trials
}

// idOf is a trial's id.
func idOf(trial string) string {
	parts := strings.Split(filepath.ToSlash(trial), "/")
	return strings.Join(parts[len(parts)-3:], "/")
}

// crowd adds n objects to a trial's game: real work that exceeds the budget of 5,000.
func crowd(t *testing.T, trial string, n int) {
	t.Helper()
	path := filepath.Join(trial, "game.tw-pddl")
	var file map[string]any
	if err := json.Unmarshal(read(t, path), &file); err != nil {
		t.Fatal(err)
	}
	var more strings.Builder
	more.WriteString("(:objects\n")
	for i := range n {
		fmt.Fprintf(&more, "Surplus_bar_%d - object\n", i)
	}
	file["pddl_problem"] = strings.Replace(file["pddl_problem"].(string), "(:objects\n", more.String(), 1)
	raw, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, string(raw))
}

const realSpec = `name: %s
games: {list: %s}
hints: {plan: straight, chunk: 4, validation_per_mille: 300}
evaluation:
  panels:
    - {name: seen, splits: [valid_seen]}
`

// dataset exports a run's dataset and returns its files.
func (p *place) dataset(t *testing.T, ref string) (records []byte, excluded string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dataset")
	p.must(t, "export", ref, dir)
	return read(t, filepath.Join(dir, "hints.jsonl")), string(read(t, filepath.Join(dir, "hints.jsonl.excluded_games.jsonl")))
}

// without are the lines of records that are not of the game.
func without(records []byte, game string) []byte {
	var left []byte
	for line := range bytes.SplitAfterSeq(records, []byte("\n")) {
		if !bytes.Contains(line, []byte(`"game":"`+game+`"`)) {
			left = append(left, line...)
		}
	}
	return left
}

// TestBudgetAndRetry: a real game whose file exceeds its budgets is excluded with its reason. After it is mended, retry
// adds exactly that game; the old version of the dataset stays as it was, and the new one's lineage names it.
func TestBudgetAndRetry(t *testing.T) {
	p := sharedPlace(t)
	root, trials := goldenTrials(t, 6)
	large := trials[2]
	whole := read(t, filepath.Join(large, "game.tw-pddl"))
	crowd(t, large, 6000)
	spec := write(t, filepath.Join(t.TempDir(), "spec.yaml"), fmt.Sprintf(realSpec, "budget", digest(t, p.must(t, "games", "import", root))))
	out := p.must(t, "run", spec, "--until", "hints")
	run := runOf(t, out)
	for _, word := range []string{"of 5 games", "1 excluded (budget 1)", "has stopped after hints"} {
		if !strings.Contains(out, word) {
			t.Errorf("want %q in\n%s", word, out)
		}
	}
	before, excluded := p.dataset(t, run+"/hints")
	want := fmt.Sprintf(`{"game":"%s","kind":"budget","reason":"generating records of %[1]s: game exceeds its budget of 5000 objects"}`+"\n", idOf(large))
	if excluded != want {
		t.Errorf("excluded %s, want %s", excluded, want)
	}
	p.hone(t, "report", run).says(t, 2, "run "+run+" has no report here yet")

	// Mended, and imported by itself.
	write(t, filepath.Join(large, "game.tw-pddl"), string(whole))
	mended := digest(t, p.must(t, "games", "import", filepath.Join(large, "game.tw-pddl")))
	out = p.must(t, "retry", run, "--games", mended)
	if !strings.Contains(out, "of 6 games") || !strings.Contains(out, "0 excluded") {
		t.Errorf("want 6 games and none excluded in\n%s", out)
	}
	after, excluded := p.dataset(t, run+"/hints-2")
	if excluded != "" {
		t.Errorf("excluded %s, want none", excluded)
	}
	if !bytes.Equal(without(after, idOf(large)), before) {
		t.Error("but for the mended game the new version is not the old one, byte for byte")
	}
	if bytes.Equal(after, before) {
		t.Error("the new version has no record of the mended game")
	}
	if again, _ := p.dataset(t, run+"/hints"); !bytes.Equal(again, before) {
		t.Error("the old version has changed")
	}
	lineage := p.must(t, "lineage", run+"/hints-2")
	old := p.must(t, "lineage", run+"/hints")
	if first := strings.Fields(old); !strings.Contains(lineage, "previous: dataset "+first[1]) {
		t.Errorf("lineage\n%swant the old version, %s", lineage, first[1])
	}
	p.hone(t, "retry", run).says(t, 2, "excludes no game: there is nothing to play again")
	p.hone(t, "audit", run).says(t, 0, "all is well")
}

// TestBrokenGameFiles: a cut and a spoilt game file are excluded, each with what was expected and where.
func TestBrokenGameFiles(t *testing.T) {
	p := sharedPlace(t)
	root, trials := goldenTrials(t, 4)
	cut, spoilt := filepath.Join(trials[1], "game.tw-pddl"), filepath.Join(trials[2], "game.tw-pddl")
	write(t, cut, string(read(t, cut)[:1000]))
	write(t, spoilt, strings.Replace(string(read(t, spoilt)), "(:objects", "(:objekts", 1))
	spec := write(t, filepath.Join(t.TempDir(), "spec.yaml"), fmt.Sprintf(realSpec, "broken", digest(t, p.must(t, "games", "import", root))))
	out := p.must(t, "run", spec, "--until", "hints")
	if !strings.Contains(out, "of 2 games") || !strings.Contains(out, "2 excluded (error 2)") {
		t.Errorf("want 2 games and 2 excluded in\n%s", out)
	}
	_, excluded := p.dataset(t, runOf(t, out)+"/hints")
	lines := strings.Split(strings.TrimSpace(excluded), "\n")
	if len(lines) != 2 {
		t.Fatalf("excluded %s, want two", excluded)
	}
	for i, words := range [][]string{{idOf(trials[1]), "byte 1000", "expected the JSON of a game file"}, {idOf(trials[2]), "pddl_problem", "objekts"}} {
		for _, word := range words {
			if !strings.Contains(lines[i], word) {
				t.Errorf("excluded %s, want %q in it", lines[i], word)
			}
		}
	}
}
