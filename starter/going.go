package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// runsGoing are the runs of which a workflow is going on: a run's own, a stage's, or a retry's (RUN/hints-2), whose run has
// been finished for long. They are sorted.
func runsGoing(ctx context.Context, c client.Client) ([]string, error) {
	var all []string
	for page := []byte(nil); ; {
		list, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: "ExecutionStatus = 'Running'", NextPageToken: page})
		if err != nil {
			return nil, fmt.Errorf("ask Temporal which runs are going on: %w", err)
		}
		for _, flow := range list.GetExecutions() {
			run, _, _ := strings.Cut(flow.GetExecution().GetWorkflowId(), "/")
			all = append(all, run)
		}
		if page = list.GetNextPageToken(); len(page) == 0 {
			slices.Sort(all)
			return slices.Compact(all), nil
		}
	}
}
