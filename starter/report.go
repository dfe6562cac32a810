package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage/retention"
)

func (a *app) reportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "report RUN",
		Short: "Print a run's report",
		Long: `report prints the table of a run's evaluation. Of a run that learns from rewards and has no evaluation, it prints what the
policies won of the validation panel, step by step, with 95 % intervals (Wilson), and in a shop the mean score beside it.`,
		Args: runArg(1, "a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.printReport(cmd.Context(), args[0])
		},
	}
}

// errNoReport is of a run that has not come to its report, or asks for none.
var errNoReport = errors.New("no report")

func (a *app) printReport(ctx context.Context, run string) error {
	store, err := a.Store(ctx)
	if err != nil {
		return err
	}
	return a.writeReport(ctx, store, run)
}

func (a *app) writeReport(ctx context.Context, store artifacts.Store, run string) error {
	d, err := store.Resolve(ctx, activities.RunName(run, "report"))
	if errors.Is(err, artifacts.ErrNotFound) {
		if there, err := a.printTrainings(ctx, store, run); there || err != nil {
			return err
		}
		if err := retention.Gone(ctx, store, run); err != nil {
			return usage(err)
		}
		return usage(fmt.Errorf("run %s has %w here yet: hone list shows the runs and their stages", run, errNoReport))
	}
	if err != nil {
		return fmt.Errorf("report of run %s: %w", run, err)
	}
	m, err := artifacts.GetManifest(ctx, store, d)
	if err != nil {
		return fmt.Errorf("report of run %s: %w", run, err)
	}
	want := activities.ReportFile
	if a.json {
		want = activities.ReportJSONFile
	}
	for _, out := range m.Outputs {
		if out.Name != want {
			continue
		}
		raw, err := artifacts.ReadAll(ctx, store, out.Digest, out.Size)
		if err != nil {
			return fmt.Errorf("report of run %s: %w", run, err)
		}
		fmt.Println(string(raw))
	}
	return nil
}
