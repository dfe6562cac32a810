package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/internal/regular"
	"github.com/hone-rl/hone/skills"
	"github.com/hone-rl/hone/version"
)

func (a *app) importSkillsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Check a bank of skills from outside and store it for a training to begin with",
		Long: `import reads skills that others wrote and stores them as a bank. A spec takes it by the digest that import prints:
  grpo: {method: skillrl, bank: sha256:…}
The same skills give the same digest on every machine. A training begins its library with them, by its own rules; the
vectors by which they are found are made then, on a worker.

A name that ends with .json is read in SkillRL's layout: the lists general_skills and, by type, task_specific_skills, of
skill_id, title, principle and when_to_apply, and the list common_mistakes of mistake_id, description, why_it_happens and
how_to_avoid. A list may be left out, and so may ids and why_it_happens. Types are those of SkillRL's rule: pick_and_place,
look_at_obj_in_light, clean, heat, cool, examine.

A name that ends with .jsonl has an object a line: strategy, what to do; head, when, or task, a task's text; type, left
out of general skills; outcome, success, failure (of a mistake) or unknown.

Exit codes: 0 the bank is stored; 1 it could not be stored; 2 something in the file is not as expected: it is named with
line or field.`,
		Example: `  hone skill import experiments/banks/household.json
  hone skill import SkillRL/memory_data/alfworld/claude_style_skills.json`,
		Args: exactly(1, "a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := regular.Read(args[0], skills.MaxBank)
			if err != nil {
				return usage(err)
			}
			bank, err := skills.ReadBank(args[0], text)
			if err != nil {
				return usage(err)
			}
			store, err := a.Store(cmd.Context())
			if err != nil {
				return err
			}
			stored, err := importBank(cmd.Context(), store, bank)
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(stored)
			}
			return stored.print(os.Stdout)
		},
	}
}

// storedBank is a bank in the store.
type storedBank struct {
	Digest artifacts.Digest `json:"digest"`
	skills.Counts
}

func importBank(ctx context.Context, store artifacts.Store, bank skills.Bank) (*storedBank, error) {
	d, err := activities.StoreBank(ctx, store, artifacts.Producer{Name: "hone", Version: version.Import}, bank)
	return &storedBank{d, bank.Count()}, err
}

// print writes how many skills are of which kind, and the digest for the spec.
func (b *storedBank) print(w io.Writer) error {
	fmt.Fprintf(w, "%6d  general\n", b.General)
	for _, kind := range slices.Sorted(maps.Keys(b.Types)) {
		fmt.Fprintf(w, "%6d  %s\n", b.Types[kind], kind)
	}
	fmt.Fprintf(w, "%6d  mistakes\n", b.Mistakes)
	_, err := fmt.Fprintf(w, "%s stored: %s\n", counted(b.Skills, "skill"), b.Digest)
	return err
}
