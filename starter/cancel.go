package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"
)

func (a *app) cancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cancel RUN",
		Short: "Stop a run",
		Long: `cancel stops a run that is going on, or a retry of one (RUN/hints-2). What its steps have finished stays, and so do
the checkpoints of a training that was stopped: hone run with the same spec goes on from there.`,
		Args: runArg(1, "a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Dial(cmd.Context(), client.Options{Logger: quiet{}})
			if err != nil {
				return err
			}
			defer c.Close()
			if err := going(cmd.Context(), c, args[0]); err != nil {
				return err
			}
			if err := c.CancelWorkflow(cmd.Context(), args[0], ""); err != nil {
				return fmt.Errorf("cancel run %s: %w", args[0], err)
			}
			fmt.Printf("run %s is being stopped; what is finished stays\n", args[0])
			return nil
		},
	}
}
