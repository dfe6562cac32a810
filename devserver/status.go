package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/devserver/stackfile"
)

// status is what status --json prints.
type status struct {
	State string           `json:"state"` // running, starting (or stopping), stopped
	PID   int              `json:"pid,omitempty"`
	Stack *stackfile.Stack `json:"stack,omitempty"` // while running
}

func newStatus() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say whether the stack is running, and where its parts are",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := readStatus(stackfile.Dir(cmd.Flag("data").Value.String()))
			if err != nil {
				return err
			}
			if asJSON {
				e := json.NewEncoder(cmd.OutOrStdout())
				e.SetIndent("", "  ")
				return e.Encode(s)
			}
			fmt.Fprintln(cmd.OutOrStdout(), s)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func readStatus(dir stackfile.Dir) (status, error) {
	s, err := dir.Read()
	if err == nil {
		return status{State: "running", PID: s.PID, Stack: s}, nil
	}
	if !errors.Is(err, stackfile.ErrNotRunning) {
		return status{}, err
	}
	pid, err := dir.Holder()
	if err != nil || pid == 0 {
		return status{State: "stopped"}, err
	}
	return status{State: "starting", PID: pid}, nil
}

func (s status) String() string {
	if s.Stack == nil {
		return s.State
	}
	text := fmt.Sprintf("running since %s (process %d)\n  data      %s\n  Temporal  %s (server %s)\n  web page  %s\n  S3        %s, bucket %s, keys in %s",
		s.Stack.Started.Local().Format("2006-01-02 15:04:05"), s.PID, s.Stack.Data, s.Stack.Temporal.Address, s.Stack.Versions.Temporal,
		s.Stack.UI.URL, s.Stack.S3.Endpoint, s.Stack.S3.Bucket, s.Stack.S3.CredentialsFile)
	if w := s.Stack.Worker; w != nil {
		text += fmt.Sprintf("\n  worker    process %d, restarted %d times, log %s", w.PID, w.Restarts, w.Log)
	}
	return text
}
