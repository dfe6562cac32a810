package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage/retention"
)

func (a *app) gcCommand() *cobra.Command {
	var rules retention.Rules
	var remove bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Remove runs by rules, and what no run leads to",
		Long: `gc removes what no kept run leads to. It only says what would go, unless --remove is given.

With none of --keep, --keep-last and --keep-within all runs stay but those of --drop, and what no name leads to goes: what killed
uploads left, and the parts that activities hand to one another. With one of them every finished run goes that none of them keeps.
A run that is not finished stays unless --drop names it; imported games, catalogues, banks and models stay always. Signatures go
with what they are of.

Nothing goes that is younger than --grace, by the store's own clock, nor a blob that was stored or used since a run began that is
not finished: runs may go on meanwhile. What a run comes to use between the look and the removal is spared. A removal that is
interrupted leaves a store without fault, and the next one has the rest. A run that has gone can be run again from its spec, to
the same digests.`,
		Example: `  hone gc --keep-last 3
  hone gc --keep demo-1a2b3c4d5e --keep-within 720h
  hone gc --drop demo-1a2b3c4d5e --remove`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, run := range append(append([]string{}, rules.Keep...), rules.Drop...) {
				if err := checkRun(run); err != nil {
					return err
				}
			}
			for _, flag := range []struct {
				name  string
				wrong bool
			}{{"keep-last", rules.Last <= 0}, {"keep-within", rules.Within <= 0}, {"grace", rules.Grace <= 0}} {
				if flag.wrong && cmd.Flags().Changed(flag.name) {
					return usage(fmt.Errorf("--%s %s: expected more than 0", flag.name, cmd.Flag(flag.name).Value))
				}
			}
			store, err := a.Store(cmd.Context())
			if err != nil {
				return err
			}
			return a.collect(cmd.Context(), os.Stdout, store, rules, remove)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&rules.Keep, "keep", nil, "keep this run (may be repeated)")
	f.IntVar(&rules.Last, "keep-last", 0, "keep the last so many finished runs of each spec's name")
	f.DurationVar(&rules.Within, "keep-within", 0, "keep the runs that ended in the last so long (720h)")
	f.StringArrayVar(&rules.Drop, "drop", nil, "remove this run, finished or not (may be repeated)")
	f.DurationVar(&rules.Grace, "grace", retention.DefaultGrace, "how old has to be what goes")
	f.BoolVar(&remove, "remove", false, "remove it; without, only say what would go")
	return cmd
}

// collected is what hone gc --json prints.
type collected struct {
	*retention.Plan
	Removed *retention.Removed `json:"removed,omitempty"` // with --remove
}

// settle is retention.Settle, which tests do not wait for.
var settle = retention.Settle

// collect plans by the rules and says what would go, or removes it.
func (a *app) collect(ctx context.Context, out io.Writer, store artifacts.Remover, rules retention.Rules, remove bool) error {
	plan, err := retention.Make(ctx, store, rules)
	if errors.Is(err, retention.ErrRules) {
		return usage(err)
	}
	if err != nil {
		return err
	}
	if !a.json {
		if err := writePlan(out, plan); err != nil {
			return err
		}
	}
	res := collected{Plan: plan}
	if remove {
		if res.Removed, err = plan.Do(ctx, settle, ticker()); err != nil {
			return fmt.Errorf("removed %s and %s, then: %w (what is left is without fault; the next hone gc has the rest)",
				counted(res.Removed.Names, "name"), counted(res.Removed.Blobs, "object"), err)
		}
	}
	switch {
	case a.json:
		return printJSON(res)
	case remove:
		fmt.Fprintf(out, "removed %s and %s\n", counted(res.Removed.Names, "name"), counted(res.Removed.Blobs, "object"))
		if n := res.Removed.Spared; n > 0 {
			fmt.Fprintf(out, "spared %s that came to be used meanwhile\n", counted(n, "object"))
		}
	case len(plan.Names)+plan.Blobs > 0:
		fmt.Fprintln(out, "nothing was removed: --remove does it")
	}
	return nil
}

// writePlan writes what becomes of each run and what goes of each kind.
func writePlan(out io.Writer, p *retention.Plan) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, run := range p.Runs {
		fmt.Fprintf(w, "%s\t%s\tlast written %s\n", run.ID, run.State, run.Ended.UTC().Format(time.DateTime))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(p.Names)+p.Blobs == 0 {
		_, err := fmt.Fprintln(out, "nothing goes")
		return err
	}
	if len(p.Runs) > 0 {
		fmt.Fprintln(out)
	}
	for _, share := range p.Kinds {
		fmt.Fprintf(w, "%s\t%d\t%s\t\n", share.Kind, share.Count, size(share.Bytes))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%s and %s go (%s)\n", counted(len(p.Names), "name"), counted(p.Blobs, "object"), size(p.Bytes))
	return err
}
