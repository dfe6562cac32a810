package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage/retention"
)

func (a *app) gcCommand() *cobra.Command {
	var rules retention.Rules
	var remove, offline bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Remove runs by rules, and what no run leads to",
		Long: `gc removes what no kept run leads to. It only says what would go, and what would stay, unless --remove is given.

With none of --keep, --keep-last and --keep-within all runs stay but those of --drop, and what no name leads to goes: what killed
uploads left, and the parts that activities hand to one another. With one of them every finished run goes that none of them keeps.
A run that is not finished stays unless --drop names it; one that is going on, or of which a retry is, stays whatever is asked:
Temporal says which those are, unless --offline is given. Imported games, catalogues, banks and models stay always. Signatures go
with what they are of.

Nothing goes that is younger than --grace, by the store's own clock, nor a blob that was stored or used since a run began that is
not finished: runs may go on meanwhile. What a run comes to use between the look and the removal is spared; for that a removal waits
a minute between names and content. A removal that is interrupted leaves a store without fault, and the same command again has the
rest. A run that has gone leaves a notice, which hone list shows, and can be run again from its spec, to the same digests.`,
		Example: `  hone gc --keep-last 3                               say what would go
  hone gc --keep-last 3 --remove                      remove it
  hone gc --keep demo-1a2b3c4d5e --keep-within 720h   keep this one, and those of the last 30 days
  hone gc --drop demo-1a2b3c4d5e --remove             remove one run
  hone gc --remove                                    remove nothing but what no run leads to`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, run := range slices.Concat(rules.Keep, rules.Drop) {
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
			if !offline {
				var err error
				if rules.Going, err = a.going(cmd.Context()); err != nil {
					return fmt.Errorf("%w (--offline does not ask, where nothing is going on)", err)
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
	f.BoolVar(&offline, "offline", false, "do not ask Temporal which runs are going on: none is")
	f.BoolVar(&remove, "remove", false, "remove it; without, only say what would go")
	return cmd
}

// going are the runs that are going on at the server.
func (a *app) going(ctx context.Context) ([]string, error) {
	c, err := a.Dial(ctx, client.Options{Logger: quiet{}})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return runsGoing(ctx, c)
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
			return fmt.Errorf("removed %s and %s, then: %w (what is left is without fault; the same again has the rest)",
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

// writePlan writes what becomes of each run and why, and what goes and stays of each kind.
func writePlan(out io.Writer, p *retention.Plan) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if len(p.Runs) > 0 {
		fmt.Fprintln(w, "run\tstate\tlast written\twhy")
	}
	for _, run := range p.Runs {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", run.ID, run.State, run.Ended.UTC().Format(time.DateTime), run.Why)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(p.Runs) > 0 {
		fmt.Fprintln(out)
	}
	all := retention.Share{Kind: "all"}
	for _, share := range p.Stays {
		all.Count += share.Count
		all.Bytes += share.Bytes
	}
	goes, stays := byKind(p.Kinds), byKind(p.Stays)
	kinds := slices.Sorted(maps.Keys(goes))
	for kind := range stays {
		if _, both := goes[kind]; !both {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	goes[all.Kind], stays[all.Kind] = retention.Share{Count: p.Blobs, Bytes: p.Bytes}, all
	w.Init(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "kind\tgo\tbytes\tstay\tbytes\t")
	for _, kind := range append(kinds, all.Kind) {
		fmt.Fprintf(w, "%s\t%s\t%s\t\n", kind, cells(goes[kind]), cells(stays[kind]))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if p.Young.Count > 0 {
		fmt.Fprintf(out, "no name leads to %s (%s) of what stays: used at %s or later, by the store's clock\n",
			counted(p.Young.Count, "object"), size(p.Young.Bytes), p.Since.UTC().Format(time.DateTime))
	}
	if len(p.Names)+p.Blobs == 0 {
		_, err := fmt.Fprintln(out, "nothing goes")
		return err
	}
	_, err := fmt.Fprintf(out, "%s and %s go (%s)\n", counted(len(p.Names), "name"), counted(p.Blobs, "object"), size(p.Bytes))
	return err
}

func byKind(all []retention.Share) map[artifacts.Kind]retention.Share {
	by := map[artifacts.Kind]retention.Share{}
	for _, share := range all {
		by[share.Kind] = share
	}
	return by
}

// cells are a share in two columns, which are empty where there is none.
func cells(s retention.Share) string {
	if s.Count == 0 {
		return "\t"
	}
	return fmt.Sprintf("%d\t%s", s.Count, size(s.Bytes))
}
