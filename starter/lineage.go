package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage"
)

func (a *app) lineageCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "lineage RUN | RUN/STAGE | DIGEST",
		Short: "Show what an artifact was made from, back to the games",
		Example: `  hone lineage demo-1a2b3c4d5e                  the whole run
  hone lineage demo-1a2b3c4d5e/report           the numbers, and what each was counted from
  hone lineage 9f86d081                         an artifact by the start of its digest`,
		Args: artifactArg(1, "a run, RUN/STAGE or a digest"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			store, err := a.Store(ctx)
			if err != nil {
				return err
			}
			d, err := lineage.Find(ctx, store, args[0])
			if err != nil {
				return usage(err)
			}
			g, err := lineage.Trace(ctx, store, d)
			if err != nil {
				return fmt.Errorf("lineage of %s: %w", args[0], err)
			}
			if a.json {
				return printJSON(g)
			}
			fmt.Print(g.Text())
			return nil
		},
	}
}

// artifactFor finds the manifest that a person names.
func artifactFor(ctx context.Context, store artifacts.Store, ref string) (artifacts.Digest, *artifacts.Manifest, error) {
	d, err := lineage.Find(ctx, store, ref)
	if err != nil {
		return "", nil, usage(err)
	}
	m, err := artifacts.GetManifest(ctx, store, d)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", ref, err)
	}
	return d, m, nil
}
