package lineage_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/plan"
	"github.com/hone-rl/hone/workflows"
)

func parsed(t *testing.T, text string) *workflows.Spec {
	t.Helper()
	spec, err := workflows.ParseSpec("small.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// qwen2With is a Qwen2 without weights that has the tokenizer of a stored model.
func qwen2With(t *testing.T, store artifacts.Store, model artifacts.Digest) artifacts.Digest {
	t.Helper()
	m, err := artifacts.GetManifest(t.Context(), store, model)
	if err != nil {
		t.Fatal(err)
	}
	config, err := artifacts.PutBytes(t.Context(), store, "application/json", []byte(`{"model_type":"qwen2","hidden_size":8,"num_hidden_layers":1,`+
		`"num_attention_heads":2,"intermediate_size":8,"vocab_size":300,"max_position_embeddings":4096}`))
	if err != nil {
		t.Fatal(err)
	}
	with := artifacts.Manifest{Kind: artifacts.KindModel, Producer: m.Producer, Outputs: []artifacts.Output{{Name: "config.json", Descriptor: config}}}
	for _, out := range m.Outputs {
		if out.Name == "tokenizer.json" {
			with.Outputs = append(with.Outputs, out)
		}
	}
	d, err := artifacts.PutManifest(t.Context(), store, with)
	if err != nil {
		t.Fatal(err)
	}
	return d.Digest
}

// TestPlanOfRun: a plan with a store counts instead of estimating, and tells done stages from those to do.
func TestPlanOfRun(t *testing.T) {
	_, run := finished.get(t)
	store := finished.copy(t)
	made := func(text string) *plan.Plan {
		t.Helper()
		p, err := plan.Make(t.Context(), plan.Config{Spec: parsed(t, text), Store: store, Producer: artifacts.Producer{Name: "hone", Version: "test"}})
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
	// What is stored is counted though its own stage has not been gone through: a dataset and a base by digest.
	given := "name: given\ngames:\n  household: {seed: 3, train: 12, valid_unseen: 6}\nhints: {dataset: " + string(run.Stages[2].Digest) + "}\n" +
		"model: {base: " + string(qwen2With(t, store, run.Stages[3].Digest)) + "}\nevaluation: {panels: [{name: unseen, splits: [valid_unseen]}]}\n"
	if again := made(given + "teacher: {max_tokens: 4096}\nstudent: {max_tokens: 4096}\n"); again.Stages[3].State != plan.ToDo ||
		again.Stages[4].Training.Records != said.Records || !strings.Contains(again.Memory[0].Batch, "the longest records") {
		t.Errorf("the plan of stored parts has %+v, %+v, want %d records counted", again.Stages[4].Training, again.Memory[0], said.Records)
	}
	spec, err := workflows.ParseSpec("given.yaml", []byte(given+"teacher:\n  max_tokens: 20\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = plan.Make(t.Context(), plan.Config{Spec: spec, Store: store, Producer: artifacts.Producer{Name: "hone", Version: "test"}})
	if want := fmt.Sprintf("given.yaml:8: teacher.max_tokens 20: none of the %d records to train on is that short: the shortest has ", said.Records); err == nil ||
		!strings.HasPrefix(spec.Located(err).Error(), want) {
		t.Errorf("too short for any record: %v, want %q", spec.Located(err), want)
	}
	// From a sample of the run's own games the estimate is within a quarter of what is counted.
	sampled, err := plan.Make(t.Context(), plan.Config{
		Spec: parsed(t, smallSpec), Sample: 6, Producer: artifacts.Producer{Name: "hone", Version: "test"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if ratio := float64(sampled.Stages[4].Tokens) / float64(p.Stages[4].Tokens); ratio < 0.75 || ratio > 1.25 {
		t.Errorf("estimated %d tokens of %d", sampled.Stages[4].Tokens, p.Stages[4].Tokens)
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
