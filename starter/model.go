package main

import (
	"github.com/spf13/cobra"
)

func (a *app) modelCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "model COMMAND",
		Aliases: []string{"models"},
		Short:   "Pull, import, make and show models",
		Long: `model is about what a run builds on. A spec takes a stored model by its digest:
  model: {base: sha256:…}
The digest follows from the files alone: the same files are the same model, pulled, imported or made, on every machine.
docs/models.md says which files those are.`,
		Example: `  hone model pull Qwen/Qwen2.5-0.5B@main          from a hub, once
  hone model import ./checkpoint                  from a folder
  hone model new config.json --seed 7             with random weights
  hone model list
  hone model show sha256:…`,
	}
	cmd.RunE, cmd.DisableFlagsInUseLine = needsCommand, true
	cmd.AddCommand(a.pullModelCommand(), a.importModelCommand(), a.newModelCommand(), a.listModelsCommand(), a.showModelCommand())
	return cmd
}
