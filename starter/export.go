package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/artifacts"
)

func (a *app) exportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "export RUN/STAGE|DIGEST DIR",
		Short: "Write an artifact's files as a folder",
		Long: `export writes the files of an artifact into a new folder: a model as Hugging Face's tools load it, an adapter as
peft loads it, a dataset as JSONL, a game list as folders of ALFWorld's game.tw-pddl files.

A model with the phrase tokenizer (the default of new models) is to be loaded with
transformers.PreTrainedTokenizerFast: AutoTokenizer gives every qwen2 model Qwen2's own cut, whatever its
tokenizer.json says.`,
		Example: `  hone export demo-1a2b3c4d5e/teacher ./teacher`,
		Args:    exactly(2, "an artifact and a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			store, err := a.Store(ctx)
			if err != nil {
				return err
			}
			d, m, err := artifactFor(ctx, store, args[0])
			if err != nil {
				return err
			}
			if len(m.Outputs) == 0 {
				return usage(fmt.Errorf("%s is a %s without files of its own: name a stage, such as %s/teacher", args[0], m.Kind, args[0]))
			}
			if _, err := os.Stat(args[1]); err == nil {
				return usage(fmt.Errorf("%s is there already: expected a folder to be made", args[1]))
			}
			parent := filepath.Dir(filepath.Clean(args[1]))
			if err := os.MkdirAll(parent, 0o755); err != nil {
				return err
			}
			temp, err := os.MkdirTemp(parent, ".export-")
			if err != nil {
				return err
			}
			defer func() { _ = os.RemoveAll(temp) }() // holds nothing once all went well
			dir, err := artifacts.Fetch(ctx, store, m, temp)
			if err != nil {
				return err
			}
			if err := os.Rename(dir, args[1]); err != nil {
				return err
			}
			fmt.Printf("%s %s: %d files in %s\n", m.Kind, d.Short(), len(m.Outputs), args[1])
			return nil
		},
	}
}
