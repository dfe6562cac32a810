package main

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/devserver/stackfile"
)

// downWait is longer than a stack takes, whose worker has 40 s.
const downWait = 90 * time.Second

func newDown() *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "Stop the stack and wait until it has stopped",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir := stackfile.Dir(cmd.Flag("data").Value.String())
			pid, err := dir.Holder()
			if err != nil {
				return err
			}
			if pid == 0 {
				fmt.Fprintln(cmd.OutOrStdout(), "no stack is running")
				return nil
			}
			if err := syscall.Kill(pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
				return fmt.Errorf("stop process %d: %w", pid, err)
			}
			deadline := time.After(downWait)
			for {
				holder, err := dir.Holder()
				if err != nil {
					return err
				}
				if holder != pid {
					fmt.Fprintf(cmd.OutOrStdout(), "stopped (process %d)\n", pid)
					return nil
				}
				select {
				case <-cmd.Context().Done():
					return cmd.Context().Err()
				case <-deadline:
					return fmt.Errorf("process %d has not stopped after %s; its log: %s", pid, downWait, dir.StackLog())
				case <-time.After(50 * time.Millisecond):
				}
			}
		},
	}
}
