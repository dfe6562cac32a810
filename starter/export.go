package main

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/internal/inorder"
)

func (a *app) exportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "export RUN/STAGE|DIGEST DIR",
		Short: "Write an artifact's files as a folder",
		Long: `export writes the files of an artifact into a new folder: a model as Hugging Face's tools load it, an adapter as
peft loads it, a dataset as JSONL, a game list as the folders of game.tw-pddl and traj_data.json that ALFWorld's own
loader takes. A traj_data.json tells the task type of the list and what the game's goal says. A game file that is no
JSON has none, since that loader would end at it.

An adapter is loaded beside its base, which is exported on its own (the command names it):
PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(BASE), DIR).

A model with the phrase tokenizer (the default of new models) is to be loaded with
transformers.PreTrainedTokenizerFast: AutoTokenizer gives every qwen2 model Qwen2's own cut, whatever its
tokenizer.json says.`,
		Example: `  hone export demo-1a2b3c4d5e/teacher ./teacher`,
		Args:    artifactArg(2, "an artifact and a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			store, err := a.Store(ctx)
			if err != nil {
				return err
			}
			done, err := exportArtifact(ctx, store, args[0], args[1])
			if err != nil {
				return err
			}
			fmt.Println(done)
			return nil
		},
	}
}

// exportArtifact writes the files of an artifact into dir, which appears at once, whole, and says in a line what it
// wrote.
func exportArtifact(ctx context.Context, store artifacts.Store, ref, dir string) (string, error) {
	d, m, err := artifactFor(ctx, store, ref)
	if err != nil {
		return "", err
	}
	if len(m.Outputs) == 0 {
		return "", usage(fmt.Errorf("%s is a %s without files of its own: name a stage, such as %[1]s/teacher", ref, m.Kind))
	}
	if _, err := os.Stat(dir); err == nil {
		return "", usage(fmt.Errorf("%s is there already: expected a folder to be made", dir))
	}
	parent := filepath.Dir(filepath.Clean(dir))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	temp, err := os.MkdirTemp(parent, ".export-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(temp) }() // holds nothing once all went well
	fetched, err := artifacts.Fetch(ctx, store, m, temp)
	if err != nil {
		return "", err
	}
	files := len(m.Outputs)
	if m.Kind == artifacts.KindGames {
		list, err := activities.ReadGameList(ctx, store, d)
		if err != nil {
			return "", err
		}
		n, err := writeTrajs(ctx, fetched, list)
		if err != nil {
			return "", err
		}
		files += n
	}
	if err := os.Rename(fetched, dir); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s: %d files in %s%s", m.Kind, d.Short(), files, dir, standing(m)), nil
}

// standing says what an adapter is of no use without.
func standing(m *artifacts.Manifest) string {
	for _, in := range m.Inputs {
		if m.Kind == artifacts.KindAdapter && in.Role == "model" {
			return fmt.Sprintf("\nit stands beside model %s: hone export that too, and load the adapter by peft.PeftModel.from_pretrained(model, folder)", in.Digest)
		}
	}
	return ""
}

// writeTrajs writes a traj_data.json beside every game of a list in dir that is JSON, and returns how many.
func writeTrajs(ctx context.Context, dir string, list []activities.ListedGame) (int, error) {
	line := newProgressLine()
	defer line.end()
	type result struct {
		wrote bool
		err   error
	}
	var games iter.Seq2[activities.ListedGame, error] = func(yield func(activities.ListedGame, error) bool) {
		for _, g := range list {
			if !yield(g, nil) {
				return
			}
		}
	}
	done, n := 0, 0
	for r, err := range inorder.Map(runtime.GOMAXPROCS(0), until(ctx, games), func(g activities.ListedGame) result {
		wrote, err := writeTraj(dir, g)
		return result{wrote, err}
	}) {
		if err = cmp.Or(err, r.err); err != nil {
			return n, err
		}
		if r.wrote {
			n++
		}
		done++
		line.show("%d of %d games written", done, len(list))
	}
	return n, nil
}

func writeTraj(dir string, g activities.ListedGame) (bool, error) {
	if g.FileName() != activities.GameFileName { // a shop's
		return false, nil
	}
	folder := filepath.Join(dir, filepath.FromSlash(g.ID))
	data, err := os.ReadFile(filepath.Join(folder, activities.GameFileName))
	if err != nil {
		return false, err
	}
	traj, err := alfworld.TrajOf(g.ID, g.Family, data)
	if err != nil {
		return false, nil //nolint:nilerr // a file that is no JSON is for no loader
	}
	text, err := traj.Encode()
	if err != nil {
		return false, err
	}
	return true, os.WriteFile(filepath.Join(folder, alfworld.TrajName), text, 0o644)
}
