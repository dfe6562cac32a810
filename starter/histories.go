package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	enums "go.temporal.io/api/enums/v1"
	history "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/encoding/protojson"
)

// historiesCommand saves what Temporal recorded of a run: the files that replay tests read.
func (a *app) historiesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "histories RUN DIR",
		Short: "Save the Temporal histories of a run's workflows",
		Long: `histories writes the recorded history of the run's workflow and of those it started, as JSON that Temporal's
replayer reads: to look into what happened, or to test that changed workflow code still follows it.`,
		Args: runArg(2, "a run and a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			c, err := a.Dial(ctx, client.Options{Logger: quiet{}})
			if err != nil {
				return err
			}
			defer c.Close()
			if err := os.MkdirAll(args[1], 0o755); err != nil {
				return err
			}
			children, err := saveHistory(ctx, c, args[0], args[1])
			if err != nil {
				return err
			}
			for _, id := range children {
				if _, err := saveHistory(ctx, c, id, args[1]); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// saveHistory writes one workflow's history and returns the ids of those that it started.
func saveHistory(ctx context.Context, c client.Client, id, dir string) (children []string, err error) {
	h := &history.History{}
	events := c.GetWorkflowHistory(ctx, id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		e, err := events.Next()
		if err != nil {
			return nil, fmt.Errorf("history of %s: %w", id, err)
		}
		if started := e.GetStartChildWorkflowExecutionInitiatedEventAttributes(); started != nil {
			children = append(children, started.GetWorkflowId())
		}
		h.Events = append(h.Events, e)
	}
	raw, err := protojson.MarshalOptions{Indent: " "}.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("history of %s: %w", id, err)
	}
	file := filepath.Join(dir, strings.ReplaceAll(id, "/", "-")+".json")
	if err := os.WriteFile(file, raw, 0o644); err != nil {
		return nil, err
	}
	fmt.Printf("%s: %d events\n", file, len(h.Events))
	return children, nil
}
