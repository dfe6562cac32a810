package durability_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// point is a point that an activity has passed: a line of the file that the worker writes (worker/faults.go), with
// the stage that it belongs to.
type point struct {
	Workflow string `json:"workflow"`
	Activity string `json:"activity"` // the same in every run
	Type     string `json:"type"`
	ID       string `json:"id"` // in this run's history
	Attempt  int32  `json:"attempt"`
	Point    string `json:"point"`
	Count    int    `json:"count"`
	What     string `json:"what"`
	PID      int    `json:"pid"`
	Stage    string `json:"-"`
}

// group is the stage, all cells of the evaluation taken together.
func (p point) group() string {
	stage, _, _ := strings.Cut(p.Stage, "/")
	return stage
}

// fault is the line that takes a worker down at p. A training that goes on from a checkpoint does not count as one
// that begins, but writes the same; records, which have clocks in them, are never the same.
func (p point) fault(way string) string {
	which := fmt.Sprint(p.Count)
	if p.Type == "TrainSFT" && p.What != "" {
		which = p.What
	}
	return fmt.Sprintf("%s %s %s %s %s", p.Workflow, p.Activity, p.Point, which, way)
}

// trace is what the workers of the place have passed so far.
func (p *place) trace() []point {
	p.t.Helper()
	var points []point
	for _, line := range readLines(p.t, filepath.Join(p.faults, "passed")) {
		var at point
		if err := json.Unmarshal([]byte(line), &at); err != nil {
			p.t.Fatalf("passed: %q: %v", line, err)
		}
		points = append(points, at)
	}
	return points
}

// hits are the faults that have taken effect.
func (p *place) hits() []string {
	p.t.Helper()
	return readLines(p.t, filepath.Join(p.faults, "hit"))
}

// staged tells each point's stage. A workflow does its stages one after the other, each from a Begin to the next;
// the stage's Finish gives the result the stage's name.
func staged(t *testing.T, points []point, run string) []point {
	t.Helper()
	names := map[string]string{} // by workflow and number of its Begin
	begun := map[string]int{}
	key := func(p point) string { return fmt.Sprintf("%s %d", p.Workflow, begun[p.Workflow]) }
	keys := make([]string, len(points))
	for i, p := range points {
		if p.Type == "Begin" && p.Point == "start" {
			begun[p.Workflow]++
		}
		keys[i] = key(p)
		if name, ok := strings.CutPrefix(p.What, "runs/"+run+"/"); ok && p.Type == "Finish" {
			names[keys[i]] = name
		}
	}
	for i := range points {
		switch p := &points[i]; p.Type {
		case "OpenRun":
			p.Stage = "open"
		case "CloseRun":
			p.Stage = "close"
		default:
			if p.Stage = names[keys[i]]; p.Stage == "" {
				t.Fatalf("%s of %s belongs to no stage", p.Type, p.Workflow)
			}
		}
	}
	return points
}

// canonical are the points that a run passes if nothing happens to it, in an order that does not depend on what went
// on side by side.
func canonical(points []point) []point {
	var all []point
	seen := map[string]bool{}
	for _, p := range points {
		if at := p.fault(""); !seen[at] {
			seen[at] = true
			p.Attempt, p.PID, p.ID = 1, 0, ""
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.Workflow, b.Workflow), cmp.Compare(a.Activity, b.Activity))
	})
	return all
}

// readLines are the whole lines of a file that may be growing, none if it is not there.
func readLines(t *testing.T, file string) []string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	lines := strings.Split(string(raw), "\n")
	return lines[:len(lines)-1]
}
