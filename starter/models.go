package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/version"
)

func (a *app) modelsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "models COMMAND",
		Short: "Import models",
	}
	cmd.RunE, cmd.DisableFlagsInUseLine = needsCommand, true
	cmd.AddCommand(a.importModelCommand())
	return cmd
}

func (a *app) importModelCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import DIR",
		Short: "Store a Hugging Face model folder that specs name by its digest",
		Long: `import stores every file of a Qwen2 model's folder (config.json, tokenizer.json, and model.safetensors or an index
with its shards) under its digest. The same folder gives the same digest on every machine. A spec takes the model as
  model: {base: sha256:…}
Whether its tensors are what its config says, a run finds out before it builds on the model.`,
		Args: exactly(1, "a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			if err := checkModelFolder(args[0]); err != nil {
				return usage(err)
			}
			store, err := a.Store(ctx)
			if err != nil {
				return err
			}
			d, m, err := importModel(ctx, store, args[0])
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(map[string]any{"digest": d, "files": len(m.Outputs)})
			}
			fmt.Printf("%d files stored: %s\n", len(m.Outputs), d)
			return nil
		},
	}
}

// checkModelFolder says what a model's folder lacks.
func checkModelFolder(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s: expected a folder with config.json, tokenizer.json and model.safetensors", dir)
	}
	if _, err := os.Stat(filepath.Join(dir, "adapter_config.json")); err == nil {
		return fmt.Errorf("%s is a PEFT adapter, expected a whole model", dir)
	}
	var missing []error
	for _, either := range [][]string{{"config.json"}, {"tokenizer.json"}, {"model.safetensors", "model.safetensors.index.json"}} {
		found := false
		for _, name := range either {
			_, err := os.Stat(filepath.Join(dir, name))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			found = found || err == nil
		}
		if !found {
			missing = append(missing, fmt.Errorf("%s: no %s, expected a Hugging Face model folder", dir, either[0]))
		}
	}
	return errors.Join(missing...)
}

// importModel stores the folder as a model that was made from nothing known here.
func importModel(ctx context.Context, store artifacts.Store, dir string) (artifacts.Digest, *artifacts.Manifest, error) {
	outputs, err := artifacts.PutFolder(ctx, store, dir)
	if err != nil {
		return "", nil, err
	}
	m := &artifacts.Manifest{
		SchemaVersion: 1, MediaType: artifacts.MediaTypeManifest, Kind: artifacts.KindModel,
		Producer: artifacts.Producer{Name: "hone", Version: version.Import}, Outputs: outputs,
	}
	d, err := artifacts.PutManifest(ctx, store, *m)
	if err != nil {
		return "", nil, err
	}
	return d.Digest, m, store.Name(ctx, activities.ModelName(d.Digest), d.Digest)
}
