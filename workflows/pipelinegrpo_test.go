package workflows_test

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"

	"go.temporal.io/sdk/workflow"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/workflows"
)

// chainWorld answers a pipeline whose stages have all been done but grpo's, which are trainings by the name.
type chainWorld struct {
	mu     sync.Mutex
	stages map[string]activities.Stage
	names  []string
	asked  []workflows.GRPOInput
}

func (w *chainWorld) run(t *testing.T, text string, train func(workflows.GRPOInput) (*workflows.StageResult, error)) workflows.PipelineResult {
	t.Helper()
	w.stages = map[string]activities.Stage{}
	spec, env := pipelineOf(t, text)
	var do *activities.Activities
	env.RegisterWorkflowWithOptions(func(_ workflow.Context, in workflows.GRPOInput) (*workflows.StageResult, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.asked = append(w.asked, in)
		return train(in)
	}, workflow.RegisterOptions{Name: "GRPO"})
	env.OnActivity(do.CloseRun, anything, anything).Return(&activities.ModelResult{Digest: artifacts.Of([]byte("run"))}, nil)
	env.OnActivity(do.Begin, anything, anything).Return(func(_ context.Context, in activities.StageInput) (*activities.Begun, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.names = append(w.names, in.Name)
		w.stages[in.Name] = in.Stage
		return &activities.Begun{Key: artifacts.Of([]byte("key")), Found: artifacts.Of([]byte(in.Name))}, nil
	})
	env.OnActivity(do.Finish, anything, anything).Return(nil)
	env.ExecuteWorkflow(workflows.Pipeline, workflows.PipelineInput{Run: "r", Spec: *spec})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	var res workflows.PipelineResult
	if err := env.GetWorkflowResult(&res); err != nil {
		t.Fatal(err)
	}
	return res
}

func trained(in workflows.GRPOInput) (*workflows.StageResult, error) {
	return &workflows.StageResult{Name: in.Name, Digest: artifacts.Of([]byte(in.Name))}, nil
}

// A run of cold start and GRPO has neither teacher nor student, and no report.
func TestPipelineChain(t *testing.T) {
	w := &chainWorld{}
	res := w.run(t, grpoSpec, trained)
	if want := []string{"games", "panels/unseen", "panels/train", "hints", "untrained", "cold_start"}; !slices.Equal(w.names, want) {
		t.Errorf("stages: got %v, want %v", w.names, want)
	}
	var all []string
	for _, s := range res.Stages {
		all = append(all, s.Name)
	}
	if want := append(slices.Clone(w.names), "grpo"); !slices.Equal(all, want) || res.Digest != artifacts.Of([]byte("run")) || res.Until != "" {
		t.Errorf("result: got %+v, want the stages %v", res, want)
	}
	in := w.asked[0]
	frozen := func(name, panel string) workflows.FrozenPanel {
		return workflows.FrozenPanel{Name: name, Games: artifacts.Of([]byte(panel)), Count: 6}
	}
	if in.Name != "grpo" || in.Start != artifacts.Of([]byte("cold_start")) || in.Games != frozen("train", "panels/train") || in.Panel != frozen("unseen", "panels/unseen") {
		t.Errorf("asked for %+v", in)
	}
	var panel activities.Panel
	if err := json.Unmarshal(w.stages["panels/train"].Parameters, &panel); err != nil || !slices.Equal(panel.Splits, []string{"train"}) {
		t.Errorf("games to learn from: %+v, %v", panel, err)
	}
	var cold activities.TrainParameters
	if err := json.Unmarshal(w.stages["cold_start"].Parameters, &cold); err != nil || cold.ColdStart == nil || cold.Prompt != "" ||
		cold.ColdStart.Prompts != "skill-turns/1" || cold.ColdStart.Skilled != 0.25 || !cold.ColdStart.Distil {
		t.Errorf("cold start: %+v, %v", cold, err)
	}
}

// Each seed has a training of its own, from a cold start of its own.
func TestPipelineChainSeeds(t *testing.T) {
	w := &chainWorld{}
	w.run(t, grpoSpec+"seeds: [3, 4]\n", trained)
	if len(w.asked) != 2 {
		t.Fatalf("%d trainings, want 2", len(w.asked))
	}
	for i, in := range w.asked {
		seed := uint64(3 + i)
		name := activities.SeedName(seed)
		if in.Name != "grpo/"+name || in.Start != artifacts.Of([]byte("cold_start/"+name)) || in.GRPO.Seed != seed || in.GRPO.Optimiser.Seed != seed {
			t.Errorf("asked for %s from %s, seeds %d and %d", in.Name, in.Start.Short(), in.GRPO.Seed, in.GRPO.Optimiser.Seed)
		}
	}
}

// A training that was stopped ends the run there; nothing after it is done, and the run is not closed.
func TestPipelineStopped(t *testing.T) {
	w := &chainWorld{}
	text := grpoSpec[:len(goodSpec)] + "stages: [student, cold_start, grpo, evaluation]\n" + grpoSpec[len(goodSpec+"stages: [cold_start, grpo]\n"):]
	res := w.run(t, text, func(in workflows.GRPOInput) (*workflows.StageResult, error) {
		return &workflows.StageResult{Name: in.Name, Digest: artifacts.Of(nil), Stopped: 2}, nil
	})
	if !res.Stopped || res.Until != "grpo" || res.Digest != "" || slices.Contains(w.names, "report") {
		t.Errorf("got %+v after %v", res, w.names)
	}
}

// A plan goes through the stages that a run goes through, with the same keys.
func TestWalkIsTheRun(t *testing.T) {
	w := &chainWorld{}
	w.run(t, grpoSpec, trained)
	spec, err := workflows.ParseSpec("a.yaml", []byte(grpoSpec))
	if err != nil {
		t.Fatal(err)
	}
	var walked []string
	err = spec.Walk("", func(p workflows.Planned) (artifacts.Digest, error) {
		walked = append(walked, p.Name)
		if run, ran := w.stages[p.Name]; ran {
			a, errA := run.Key(artifacts.Producer{})
			b, errB := p.Stage.Key(artifacts.Producer{})
			if a != b || errA != nil || errB != nil || !p.Known {
				t.Errorf("%s: planned as %s, known %t, and run as %s", p.Name, p.Stage.Parameters, p.Known, run.Parameters)
			}
		}
		return artifacts.Of([]byte(p.Name)), nil
	})
	if want := append(slices.Clone(w.names), "grpo"); err != nil || !slices.Equal(walked, want) {
		t.Errorf("walked %v, %v, want %v", walked, err, want)
	}
}
