package workflows_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/workflows"
)

// distilling goes through a distillation of three steps of two games, each an activity, workflow run by workflow run, and
// says what was asked for.
func distilling(t *testing.T, chain int, told ...workflows.Control) (calls []string, res workflows.StageResult) {
	t.Helper()
	w := &grpoWorld{}
	var do *activities.Activities
	d := workflows.DefaultDistilled()
	d.Steps, d.Tasks, d.Shard, d.Checkpoint, d.Chain = 3, 2, 1, 2, chain
	in := workflows.DistilledInput{
		Run: "r", Name: "distilled", Start: w.digest("start"), Teacher: w.digest("teacher"), Distilled: d,
		Games: workflows.FrozenPanel{Name: "train", Games: w.digest("games"), Count: 2},
	}
	seeds := map[uint64]bool{}
	for {
		var suite testsuite.WorkflowTestSuite
		suite.SetLogger(silent{})
		env := suite.NewTestWorkflowEnvironment()
		env.SetWorkerOptions(patient)
		env.SetTestTimeout(time.Minute)
		env.RegisterWorkflow(workflows.Distilled)
		w.register(env)
		env.OnActivity(do.PlayShard, anything, anything).Return(func(_ context.Context, in activities.PlayInput) (*activities.PlayResult, error) {
			w.call("play %v by %s", in.Tasks, w.name(in.Model))
			if in.WithHint || in.Decoding != agent.Drawn || in.Oracle != "" || in.Seed >= 1<<53 {
				t.Errorf("played as %+v", in.PlayParameters)
			}
			w.mu.Lock()
			seeds[in.Seed] = true
			w.mu.Unlock()
			return &activities.PlayResult{Trajectories: artifacts.Descriptor{Digest: w.digest(fmt.Sprint(in.Tasks))}}, nil
		})
		for _, one := range told {
			env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalControl, one) }, 0)
		}
		env.ExecuteWorkflow(workflows.Distilled, in)
		err := env.GetWorkflowError()
		var more *workflow.ContinueAsNewError
		if errors.As(err, &more) {
			in = workflows.DistilledInput{}
			if err := converter.GetDefaultDataConverter().FromPayloads(more.Input, &in); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := env.GetWorkflowResult(&res); err != nil {
			t.Fatal(err)
		}
		if steps := slices.DeleteFunc(slices.Clone(w.calls), func(c string) bool { return !strings.HasPrefix(c, "update") }); len(seeds) != len(steps) {
			t.Errorf("%d seeds of %d steps, want one each", len(seeds), len(steps))
		}
		return ordered(w.calls), res
	}
}

// Each step plays by the policy before it and updates that; the last policy is the best. A run of one workflow run for each
// step asks for the same.
func TestDistilled(t *testing.T) {
	got, res := distilling(t, 10)
	var want []string
	before := "start"
	for step := 1; step <= 3; step++ {
		tasks := workflows.Tasks(1, step, 2, 2)
		plays := []string{fmt.Sprintf("play [%d] by %s", tasks[0], before), fmt.Sprintf("play [%d] by %s", tasks[1], before)}
		slices.Sort(plays)
		want = append(append(want, plays...), fmt.Sprintf("update %s from start on [%d]+[%d], library - to -", before, tasks[0], tasks[1]))
		before = fmt.Sprintf("policy %d", step)
	}
	want = append(want, "publish policy 3, library -, best 3, stopped false")
	if slices.Sort(got); !slices.Equal(got, sorted(want)) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if again, _ := distilling(t, 1); !slices.Equal(sorted(again), got) {
		t.Errorf("one step a workflow run: got\n%s\nwant\n%s", strings.Join(again, "\n"), strings.Join(got, "\n"))
	}
	if res.Name != "distilled" || res.Stopped != 0 {
		t.Errorf("result %+v", res)
	}
}

func sorted(all []string) []string {
	all = slices.Clone(all)
	slices.Sort(all)
	return all
}

// Asked to stop in its first step, it keeps the policy of that, which has no checkpoint.
func TestDistilledStops(t *testing.T) {
	got, res := distilling(t, 10, workflows.Stop)
	if tail := got[len(got)-2:]; res.Stopped != 1 || !slices.Equal(tail, []string{"keep policy 1", "publish policy 1, library -, best 1, stopped true"}) {
		t.Errorf("result %+v after %q", res, tail)
	}
}

const distilledSpec = goodSpec + `stages: [teacher, student, distilled, evaluation]
distilled: {steps: 4, learn: {beta: 0}, optimiser: {rate: 1.0e-5}}
`

// The student is trained on by the teacher of the same seed, and played beside both.
func TestPipelineDistilled(t *testing.T) {
	spec, err := workflows.ParseSpec("a.yaml", []byte(distilledSpec+"seeds: [3]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if d := spec.Distilled; d.Steps != 4 || d.Tasks != 16 || d.Learn.Beta != 0 || d.Learn.Coefficient != 1 || d.Optimiser.Beta2 != 0.999 || d.Start != "student" {
		t.Errorf("parsed %+v", d)
	}
	var walked []string
	err = spec.Walk("", func(p workflows.Planned) (artifacts.Digest, error) {
		if p.Step == "distilled" {
			for role, want := range map[string]string{"model": "student/seed-3", "teacher": "teacher/seed-3", "games": "panels/train"} {
				if !slices.Contains(p.Stage.Inputs, artifacts.Input{Role: role, Digest: artifacts.Of([]byte(want))}) {
					t.Errorf("%s is not %s: %v", role, want, p.Stage.Inputs)
				}
			}
			if !p.Known {
				t.Error("all that it is made from is there")
			}
		}
		if p.Step == "distilled" || p.Model.Role == "distilled" {
			walked = append(walked, p.Name)
		}
		return artifacts.Of([]byte(p.Name)), nil
	})
	want := []string{"distilled/seed-3", "evaluation/unseen/distilled-hint/seed-3", "evaluation/unseen/distilled/seed-3"}
	if err != nil || !slices.Equal(walked, want) {
		t.Errorf("walked %q, %v, want %q", walked, err, want)
	}
}

func TestDistilledRefuses(t *testing.T) {
	for want, text := range map[string]string{
		"distilled: expected it, since stages has it":                   goodSpec + "stages: [teacher, student, distilled]\n",
		"distilled: expected teacher among stages, whom it learns from": goodSpec + "stages: [student, distilled]\ndistilled: {steps: 1}\n",
		"distilled.start student: expected it among stages":             goodSpec + "stages: [teacher, distilled]\ndistilled: {steps: 1}\n",
		"distilled.steps 0: expected 1 to 100000":                       goodSpec + "stages: [teacher, student, distilled]\ndistilled: {steps: 0}\n",
		"distilled.temperature 0: expected 0.0001 to 10000":             goodSpec + "stages: [teacher, student, distilled]\ndistilled: {temperature: 0}\n",
		"distilled.learn: distillation: grpo: distillation":             goodSpec + "stages: [teacher, student, distilled]\ndistilled: {learn: {coefficient: -1}}\n",
		"distilled.optimiser.steps 0: expected the optimiser's steps":   goodSpec + "stages: [teacher, student, distilled]\ndistilled: {optimiser: {floor: 0}}\n",
		"distilled: expected it among stages, or left out":              goodSpec + "distilled: {steps: 1}\n",
		`distilled.start "teacher": expected model or student`:          goodSpec + "stages: [teacher, student, distilled]\ndistilled: {start: teacher}\n",
		"distilled.seed: seeds take its place, expected one of the two": goodSpec + "seeds: [1]\nstages: [teacher, student, distilled]\ndistilled: {seed: 2}\n",
	} {
		_, err := workflows.ParseSpec("a.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}
