package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/hub"
)

func (a *app) pullModelCommand() *cobra.Command {
	var endpoint, tokenFile string
	var stall time.Duration
	cmd := &cobra.Command{
		Use:   "pull ORG/NAME[@REVISION]",
		Short: "Store a model from a Hugging Face style hub that specs name by its digest",
		Long: `pull stores a model of a hub. REVISION is a branch, a tag or a commit; it is resolved to the commit first, and the commit
is what is fetched and recorded. Without one it is main. The files are those that import would take, weights as
safetensors alone: pickle files are never fetched.

Each file is checked against the checksum that the commit has of it. What a connection drops is gone on with; a pull
that was killed goes on with what lies in the data folder (hub/ORG/NAME/COMMIT) when the same is pulled again. The
folder is removed when the model is stored. A revision that is stored already is not fetched again.

A model that is gated or private needs a token, from $HF_TOKEN or --token-file. It is sent to the endpoint and to no
other host. A hub that asks to wait is waited for, up to 10 minutes at a time.

Exit codes: 0 it is stored; 1 it could not be fetched or stored; 2 wrong arguments, or the model is of no architecture
that there is.`,
		Example: `  hone model pull Qwen/Qwen2.5-0.5B@060db6499f32faf8b98477b0a26969ef7d8b9987
  HF_ENDPOINT=https://mirror.example hone model pull Qwen/Qwen2.5-0.5B@main`,
		Args: exactly(1, "a model such as Qwen/Qwen2.5-0.5B@main"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			repo, revision, err := hub.ParseRepository(args[0])
			if err != nil {
				return usage(err)
			}
			token, err := readToken(tokenFile)
			if err != nil {
				return usage(err)
			}
			client, err := hub.New(hub.Config{
				Endpoint: cmp.Or(endpoint, os.Getenv("HF_ENDPOINT")), Token: token, Stall: stall,
				Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
			})
			if err != nil {
				return usage(err)
			}
			store, err := a.Store(ctx)
			if err != nil {
				return err
			}
			p := &puller{hub: client, store: store, cache: filepath.Join(a.DataDir(), "hub"), copies: a.copies()}
			done, err := p.pull(ctx, repo, revision)
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(done)
			}
			fmt.Println(done)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&endpoint, "endpoint", "", "the hub's `URL` (default $HF_ENDPOINT, else "+hub.DefaultEndpoint+")")
	flags.StringVar(&tokenFile, "token-file", "", "a `file` with the hub's token (default $HF_TOKEN)")
	flags.DurationVar(&stall, "stall", time.Minute, "how long a connection may bring nothing")
	return cmd
}

// readToken is the token in a file or, without one, in the environment; "" for none.
func readToken(path string) (string, error) {
	if path == "" {
		return strings.TrimSpace(os.Getenv("HF_TOKEN")), nil
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	const most = 4096
	raw, err := io.ReadAll(io.LimitReader(file, most+1))
	if err := errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(raw))
	if token == "" || len(raw) > most {
		return "", fmt.Errorf("--token-file %s: expected a token and no more", path)
	}
	return token, nil
}
