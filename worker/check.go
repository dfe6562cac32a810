package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/gpu/fixtures"
	"github.com/hone-rl/hone/gpu/torch"
)

// checkCommand says whether libtorch and the device can be used, and whether they compute what they should, without
// any server.
func checkCommand(cfg *config) *cobra.Command {
	return &cobra.Command{
		Use:   "check [DIR]",
		Short: "Say what models would run on; compare models with references",
		Long: `check says what models would run on. With DIR it compares everything in that folder with the results of a reference
program that lie beside it: models (folders with config.json and reference.safetensors: logits, hidden states, decoding
through the cache, and in lora/ an adapter's logits, gradients and one training step). It prints a line for each
comparison and last how many values were compared and the largest difference of each kind. Where a difference is
beyond its tolerance, or there is nothing to compare, it fails.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return checkFolder(cmd.Context(), cmd.OutOrStdout(), *cfg, args[0])
			}
			r, err := openRunner(*cfg)
			if err != nil {
				return err
			}
			info := r.Info()
			fmt.Fprintf(cmd.OutOrStdout(), "%s, %s on %s, %d threads (%s)\n", info.Library, info.Device, info.Name, info.Threads, info.Class)
			return nil
		},
	}
}

func checkFolder(ctx context.Context, out io.Writer, cfg config, dir string) (err error) {
	e, err := torch.New(torch.Config{Device: cfg.device, Threads: cfg.threads})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	var s summary
	failed := fixtures.Check(ctx, e, dir, func(c fixtures.Comparison) {
		fmt.Fprintln(out, c)
		s.add(c)
	})
	fmt.Fprintln(out, s)
	switch {
	case failed != nil:
		return failed
	case len(s.beyond) > 0:
		return fmt.Errorf("check %s: %d comparisons beyond tolerance: %s", dir, len(s.beyond), strings.Join(s.beyond, ", "))
	}
	return nil
}

// summary is what all comparisons come to.
type summary struct {
	values  int
	kinds   []string // in the order they came
	largest map[string]float64
	beyond  []string
}

func (s *summary) add(c fixtures.Comparison) {
	if s.largest == nil {
		s.largest = map[string]float64{}
	}
	if !slices.Contains(s.kinds, c.Kind) {
		s.kinds = append(s.kinds, c.Kind)
	}
	s.values += c.Count
	s.largest[c.Kind] = max(s.largest[c.Kind], c.Largest) // not a number if any is
	if !c.OK() {
		s.beyond = append(s.beyond, c.Folder+": "+c.Name)
	}
}

func (s summary) String() string {
	text := fmt.Sprintf("%d values compared", s.values)
	between := "; largest differences: "
	for _, kind := range s.kinds {
		text += fmt.Sprintf("%s%s %.2g", between, kind, s.largest[kind])
		between = ", "
	}
	return text
}
