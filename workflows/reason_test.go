package workflows_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/workflows"
)

// TestReason: what a run failed for is told once, in the words of the activity, whatever it came through; of several
// seeds each once.
func TestReason(t *testing.T) {
	for more, want := range map[string]string{
		"":                "teacher: loss is NaN",
		"seeds: [3]\n":    "teacher/seed-3: loss is NaN",
		"seeds: [3, 4]\n": "teacher/seed-3: loss is NaN; teacher/seed-4: loss is NaN",
	} {
		env := failingTraining(t, goodSpec+more)
		err := env.GetWorkflowError()
		if got := workflows.Reason(err); got != want {
			t.Errorf("%q: got %q, want %q", more, got, want)
		}
		val, err := env.QueryWorkflow(workflows.QueryProgress)
		if err != nil {
			t.Fatal(err)
		}
		var p workflows.Progress
		if err := val.Get(&p); err != nil {
			t.Fatal(err)
		}
		failed := 0
		for _, s := range p.Stages {
			if s.State == workflows.Failed {
				failed++
				if s.Error != s.Name+": loss is NaN" {
					t.Errorf("%q: stage %s has %q", more, s.Name, s.Error)
				}
			}
		}
		if failed != strings.Count(want, "NaN") {
			t.Errorf("%q: %d stages failed: %+v", more, failed, p.Stages)
		}
	}
	if got := workflows.Reason(nil); got != "no reason was given" {
		t.Errorf("no error: got %q", got)
	}
}

// failingTraining is a run whose trainings fail for good, all stages before having been done.
func failingTraining(t *testing.T, text string) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	spec, env := pipelineOf(t, text)
	var do *activities.Activities
	env.OnActivity(do.Begin, anything, anything).Return(func(_ context.Context, in activities.StageInput) (*activities.Begun, error) {
		begun := &activities.Begun{Key: artifacts.Of([]byte("key"))}
		if !strings.HasPrefix(in.Name, "teacher") {
			begun.Found = artifacts.Of([]byte(in.Name))
		}
		return begun, nil
	})
	env.OnActivity(do.Finish, anything, anything).Return(nil)
	env.OnActivity(do.TrainSFT, anything, anything).Return(func(_ context.Context, in activities.TrainInput) (*activities.ModelResult, error) {
		cause := fmt.Errorf("%s: loss is NaN", in.Name)
		return nil, temporal.NewNonRetryableApplicationError(cause.Error(), activities.ErrTypeNumbers, cause)
	})
	env.ExecuteWorkflow(workflows.Pipeline, workflows.PipelineInput{Run: "r", Spec: *spec})
	return env
}
