package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/folder"
	"github.com/hone-rl/hone/internal/regular"
	"github.com/hone-rl/hone/internal/scratch"
	"github.com/hone-rl/hone/tokenizer"
)

func (a *app) newModelCommand() *cobra.Command {
	var tokens string
	var seed uint64
	cmd := &cobra.Command{
		Use:   "new CONFIG.json",
		Short: "Store a model of a configuration with random weights",
		Long: `new makes a model of any configuration (a Hugging Face config.json of an architecture that there is) and stores it.
The same configuration, seed and tokenizer give the same digest. Weights are fp32: normal with the configuration's
initializer_range, norms 1, biases 0.

Without --tokenizer the model reads bytes: 256 tokens and <|endoftext|>. Nothing is trained.`,
		Example: `  hone model new config.json --seed 7 --tokenizer ./Qwen2.5-0.5B`,
		Args:    exactly(1, "a config.json"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			text, err := checkpoint.ReadText(args[0])
			if err != nil {
				return usage(err)
			}
			described, err := checkpoint.Parse(text)
			if err != nil {
				return usage(fmt.Errorf("%s: %w", args[0], err))
			}
			store, err := a.Store(ctx)
			if err != nil {
				return err
			}
			m, err := newModel(ctx, store, filepath.Join(a.DataDir(), "new"), tokens, seed, func(dir string) error {
				if err := room(dir, 4*checkpoint.Parameters(described)*int64(a.copies()), a.copies()); err != nil {
					return err
				}
				return handOver(cmd, "hone-worker", "model", "new", args[0], dir, "--seed", strconv.FormatUint(seed, 10))
			})
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(m)
			}
			fmt.Println(m)
			return nil
		},
	}
	cmd.Flags().StringVar(&tokens, "tokenizer", "", "a `folder` with the tokenizer's files")
	cmd.Flags().Uint64Var(&seed, "seed", 0, "of the weights")
	return cmd
}

// newModel has weights made in a folder below parent, adds the tokenizer and stores the whole.
func newModel(ctx context.Context, store artifacts.Store, parent, tokens string, seed uint64, weights func(dir string) error) (m *storedModel, err error) {
	dir, release, err := scratch.Take(parent, "model-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if tokens != "" { // the cheap part first
		err = copyTokenizer(tokens, dir)
	} else {
		err = byteTokenizer(dir)
	}
	if err != nil {
		return nil, err
	}
	if err := weights(dir); err != nil {
		return nil, err
	}
	f, err := folder.Open(dir)
	if err != nil {
		return nil, usage(err)
	}
	if m, err = storeModel(ctx, store, f); err != nil {
		return nil, err
	}
	return m, activities.RecordSource(ctx, store, activities.Source{Model: m.Digest, Kind: activities.SourceNew, Seed: &seed})
}

// copyTokenizer copies a tokenizer's files.
func copyTokenizer(from, to string) error {
	if _, err := tokenizer.Load(filepath.Join(from, folder.TokenizerName)); err != nil {
		return usage(fmt.Errorf("--tokenizer: %w", err))
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if folder.IsTokenizer(e.Name()) {
			if err := copyFile(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, size, err := regular.Open(from, folder.MaxBeside)
	if err != nil {
		return usage(err)
	}
	defer func() { _ = in.Close() }() // only read from
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, size)) // however it grows meanwhile
	return errors.Join(err, out.Close())
}

// byteTokenizer writes a tokenizer without merges.
func byteTokenizer(dir string) error {
	special := []string{"<|endoftext|>"}
	t, err := tokenizer.Train(tokenizer.TrainConfig{Vocabulary: 256 + len(special), Split: tokenizer.SplitQwen2, Special: special},
		func(func(string) bool) {})
	if err != nil {
		return err
	}
	return t.Save(dir)
}
