package alfworld_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/internal/outside"
)

// reference is a golden game with the plan that ALFWorld's own planning library found for it.
type reference struct {
	path string
	file map[string]any
	plan []string
}

// references are the golden games of both vintages.
func references(t *testing.T) []reference {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(outside.Shared(t, "alfworld-golden"), "*json_2.1.1", "*", "*", "*", "game.tw-pddl"))
	if err != nil || len(files) != 68 {
		t.Fatalf("%d game files, %v, want 68", len(files), err)
	}
	list := make([]reference, len(files))
	for i, path := range files {
		list[i].path = path
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &list[i].file); err != nil {
			t.Fatal(err)
		}
		list[i].plan = plannerWalk(t, filepath.Join(filepath.Dir(path), "transcripts.jsonl.gz"))
	}
	return list
}

// plannerWalk is the commands of the walk "planner" of a transcript.
func plannerWalk(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // only read
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var walk []string
	for dec := json.NewDecoder(bufio.NewReader(z)); dec.More(); {
		var row struct {
			Walk    string  `json:"walk"`
			Command *string `json:"command"`
		}
		if err := dec.Decode(&row); err != nil {
			t.Fatal(err)
		}
		if row.Walk == "planner" && row.Command != nil {
			walk = append(walk, *row.Command)
		}
	}
	return walk
}

func (r *reference) load(t *testing.T) *alfworld.Game {
	t.Helper()
	data, err := json.Marshal(r.file)
	if err != nil {
		t.Fatal(err)
	}
	game, err := alfworld.Parse(r.path, data)
	if err != nil {
		t.Fatal(err)
	}
	return game
}

// TestGoldenWalkthroughs takes the reference planner's plans as walkthroughs of both vintages: word for word, also
// where commands follow the win. The files of the old vintage have none of their own.
func TestGoldenWalkthroughs(t *testing.T) {
	own := 0
	for _, r := range references(t) {
		if r.file["walkthrough"] != nil {
			own++
		} else if _, err := play(t, r.load(t)).ep.(env.Expert).Plan(t.Context(), env.Walkthrough); err == nil {
			t.Errorf("%s: got a walkthrough, want none", r.path)
		}
		r.file["walkthrough"] = append(slices.Clone(r.plan), "look", "no such thing")
		if got := plan(t, play(t, r.load(t)).ep, env.Walkthrough); !slices.Equal(got, r.plan) {
			t.Errorf("%s: got %q, want %q", r.path, got, r.plan)
		}
	}
	if own != 64 {
		t.Errorf("%d games with a walkthrough, want 64", own)
	}
}

// TestPlannerAgainstReference compares plan lengths with the reference planner's.
func TestPlannerAgainstReference(t *testing.T) {
	ours, theirs := 0, 0
	for _, r := range references(t) {
		got := plan(t, play(t, r.load(t)).ep, env.Planner)
		ours += len(got)
		theirs += len(r.plan)
		if len(got) > len(r.plan)+1 {
			t.Errorf("%s: got %q, theirs is %q", r.path, got, r.plan)
		}
	}
	if theirs != 390 || ours > theirs {
		t.Errorf("got %d commands, theirs are %d", ours, theirs)
	}
}

// TestPlannerAgainstScripts finds no plan longer than the straight one, and shorter ones where a target that is at its
// destination already may be treated and put back.
func TestPlannerAgainstScripts(t *testing.T) {
	var ours, theirs, shorter atomic.Int64
	someGames(t, func(in alfworld.Imported) {
		game, err := alfworld.Parse(in.ID, in.Data)
		if err != nil {
			t.Error(err)
			return
		}
		ep, err := game.Start(t.Context(), env.Limits{})
		if err != nil {
			t.Error(err)
			return
		}
		straight, err := ep.(env.Expert).Plan(t.Context(), env.Straight)
		if err != nil {
			t.Error(err)
		}
		got, err := ep.(env.Expert).Plan(t.Context(), env.Planner)
		if err != nil || len(got) > len(straight) {
			t.Errorf("%s: got %q, %v; the straight plan is %q", in.ID, got, err, straight)
		}
		ours.Add(int64(len(got)))
		theirs.Add(int64(len(straight)))
		if len(got) < len(straight) {
			shorter.Add(1)
		}
	})
	if shorter.Load() == 0 || ours.Load() >= theirs.Load() {
		t.Errorf("%d commands for %d of straight plans, shorter in %d games, want some", ours.Load(), theirs.Load(), shorter.Load())
	}
}
