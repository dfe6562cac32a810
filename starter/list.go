package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage/retention"
)

// listedRun is a run in the store, or one that was removed from it.
type listedRun struct {
	Run      string     `json:"run"`
	Finished bool       `json:"finished"`
	Stages   []string   `json:"stages"`
	Removed  *time.Time `json:"removed,omitempty"` // when hone gc did so

	partial bool // some of it is still there
}

func (a *app) listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the runs in the store",
		Long: `list lists the runs that the store has, with the stages that they have come to, and those that hone gc has removed, with what
they had come to. One that hone gc was stopped at is said to be removed in part: the same hone gc again removes the rest.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := a.Store(cmd.Context())
			if err != nil {
				return err
			}
			return a.list(cmd.Context(), os.Stdout, store)
		},
	}
}

func (a *app) list(ctx context.Context, out io.Writer, store artifacts.Store) error {
	names, err := store.Names(ctx, "runs/")
	if err != nil {
		return err
	}
	runs := groupRuns(names)
	if runs, err = withRemoved(ctx, store, names, runs); err != nil {
		return err
	}
	if a.json {
		return printJSON(runs)
	}
	if len(runs) == 0 {
		_, err := fmt.Fprintln(out, "no runs yet: hone run SPEC starts one")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range runs {
		fmt.Fprintf(w, "%s\t%s\t%s\n", r.Run, r.state(), strings.Join(r.Stages, " "))
	}
	return w.Flush()
}

func (r listedRun) state() string {
	switch {
	case r.Removed != nil && r.partial:
		return "removed in part"
	case r.Removed != nil:
		return "removed " + r.Removed.UTC().Format(time.DateOnly)
	case r.Finished:
		return "finished"
	}
	return "not finished"
}

// withRemoved adds the runs that were removed, and notes at those that are there whether they are removed in part: without
// their spec, which is removed first.
func withRemoved(ctx context.Context, store artifacts.Store, names []string, runs []listedRun) ([]listedRun, error) {
	notices, err := store.Names(ctx, retention.NoticePrefix)
	if err != nil {
		return nil, err
	}
	for _, name := range notices {
		run := strings.TrimPrefix(name, retention.NoticePrefix)
		if slices.Contains(names, activities.RunName(run, "spec")) {
			continue // begun anew
		}
		n, err := retention.ReadNotice(ctx, store, name)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(runs, func(r listedRun) bool { return r.Run == run })
		if i < 0 {
			i = len(runs)
			runs = append(runs, listedRun{Run: run, Stages: []string{}})
		} else {
			runs[i].partial = true
		}
		runs[i].Removed = &n.Removed
		for _, stage := range n.Stages {
			runs[i].came(stage)
		}
	}
	slices.SortStableFunc(runs, func(a, b listedRun) int { return strings.Compare(a.Run, b.Run) })
	return runs, nil
}

// groupRuns sorts names runs/RUN/STAGE by run.
func groupRuns(names []string) []listedRun {
	runs := []listedRun{}
	for _, name := range names {
		run, stage, ok := strings.Cut(strings.TrimPrefix(name, "runs/"), "/")
		if !ok {
			continue
		}
		i := slices.IndexFunc(runs, func(r listedRun) bool { return r.Run == run })
		if i < 0 {
			i = len(runs)
			runs = append(runs, listedRun{Run: run, Stages: []string{}})
		}
		switch stage {
		case "run":
			runs[i].Finished = true
		case "spec":
		default:
			runs[i].came(stage)
		}
	}
	return runs
}

// came notes a stage, once for all that is below it.
func (r *listedRun) came(stage string) {
	if top, _, _ := strings.Cut(stage, "/"); !slices.Contains(r.Stages, top) {
		r.Stages = append(r.Stages, top)
	}
}
