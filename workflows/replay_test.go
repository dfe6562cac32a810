package workflows_test

import (
	"path/filepath"
	"testing"

	"go.temporal.io/sdk/worker"

	"github.com/hone-rl/hone/workflows"
)

// TestReplay runs the workflows over histories recorded from real runs: code that would decide otherwise than it
// once did fails with TMPRL1100. A change of behaviour adds a new history and a version; old ones stay.
// Recorded by: hone histories RUN workflows/testdata/histories/VERSION
func TestReplay(t *testing.T) {
	files, err := filepath.Glob("testdata/histories/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no histories: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			r := worker.NewWorkflowReplayer()
			r.RegisterWorkflow(workflows.Pipeline)
			r.RegisterWorkflow(workflows.HintGeneration)
			r.RegisterWorkflow(workflows.SFT)
			r.RegisterWorkflow(workflows.Evaluation)
			r.RegisterWorkflow(workflows.Distilled)
			r.RegisterWorkflow(workflows.GRPO)
			if err := r.ReplayWorkflowHistoryFromJSONFile(nil, file); err != nil {
				t.Errorf("replay %s: %v", file, err)
			}
		})
	}
}
