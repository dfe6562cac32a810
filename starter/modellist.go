package main

import (
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/artifacts"
)

func (a *app) listModelsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the models that were pulled, imported or made",
		Long: `list shows the models that specs can build on, with what their configuration and headers say. Models that runs trained
are listed by hone list, as stages of their runs.`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			store, err := a.Store(ctx)
			if err != nil {
				return err
			}
			names, err := store.Names(ctx, "models/")
			if err != nil {
				return err
			}
			all := []*shownModel{}
			for _, name := range names {
				d, err := store.Resolve(ctx, name)
				if err != nil {
					return err
				}
				m, err := artifacts.GetManifest(ctx, store, d)
				if err != nil {
					return err
				}
				shown, err := showModel(ctx, store, d, m)
				if err != nil { // such as one of an architecture that a later Hone has
					fmt.Fprintln(os.Stderr, "hone:", err)
					continue
				}
				all = append(all, shown)
			}
			if a.json {
				return printJSON(all)
			}
			if len(all) == 0 {
				fmt.Println("no models yet: hone model pull, import or new stores one")
				return nil
			}
			return printModels(all)
		},
	}
}

func printModels(all []*shownModel) error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, m := range all {
		var from []string
		for _, s := range m.Sources {
			from = append(from, s.String())
		}
		if len(from) == 0 {
			from = []string{"imported from a folder"}
		}
		fmt.Fprintf(table, "%s\t%s\t%s parameters\t%s\t%s\t%s\n", m.Digest, m.Figures.Architecture,
			humanize.Comma(m.Figures.Parameters), typesOf(m.Figures), size(m.Figures.Bytes), strings.Join(from, "; "))
	}
	return table.Flush()
}
