package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/devserver/internal/stack"
	"github.com/hone-rl/hone/devserver/internal/temporal"
)

const workerName = "hone-worker"

func newUp() *cobra.Command {
	var (
		cfg        stack.Config
		foreground bool
		noWorker   bool
		attributes []string
	)
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start the stack, in the background unless told otherwise",
		Long: "Start Temporal, its web page, S3 and a worker over the data folder and return when they are ready. A stack that\n" +
			"runs already is left as it is. It may be killed at any time: the next start goes on where it was.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg.Data = cmd.Flag("data").Value.String()
			cfg.Ports.Fixed = map[string]bool{}
			for _, name := range []string{stack.FlagTemporal, stack.FlagUI, stack.FlagS3} {
				cfg.Ports.Fixed[name] = cmd.Flags().Changed(name)
			}
			var err error
			if cfg.SearchAttributes, err = temporal.ParseAttributes(attributes); err != nil {
				return err
			}
			switch {
			case noWorker:
				cfg.Worker = ""
			case cfg.Worker == "":
				if cfg.Worker, err = besides(workerName); err != nil {
					return err
				}
			}
			if !foreground {
				return background(cmd, cfg.Data)
			}
			// Temporal is silent at warn unless something is wrong.
			cfg.Level = new(slog.LevelVar)
			cfg.Level.Set(slog.LevelWarn)
			cfg.Logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: cfg.Level}))
			cfg.Out = func(format string, args ...any) {
				fmt.Fprintf(cmd.OutOrStdout(), format+"\n", args...)
			}
			return stack.Run(cmd.Context(), cfg)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&cfg.Ports.Temporal, stack.FlagTemporal, 7233, "port of Temporal; a free one when the default is in use")
	flags.IntVar(&cfg.Ports.UI, stack.FlagUI, 8233, "port of Temporal's web page; a free one when the default is in use")
	flags.IntVar(&cfg.Ports.S3, stack.FlagS3, 9000, "port of S3; a free one when the default is in use")
	flags.StringVar(&cfg.Worker, "worker", "", "worker program (default "+workerName+" beside this program)")
	flags.BoolVar(&noWorker, "no-worker", false, "run no worker")
	flags.StringArrayVar(&attributes, "search-attribute", nil, "NAME=TYPE to add to Temporal's search attributes; may be repeated")
	flags.BoolVar(&foreground, "foreground", false, "stay in the foreground until interrupted")
	cmd.MarkFlagsMutuallyExclusive("worker", "no-worker")
	return cmd
}

func besides(name string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("where is this program: %w", err)
	}
	self, err = filepath.EvalSymlinks(self)
	return filepath.Join(filepath.Dir(self), name), err
}
