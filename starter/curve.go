package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/picture"
	"github.com/hone-rl/hone/runs"
)

func (a *app) curveCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "curve RUN",
		Short: "Draw how a run learns, as a picture (SVG)",
		Long: fmt.Sprintf(`curve draws a run's reinforcement learning, finished or under way: the share of a step's episodes that were won, thin,
with its mean over the last %d steps; what the policy then played of the validation panel, with retrieval of skills and
without, each with its 95 %% interval (Wilson); and below it the size of the skill library, the skills' mean utility, the
KL divergence to the model that training began from, and the entropy.

Of a run under way, validations are counted from the panel's episodes, but for those of the newest step, which may be half
played. The picture follows from the run alone, byte for byte, and has colours for light and dark pages. --json prints
the numbers in its place.`, picture.MeanSteps),
		Example: `  hone curve skill1-1a2b3c4d5e -o skill1.svg
  hone curve skill1-1a2b3c4d5e/grpo/seed-2 > seed-2.svg`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := exactly(1, "a run")(cmd, args); err != nil {
				return err
			}
			return trainingArg(args[0])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if file == "" && !a.json && isatty.IsTerminal(os.Stdout.Fd()) {
				return usage(errors.New("expected -o FILE.svg, or standard output to be no terminal"))
			}
			store, err := a.Store(cmd.Context())
			if err != nil {
				return err
			}
			return a.drawCurve(cmd.Context(), store, args[0], file)
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "file to write (default: standard output)")
	return cmd
}

// drawnRun is what hone curve --json prints.
type drawnRun struct {
	Run      string `json:"run"` // with its stage
	Finished bool   `json:"finished"`
	*lineage.Learning
}

func (a *app) drawCurve(ctx context.Context, store artifacts.Store, ref, file string) error {
	name, training, err := runs.Training(ctx, store, ref)
	if err != nil {
		return refused(err)
	}
	learning, err := training.Learning(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	run := drawnRun{Run: strings.TrimSuffix(name, "/"+runs.GRPO), Finished: training.Outcome != "", Learning: learning}
	if a.json {
		return printJSON(run)
	}
	picture := picture.Learning(run.Run, run.Finished, learning).SVG()
	if file == "" {
		_, err := io.WriteString(os.Stdout, picture)
		return err
	}
	if err := os.WriteFile(file, []byte(picture), 0o644); err != nil {
		return usage(err)
	}
	fmt.Printf("%s: %s of %s\n", file, counted(len(learning.Steps), "step"), run.Run)
	return nil
}
