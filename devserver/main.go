// Hone-stack runs what Hone needs on one machine: Temporal with its web page, and S3, all on loopback and over one
// data folder. Point hone and hone-worker at real servers and it is not needed.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "hone-stack:", err)
		return 1
	}
	return 0
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "hone-stack",
		Short:         "Run Temporal, its web page, S3 and a worker on this machine",
		SilenceUsage:  true,
		SilenceErrors: true, // run prints them
	}
	root.PersistentFlags().String("data", "", "folder that holds all state (required)")
	if err := root.MarkPersistentFlagRequired("data"); err != nil {
		panic(err) // the flag is defined just above
	}
	root.AddCommand(newUp(), newDown(), newStatus())
	return root
}
