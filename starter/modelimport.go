package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/checkpoint/folder"
)

func (a *app) importModelCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import DIR",
		Short: "Store a Hugging Face model folder that specs name by its digest",
		Long: `import stores a model's folder: config.json, the weights (model.safetensors, or an index with its shards), tokenizer,
chat template, generation config and licence. Other files at its top are left out and named, folders in it too. Links
are followed, as Hugging Face's cache has them. The same files give the same digest on every machine.

What does not fit together is refused before anything is stored: a configuration of no architecture that there is,
weights that are cut or lack a tensor that the index or the configuration wants, a tokenizer that cannot be read or has
more tokens than the model.

Exit codes: 0 it is stored; 1 it could not be stored; 2 the folder is not a whole model.`,
		Example: `  hone model import ./checkpoint
  hone model import ~/.cache/huggingface/hub/models--Qwen--Qwen2.5-0.5B/snapshots/060db6499f32faf8b98477b0a26969ef7d8b9987`,
		Args: exactly(1, "a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			f, err := folder.Open(args[0])
			if err != nil {
				return usage(err)
			}
			store, err := a.Store(ctx)
			if err != nil {
				return err
			}
			m, err := storeModel(ctx, store, f)
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(m)
			}
			fmt.Printf("%s%s\n", leftOut(f), m)
			return nil
		},
	}
}
