package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// listedRun is a run in the store.
type listedRun struct {
	Run      string   `json:"run"`
	Finished bool     `json:"finished"`
	Stages   []string `json:"stages"`
}

func (a *app) listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the runs in the store",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := a.Store(cmd.Context())
			if err != nil {
				return err
			}
			names, err := store.Names(cmd.Context(), "runs/")
			if err != nil {
				return err
			}
			runs := groupRuns(names)
			if a.json {
				return printJSON(runs)
			}
			if len(runs) == 0 {
				fmt.Println("no runs yet: hone run SPEC starts one")
				return nil
			}
			w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
			for _, r := range runs {
				state := "not finished"
				if r.Finished {
					state = "finished"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", r.Run, state, strings.Join(r.Stages, " "))
			}
			return w.Flush()
		},
	}
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
		switch top, _, _ := strings.Cut(stage, "/"); {
		case stage == "run":
			runs[i].Finished = true
		case stage == "spec" || slices.Contains(runs[i].Stages, top):
		default:
			runs[i].Stages = append(runs[i].Stages, top)
		}
	}
	return runs
}
