package lineage_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/plan"
	"github.com/hone-rl/hone/workflows"
)

// TestPlanOfRun: a plan with a store counts instead of estimating, and tells done stages from those to do.
func TestPlanOfRun(t *testing.T) {
	store, run := finished.get(t)
	made := func(text string) *plan.Plan {
		t.Helper()
		spec, err := workflows.ParseSpec("small.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.Make(t.Context(), plan.Config{Spec: spec, Store: store, Producer: artifacts.Producer{Name: "hone", Version: "test"}})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := made(smallSpec)
	for _, s := range p.Stages {
		if s.State != plan.Done || s.Stored != 0 {
			t.Errorf("%s: %s, %d bytes, want done", s.Name, s.State, s.Stored)
		}
	}
	var said struct{ Records, Overlong int } // of the teacher that was trained
	m, err := artifacts.GetManifest(t.Context(), store, run.Stages[4].Digest)
	if err == nil {
		err = json.Unmarshal(m.Summary, &said)
	}
	if got := p.Stages[4].Training; err != nil || got == nil || got.Records != said.Records || got.Overlong != said.Overlong || got.Steps != 4 {
		t.Errorf("the plan of %s has %+v, the training had %+v, %v", run.Stages[4].Name, got, said, err)
	}
	if p.Records.Source != plan.Dataset || p.Records.Train < said.Records {
		t.Errorf("records %+v, want the stored dataset's", p.Records)
	}
	if !strings.Contains(p.Memory[0].Batch, "8 records") || !strings.Contains(p.Memory[0].Batch, "the longest records") {
		t.Errorf("memory %+v", p.Memory[0])
	}
	states := map[string]plan.State{}
	for _, s := range made(strings.Replace(smallSpec, "student: {steps: 2", "student: {steps: 3", 1) + "seeds: [1, 2]\n").Stages {
		states[s.Name] = s.State
	}
	for name, want := range map[string]plan.State{
		"hints": plan.Done, "teacher/seed-1": plan.Done, "teacher/seed-2": plan.ToDo, "student/seed-1": plan.ToDo,
		"evaluation/unseen/teacher/seed-1": plan.Done, "evaluation/unseen/student/seed-1": plan.ToDo, "report": plan.ToDo,
	} {
		if states[name] != want {
			t.Errorf("%s is %q, want %q", name, states[name], want)
		}
	}
}
