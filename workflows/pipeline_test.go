package workflows_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/workflows"
)

// patient takes no workflow for one that hangs because the machine is busy: a second, the default, is soon over there.
var patient = worker.Options{DeadlockDetectionTimeout: time.Minute}

// pipelineOf is a spec and an environment in which its run opens and has six games; what else it asks for is the test's.
func pipelineOf(t *testing.T, text string) (*workflows.Spec, *testsuite.TestWorkflowEnvironment) {
	t.Helper()
	spec, err := workflows.ParseSpec("tiny.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(silent{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(patient)
	env.SetTestTimeout(time.Minute)
	env.RegisterActivity(&activities.Activities{})
	env.RegisterWorkflow(workflows.HintGeneration)
	env.RegisterWorkflow(workflows.SFT)
	env.RegisterWorkflow(workflows.Evaluation)
	var do *activities.Activities
	env.OnActivity(do.OpenRun, anything, anything).Return(nil)
	env.OnActivity(do.CheckGames, anything, anything).Return(&activities.GamesResult{Games: 6}, nil)
	return spec, env
}

// stageWorld answers a pipeline's own activities: every stage has been done before.
type stageWorld struct{ begun, finished []string }

func (w *stageWorld) pipeline(t *testing.T, until string) (*workflows.PipelineResult, error) {
	t.Helper()
	spec, env := pipelineOf(t, goodSpec)
	var do *activities.Activities
	env.OnActivity(do.CloseRun, anything, anything).Return(&activities.ModelResult{Digest: artifacts.Of([]byte("run"))}, nil)
	env.OnActivity(do.Begin, anything, anything).Return(func(_ context.Context, in activities.StageInput) (*activities.Begun, error) {
		w.begun = append(w.begun, in.Name)
		return &activities.Begun{Key: artifacts.Of([]byte("key")), Found: artifacts.Of([]byte(in.Name))}, nil
	})
	env.OnActivity(do.Finish, anything, anything).Return(func(_ context.Context, in activities.Finished) error {
		if in.Key != artifacts.Of([]byte("key")) {
			t.Errorf("the record of %s has key %s, want the stage's", in.Name, in.Key)
		}
		w.finished = append(w.finished, in.Name)
		return nil
	})
	env.ExecuteWorkflow(workflows.Pipeline, workflows.PipelineInput{Run: "r", Spec: *spec, Until: until})
	if err := env.GetWorkflowError(); err != nil {
		return nil, err
	}
	var res workflows.PipelineResult
	return &res, env.GetWorkflowResult(&res)
}

// TestPipelineUntil: a pipeline stops after the step asked for, and says so.
func TestPipelineUntil(t *testing.T) {
	stages := []string{"games", "panels/unseen", "hints", "untrained", "teacher", "student"} // then the cells and the report
	for until, n := range map[string]int{"games": 1, "panels": 2, "hints": 3, "untrained": 4, "teacher": 5, "student": 6} {
		w := &stageWorld{}
		res, err := w.pipeline(t, until)
		if err != nil {
			t.Fatalf("until %s: %v", until, err)
		}
		if res.Until != until || res.Digest != "" || len(res.Stages) != n || !slices.Equal(w.begun, stages[:n]) {
			t.Errorf("until %s: began %v, got %+v, want the first %d of %v", until, w.begun, res, n, stages)
		}
	}
	for _, until := range []string{"", "report"} {
		w := &stageWorld{}
		res, err := w.pipeline(t, until)
		if err != nil {
			t.Fatalf("until %q: %v", until, err)
		}
		if res.Until != "" || res.Digest != artifacts.Of([]byte("run")) || len(w.finished) != 6+6+1 {
			t.Errorf("until %q: finished %v, got %+v, want the whole run", until, w.finished, res)
		}
	}
	_, err := (&stageWorld{}).pipeline(t, "lunch")
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || !app.NonRetryable() || !strings.Contains(err.Error(), `until "lunch": expected a step of this run: games, panels, hints`) {
		t.Errorf("until lunch: got %v, want a final error with the choice", err)
	}
}

// silent drops the test environment's log.
type silent struct{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}

// TestHintGenerationOutlastsTheStore: a store that is away for longer than a chunk's attempts costs time alone, and a
// final error ends the run at once.
func TestHintGenerationOutlastsTheStore(t *testing.T) {
	away := 12
	w := &hintWorld{games: 5, fault: func() error {
		if away--; away >= 0 {
			return errors.New("no space left in the store")
		}
		return nil
	}}
	w.run(t)
	if len(w.chunks) != 1 || w.chunks[0].Exclude != "" || away != -1 {
		t.Errorf("got chunks %+v after %d failures, want the one chunk played", w.chunks, 12-away)
	}
	tries := 0
	w = &hintWorld{games: 5, fault: func() error {
		tries++
		return temporal.NewNonRetryableApplicationError("blob is corrupt", activities.ErrTypeCorrupt, nil)
	}}
	if err := w.execute(t).GetWorkflowError(); err == nil || !strings.Contains(err.Error(), "blob is corrupt") || tries != 1 {
		t.Errorf("got %v after %d tries, want the final error at once", err, tries)
	}
}
