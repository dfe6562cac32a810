package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/runs"
)

func (a *app) compareCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "compare RUN[,RUN]... [OTHER[,OTHER]...]",
		Short: "Say what a run has learnt, and how much more than another",
		Long: `compare says how much more of the validation panel a run's last policies won than the model that it began from, and with OTHER
how much more than the last ones of that. Each game is compared with itself: its share of won episodes, averaged over the
run's seeds, so that how hard a game is cancels out. Runs of several seeds are taken together where commas stand between
them. The intervals are of 95 %, by Student's distribution over the games. With skills where the run has a library.

A game that somewhere lost all its episodes to the clock is left out everywhere, and named.

A run of grpo.steps 0 plays the panel alone: a control, such as a longer cold start, to compare with.`,
		Example: `  hone compare skill1-tiny-1a2b3c4d5e
  hone compare skill1-tiny-1a2b3c4d5e control-tiny-5e4d3c2b1a
  hone compare seed-1-1a2b3c4d5e,seed-2-2b3c4d5e6f`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usage(fmt.Errorf("expected one run, or two, got %d arguments", len(args)))
			}
			for _, arg := range args {
				seen := map[string]bool{}
				for run := range strings.SplitSeq(arg, ",") {
					if err := checkRun(run); err != nil {
						return err
					}
					if seen[run] {
						return usage(fmt.Errorf("%s: run %s stands twice, expected each once", arg, run))
					}
					seen[run] = true
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := a.Store(cmd.Context())
			if err != nil {
				return err
			}
			return a.compare(cmd.Context(), store, args)
		},
	}
}

func (a *app) compare(ctx context.Context, store artifacts.Store, refs []string) error {
	c, err := runs.Compare(ctx, store, refs...)
	if err != nil {
		return refused(err)
	}
	if a.json {
		return printJSON(c)
	}
	return writeComparison(os.Stdout, c)
}

func writeComparison(out io.Writer, c *runs.Comparison) error {
	for _, r := range c.Runs {
		with := "without skills"
		if r.Skills {
			with = "with skills"
		}
		if _, err := fmt.Fprintf(out, "%s: %d games, %s, %s\n  %.1f %% before, %.1f %% after step %d: %s\n",
			r.Run, r.Gain.Games, counted(r.Seeds, "seed"), with, 100*r.Before, 100*r.After, r.Step, points(r.Gain)); err != nil {
			return err
		}
		if r.Seeds == 1 {
			continue
		}
		var each strings.Builder
		for _, gain := range r.Each {
			fmt.Fprintf(&each, " %+.1f", 100*gain)
		}
		if _, err := fmt.Fprintf(out, "  by seed:%s\n", each.String()); err != nil {
			return err
		}
	}
	if len(c.LeftOut) > 0 {
		if _, err := fmt.Fprintf(out, "left out, since somewhere all episodes were lost: %s\n", strings.Join(c.LeftOut, ", ")); err != nil {
			return err
		}
	}
	if c.More == nil {
		return nil
	}
	_, err := fmt.Fprintf(out, "%s beside %s: %s\n", c.Runs[0].Run, c.Runs[1].Run, points(*c.More))
	return err
}

// points is a difference in percentage points.
func points(d lineage.Difference) string {
	return fmt.Sprintf("%+.1f points (%.1f to %.1f)", 100*d.Mean, 100*d.Low, 100*d.High)
}
