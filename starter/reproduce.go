package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/runs"
	"github.com/hone-rl/hone/version"
	"github.com/hone-rl/hone/workflows"
)

func (a *app) reproduceCommand() *cobra.Command {
	var stage, with string
	var pace workflows.Pace
	cmd := &cobra.Command{
		Use:   "reproduce RUN",
		Short: "Do a run's stages anew, and compare what they come to",
		Long: `reproduce runs the run's stored spec anew as a run of its own, RUN-again-N, which reuses nothing of what was done, and compares the
digests. With --stage it does one stage anew, with those below it and nothing else: its inputs are those of the run.

Where a digest differs it says how far the parts are from each other: weights tensor by tensor, figures and lines number by
number. Equal digests are promised on the same library, instruction set and number of threads; where a stage was done on
another class of device than before, that is said, and a difference is no fault. It ends with exit code 3 if a promise was broken.

The stages go on without hone, as any run; --with compares with a repetition that has been begun before.`,
		Example: `  hone reproduce demo-1a2b3c4d5e
  hone reproduce demo-1a2b3c4d5e --stage teacher
  hone reproduce demo-1a2b3c4d5e --with demo-1a2b3c4d5e-again-1`,
		Args: runArg(1, "a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			if with != "" {
				if stage != "" {
					return usage(errors.New("expected --stage or --with, not both"))
				}
				if err := checkRun(with); err != nil {
					return err
				}
			}
			store, err := a.Store(ctx)
			if err != nil {
				return err
			}
			if with == "" {
				in, err := repetition(ctx, store, args[0], stage)
				if err != nil {
					return err
				}
				pace.Again = in.Pace.Again
				in.Pace, with = pace, in.Run
				if err := a.startRun(ctx, *in, false); err != nil {
					return err
				}
			}
			all, err := lineage.Repetition(ctx, store, args[0], with)
			if errors.Is(err, lineage.ErrUnknown) {
				return usage(err)
			}
			if err != nil {
				return err
			}
			if a.json {
				err = printJSON(all)
			} else {
				err = writeRepetition(os.Stdout, all)
			}
			return errors.Join(err, broken(all))
		},
	}
	cmd.Flags().StringVar(&stage, "stage", "", "do this stage alone anew, such as hints, teacher, grpo/seed-2, report")
	cmd.Flags().StringVar(&with, "with", "", "compare with this repetition, and start nothing")
	cmd.Flags().StringVar(&pace.Pool, "pool", "", "let the devices of the workers with this --pool do the work (default those of workers without)")
	return cmd
}

// repetition is a run's pipeline once more, as the next run of its kind. A stage is "" for all.
func repetition(ctx context.Context, store artifacts.Store, run, stage string) (*workflows.PipelineInput, error) {
	spec, err := runs.Spec(ctx, store, run)
	if err != nil {
		return nil, usage(err)
	}
	made, err := runs.Producer(ctx, store, run)
	if err != nil {
		return nil, err
	}
	if made.Version != version.Hone {
		return nil, usage(fmt.Errorf("run %s was made by hone %s, this is %s: its digests are that version's alone", run, made.Version, version.Hone))
	}
	in := &workflows.PipelineInput{Spec: *spec}
	for n := 1; ; n++ {
		in.Run = fmt.Sprintf("%s-again-%d", run, n)
		names, err := store.Names(ctx, activities.RunName(in.Run, ""))
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			in.Pace.Again = workflows.Again{Word: in.Run, At: stage}
			break
		}
	}
	if stage == "" {
		return in, nil
	}
	var stages []string
	err = spec.Walk("", func(p workflows.Planned) (artifacts.Digest, error) {
		stages = append(stages, p.Name)
		if in.Pace.Has(p.Name) {
			in.Until = p.Step
		}
		return "", nil
	})
	if err != nil {
		return nil, err
	}
	if in.Until == "" {
		return nil, usage(fmt.Errorf("--stage %q: run %s has none of that name, expected one of %v", stage, run, slices.Compact(stages)))
	}
	return in, nil
}

// writeRepetition writes a row for each stage that was done anew, and what of it differs.
func writeRepetition(out io.Writer, all []lineage.Repeated) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	done, differ := 0, 0
	for _, r := range all {
		if r.Reused && r.Same || r.Stage == "run" {
			continue
		}
		done++
		if r.Same {
			fmt.Fprintf(w, "%s\tsame\t%s\n", r.Stage, r.Before.Short())
			continue
		}
		differ++
		fmt.Fprintf(w, "%s\tDIFFERS\t%s and %s\n", r.Stage, r.Before.Short(), r.Again.Short())
		if r.Classes[0] != r.Classes[1] {
			fmt.Fprintf(w, "\tequal digests are not promised here: done on %q before, on %q now\n", r.Classes[0], r.Classes[1])
		}
		for _, p := range r.Parted {
			text := p.How
			if p.Share != nil {
				text += fmt.Sprintf("; numbers apart by %.2g of their size", *p.Share)
			}
			fmt.Fprintf(w, "\t%s: %s\n", p.Part, text)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%s done anew, %d of them with the digest that it had\n", counted(done, "stage"), done-differ)
	return err
}

// broken is an error if a stage had to come to the digest that it had and did not.
func broken(all []lineage.Repeated) error {
	for _, r := range all {
		if !r.Same && r.Promised() && r.Stage != "run" {
			return coded{fmt.Errorf("stage %s does not come to the digest that it had", r.Stage), exitFound}
		}
	}
	return nil
}
