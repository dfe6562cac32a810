package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/mock"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflow "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/mocks"

	"github.com/hone-rl/hone/workflows"
)

// controlled is a server with a run at those stages.
func controlled(t *testing.T, status enums.WorkflowExecutionStatus, stages ...workflows.StageProgress) *mocks.Client {
	t.Helper()
	c := mocks.NewClient(t)
	c.On("DescribeWorkflowExecution", mock.Anything, "r", "").Return(&workflowservice.DescribeWorkflowExecutionResponse{
		WorkflowExecutionInfo: &workflow.WorkflowExecutionInfo{Status: status},
	}, nil).Maybe()
	payloads, err := converter.GetDefaultDataConverter().ToPayloads(workflows.Progress{Stages: stages})
	if err != nil {
		t.Fatal(err)
	}
	c.On("QueryWorkflow", mock.Anything, "r", "", workflows.QueryProgress).Return(answered{func(to any) error {
		return converter.GetDefaultDataConverter().FromPayloads(payloads, to)
	}}, nil).Maybe()
	return c
}

type answered struct{ get func(any) error }

func (a answered) HasValue() bool   { return true }
func (a answered) Get(to any) error { return a.get(to) }

// Every training that runs is told, and no other stage.
func TestControl(t *testing.T) {
	c := controlled(t, enums.WORKFLOW_EXECUTION_STATUS_RUNNING,
		workflows.StageProgress{Name: "cold_start/seed-1", State: workflows.Done, Child: "r/cold_start/seed-1"},
		workflows.StageProgress{Name: "grpo/seed-1", State: workflows.Running, Child: "r/grpo/seed-1"},
		workflows.StageProgress{Name: "distilled", State: workflows.Running, Child: "r/distilled"},
		workflows.StageProgress{Name: "grpo/seed-2", State: workflows.Done, Child: "r/grpo/seed-2"},
		workflows.StageProgress{Name: "grpo/seed-3", State: workflows.Running, Child: "r/grpo/seed-3"},
	)
	for _, child := range []string{"r/distilled", "r/grpo/seed-1", "r/grpo/seed-3"} {
		c.On("SignalWorkflow", mock.Anything, child, "", workflows.SignalControl, workflows.Pause).Return(nil).Once()
	}
	if got, err := control(t.Context(), c, "r", workflows.Pause); err != nil || !slices.Equal(got, []string{"grpo/seed-1", "distilled", "grpo/seed-3"}) {
		t.Errorf("told %v, %v", got, err)
	}
}

func TestControlRefuses(t *testing.T) {
	gone := mocks.NewClient(t)
	gone.On("DescribeWorkflowExecution", mock.Anything, "r", "").Return(nil, serviceerror.NewNotFound("none"))
	for name, tt := range map[string]struct {
		c    *mocks.Client
		want string
	}{
		"no run":    {gone, "no run r is going on: hone list shows the runs"},
		"ended":     {controlled(t, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED), "no run r is going on"},
		"before it": {controlled(t, enums.WORKFLOW_EXECUTION_STATUS_RUNNING, workflows.StageProgress{Name: "hints", State: workflows.Running}, workflows.StageProgress{Name: "grpo", State: workflows.Waiting}), "run r has no training by steps (grpo, distilled) under way, it is at hints: hone watch r shows how it goes"},
	} {
		_, err := control(t.Context(), tt.c, "r", workflows.Stop)
		var c coded
		if !errors.As(err, &c) || c.code != exitUsage || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}

// What a training is at stands behind its count.
func TestPositionNote(t *testing.T) {
	s := workflows.StageProgress{Name: "grpo", State: workflows.Running, Note: "updating; step 3: 5 of 16 won"}
	if got := noted(s); got != "  updating; step 3: 5 of 16 won" {
		t.Errorf("got %q", got)
	}
}
