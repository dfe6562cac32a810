package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage"
)

func (a *app) lineageCommand() *cobra.Command {
	var forward bool
	cmd := &cobra.Command{
		Use:   "lineage RUN | RUN/STAGE | DIGEST",
		Short: "Show what an artifact was made from, or what was made from it",
		Long: `lineage draws what an artifact was made from as a tree, back to the games and models that it began with.

With --forward it draws what was made from the artifact: all that a name in the store leads to and that comes to the artifact by
its inputs, with what runs call it. For that it reads every manifest in the store; those that cannot be read are named below
the tree.

Each artifact stands there once in full. Of a chain of more than four updates or skill libraries the first three and the last are drawn;
--json has all of them.`,
		Example: `  hone lineage demo-1a2b3c4d5e                  the whole run
  hone lineage demo-1a2b3c4d5e/report           the numbers, and what each was counted from
  hone lineage 9f86d081                         an artifact by the start of its digest
  hone lineage demo-1a2b3c4d5e/hints --forward  what was made from this dataset, in all runs`,
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
			read := lineage.Trace
			if forward {
				read = lineage.Follow
			}
			g, err := read(ctx, store, d)
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
	cmd.Flags().BoolVar(&forward, "forward", false, "what was made from it, in place of what it was made from")
	return cmd
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
