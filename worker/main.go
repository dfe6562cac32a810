// Command hone-worker does the work of Hone's workflows: it is where stores, games, models and queues are joined.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command().ExecuteContext(ctx)
	stop()
	switch {
	case errors.Is(err, context.Canceled):
		os.Exit(130) // interrupted before its end, as a shell has it
	case err != nil:
		fmt.Fprintln(os.Stderr, "hone-worker:", err)
		var wrong usageError
		if errors.As(err, &wrong) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// usageError is one of arguments, of which nothing was begun.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// wanting is a check of arguments whose errors say where to read which are expected.
func wanting(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return misused(cmd, err)
		}
		return nil
	}
}

func misused(cmd *cobra.Command, err error) error {
	return usageError{fmt.Errorf("%w: see %s --help", err, cmd.CommandPath())}
}

func command() *cobra.Command {
	var cfg config
	cmd := &cobra.Command{
		Use:   "hone-worker",
		Short: "Do the work of Hone's workflows",
		Long: `hone-worker takes workflows and activities from Temporal and does them: it plays games, trains and evaluates
models. "hone up" starts one; start more on other machines with the addresses of the same Temporal and S3.

Exit codes: 0 all is well, 1 it failed, 2 wrong arguments.`,
		Args:          wanting(cobra.NoArgs),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return serve(cmd.Context(), cfg) },
	}
	f := cmd.Flags()
	cfg.Flags(f)
	f.StringVar(&cfg.pool, "pool", "", "do GPU work of the runs that were started with this pool, and of no others")
	f.StringSliceVar(&cfg.queues, "queues", []string{"cpu", "gpu"}, "what to take: cpu (workflows, games), gpu (models)")
	shared := cmd.PersistentFlags()
	shared.StringVar(&cfg.device, "device", "auto", "where models run: auto, cpu, cuda:0, …")
	shared.IntVar(&cfg.threads, "threads", 2, "threads of one operation; results are bit for bit the same only at the same number")
	f.IntVar(&cfg.parallel, "parallel", 2, "CPU activities at once")
	cmd.SetFlagErrorFunc(misused)
	cmd.AddCommand(checkCommand(&cfg), modelCommand(&cfg))
	return cmd
}
