package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/gpu/fixtures"
	"github.com/hone-rl/hone/gpu/torch"
)

// checkCommand says whether libtorch and the device can be used, and whether they compute what they should, without
// any server.
func checkCommand(cfg *config) *cobra.Command {
	var words string
	var quiet bool
	cmd := &cobra.Command{
		Use:   "check [DIR]",
		Short: "Say what models would run on; compare models with references",
		Long: `check says what models would run on. With DIR it compares everything in that folder with the results of reference
programs that lie there: models (folders with config.json and reference.safetensors: logits, hidden states, decoding
through the cache, and in lora/ an adapter's logits, gradients and one training step), tokenizers (lines.jsonl) and
embeddings (reference.json). It prints a line for each comparison and for each part that is not there, and last how many
values were compared and the largest difference of each kind; with --quiet only what is not as it should be, and the
last line. Where a difference is beyond its tolerance, a number is not
finite, a folder has one half of what it needs, or there is nothing to compare, it fails.`,
		Args: wanting(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return checkFolder(cmd.Context(), cmd.OutOrStdout(), *cfg, args[0], words, quiet)
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
	cmd.Flags().StringVar(&words, "minilm", besideProgram(".minilm"), "folder of all-MiniLM-L6-v2, which make setup brings")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "print no comparison that is within its tolerance")
	return cmd
}

// besideProgram is a path in the folder above the program's: the repository's, for programs in bin.
func besideProgram(name string) string {
	program, err := os.Executable()
	if err != nil {
		return name
	}
	return filepath.Join(filepath.Dir(program), "..", name)
}

func checkFolder(ctx context.Context, out io.Writer, cfg config, dir, words string, quiet bool) (err error) {
	e, err := torch.New(torch.Config{Device: cfg.device, Threads: cfg.threads})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	var s summary
	failed := fixtures.Checker{Engine: e, MiniLM: words, Report: func(c fixtures.Comparison) {
		if !quiet || !c.OK() {
			fmt.Fprintln(out, c)
		}
		s.add(c)
	}, Absent: func(a fixtures.Absence) {
		if !quiet {
			fmt.Fprintln(out, a)
		}
		s.absent++
	}}.Folder(ctx, dir)
	fmt.Fprintln(out, s)
	return errors.Join(found(dir, "not finite", s.notFinite), found(dir, "beyond tolerance", s.beyond), failed)
}

func found(dir, wrong string, comparisons []string) error {
	if len(comparisons) == 0 {
		return nil
	}
	return fmt.Errorf("check %s: %d comparisons %s: %s", dir, len(comparisons), wrong, strings.Join(comparisons, ", "))
}

// summary is what all comparisons come to.
type summary struct {
	values  int
	kinds   []string // in the order they came
	largest map[string]float64
	// What is wrong, by name. Where numbers are not finite the note says which.
	notFinite, beyond []string
	absent            int // parts that there was nothing to compare of
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
	switch {
	case !c.Finite():
		s.notFinite = append(s.notFinite, fmt.Sprintf("%s: %s (%s)", c.Folder, c.Name, c.Note))
	case !c.OK():
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
	if s.absent > 0 {
		text += fmt.Sprintf("; parts not compared: %d", s.absent)
	}
	return text
}
