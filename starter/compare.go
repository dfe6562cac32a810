package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage"
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

// compared is what hone compare --json prints.
type compared struct {
	Runs    []learntRun         `json:"runs"`
	More    *lineage.Difference `json:"more,omitempty"`     // of the first run's last policies than of the second's
	LeftOut []string            `json:"left_out,omitempty"` // games that one of the validations has no episode of
}

// learntRun is what a run has learnt.
type learntRun struct {
	Run    string             `json:"run"`
	Seeds  int                `json:"seeds"`
	Skills bool               `json:"skills"` // the panel was played with skills
	Step   int                `json:"step"`   // of the last policies
	Before float64            `json:"before"` // share won
	After  float64            `json:"after"`
	Gain   lineage.Difference `json:"gain"`
	Each   []float64          `json:"each"` // gain of each seed

	panel         artifacts.Digest
	before, after []lineage.Shares // of each seed
	last          lineage.Shares
}

func (a *app) compare(ctx context.Context, store artifacts.Store, runs []string) error {
	var c compared
	var all []lineage.Shares
	for _, run := range runs {
		one, err := learnt(ctx, store, strings.Split(run, ",")...)
		if err != nil {
			return err
		}
		if len(c.Runs) > 0 && one.panel != c.Runs[0].panel {
			return usage(fmt.Errorf("%s and %s cannot be compared: they have other panels (%s, %s), expected the same", runs[0], run, c.Runs[0].panel.Short(), one.panel.Short()))
		}
		c.Runs = append(c.Runs, *one)
		all = slices.Concat(all, one.before, one.after)
	}
	c.LeftOut = lineage.Common(all...)
	for i := range c.Runs {
		if err := c.Runs[i].count(); err != nil {
			return fmt.Errorf("run %s: %w", c.Runs[i].Run, err)
		}
	}
	if len(c.Runs) == 2 {
		more, err := lineage.Between(c.Runs[1].last, c.Runs[0].last)
		if err != nil {
			return fmt.Errorf("%s beside %s: %w", runs[0], runs[1], err)
		}
		c.More = &more
	}
	if a.json {
		return printJSON(c)
	}
	return c.write(os.Stdout)
}

// learnt reads what the trainings of runs, one for each seed, have come to.
func learnt(ctx context.Context, store artifacts.Store, runs ...string) (*learntRun, error) {
	one := &learntRun{Run: strings.Join(runs, ",")}
	for _, run := range runs {
		had := len(one.before)
		if err := one.add(ctx, store, run); err != nil {
			return nil, err
		}
		if len(one.before) == had {
			return nil, noTraining(ctx, store, run)
		}
	}
	one.Seeds = len(one.before)
	return one, nil
}

// count takes the seeds together.
func (one *learntRun) count() error {
	for i := range one.before {
		one.Each = append(one.Each, one.after[i].Mean()-one.before[i].Mean())
	}
	first, err := lineage.Together(one.before...)
	if err == nil {
		one.last, err = lineage.Together(one.after...)
	}
	if err == nil {
		one.Gain, err = lineage.Between(first, one.last)
	}
	one.Before, one.After = first.Mean(), one.last.Mean()
	return err
}

// add reads the trainings of a run. All must have come as far, and have played with skills or all without.
func (one *learntRun) add(ctx context.Context, store artifacts.Store, run string) error {
	stages, err := grpoStages(ctx, store, run)
	if err != nil {
		return err
	}
	for _, s := range stages {
		if s.outcome == "" {
			return usage(fmt.Errorf("run %s: %s has not come to its end", run, s.name))
		}
		training, err := lineage.OpenOutcome(ctx, store, s.outcome)
		if err != nil {
			return err
		}
		skills := training.Library != ""
		first, err := training.Validation(ctx, 0, skills)
		if err != nil {
			return fmt.Errorf("%s of run %s: %w", s.name, run, err)
		}
		last, err := training.Validation(ctx, -1, skills)
		if err != nil {
			return fmt.Errorf("%s of run %s: %w", s.name, run, err)
		}
		if len(one.before) > 0 && (last.Step != one.Step || skills != one.Skills) {
			return usage(fmt.Errorf("%s of run %s ends after step %d, with skills: %v; the one before after step %d, %v: expected the same", s.name, run, last.Step, skills, one.Step, one.Skills))
		}
		if len(one.before) > 0 && last.Panel != one.panel {
			return usage(fmt.Errorf("%s of run %s has another panel (%s) than the one before (%s): expected the same", s.name, run, last.Panel.Short(), one.panel.Short()))
		}
		one.Step, one.Skills, one.panel = last.Step, skills, last.Panel
		one.before, one.after = append(one.before, first.Shares), append(one.after, last.Shares)
	}
	return nil
}

func (c compared) write(out io.Writer) error {
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
