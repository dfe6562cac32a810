// Command hone starts, watches, retries and audits runs. It never links libtorch or the local stack's servers:
// what needs them it hands to hone-worker or hone-stack.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/stack"
	"github.com/hone-rl/hone/version"
)

// The exit codes of hone.
const (
	exitFailed = 1 // the command, or the run it waited for, failed
	exitUsage  = 2 // wrong arguments or a wrong spec: nothing was started
	exitFound  = 3 // an audit found something

	exitInterrupted = 130 // by Ctrl-C, as a shell has it
)

// coded is an error with an exit code of its own.
type coded struct {
	error
	code int
}

func (c coded) Unwrap() error { return c.error }

func usage(err error) error {
	if err == nil {
		return nil
	}
	return coded{err, exitUsage}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command().ExecuteContext(ctx)
	interrupted := ctx.Err() != nil
	stop()
	if err == nil {
		return
	}
	if errors.Is(err, context.Canceled) && interrupted {
		os.Exit(exitInterrupted)
	}
	fmt.Fprintln(os.Stderr, "hone:", err)
	code := exitFailed
	if strings.HasPrefix(err.Error(), "unknown command") {
		code = exitUsage
	}
	var c coded
	if errors.As(err, &c) {
		code = c.code
	}
	os.Exit(code)
}

// app is what all commands share.
type app struct {
	stack.Config
	json bool
}

func command() *cobra.Command {
	a := &app{}
	root := &cobra.Command{
		Use:   "hone",
		Short: "Durable, reproducible training of language-model agents that sharpen their own skills",
		Long: `hone runs the training of agents on text games as Temporal workflows whose steps can die anywhere and go on.
Everything a run makes is kept under its digest, with a manifest that says what it was made from.

Exit codes: 0 all is well, 1 it failed, 2 wrong arguments or a wrong spec, 3 an audit found something.`,
		Example: `  hone up                          start the local stack and a worker
  hone run experiments/demo.yaml   start a run and watch it
  hone retry RUN                   play only the games that were excluded
  hone audit RUN                   check everything a run made
  hone reproduce RUN               do it all anew, and compare the digests
  hone lineage RUN                 show what it was made from
  hone gc --keep-last 3            say what would go of old runs`,
		Version:       version.Hone,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	a.Flags(root.PersistentFlags())
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	root.AddCommand(
		a.upCommand(), a.downCommand(), a.statusCommand(), a.doctorCommand(),
		a.runCommand(), a.watchCommand(), a.cancelCommand(), a.retryCommand(), a.reproduceCommand(), a.listCommand(), a.reportCommand(),
		a.lineageCommand(), a.skillCommand(), a.curveCommand(), a.compareCommand(), a.auditCommand(), a.signCommand(), a.gcCommand(), a.gamesCommand(), a.webshopCommand(), a.modelCommand(), a.exportCommand(), a.historiesCommand(), docsCommand(root),
	)
	root.AddCommand(a.controlCommands()...)
	return root
}
