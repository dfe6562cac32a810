package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/artifacts/signature"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/retention"
)

func (a *app) signCommand() *cobra.Command {
	var key, newKey string
	cmd := &cobra.Command{
		Use:   "sign RUN --key FILE | --new-key FILE",
		Short: "Sign all manifests of a run",
		Long: `sign signs every manifest that the run leads to with an Ed25519 key: of its stages, and of all that they were made from. A signature is
a DSSE envelope of its own beside the manifest, so that no digest changes, and holds for the artifact wherever it is used. The
manifests are compared with their digests first; what the audit repeats beyond that is not, so audit a run before you sign it.
Signing again writes nothing.

--new-key makes a key: FILE is its private half (PKCS #8, PEM), which its owner alone can read, and FILE.pub its public half, with
which hone audit --require-signature checks.`,
		Example: `  hone sign --new-key hone.key
  hone sign demo-1a2b3c4d5e --key hone.key
  hone audit demo-1a2b3c4d5e --require-signature --public-key hone.key.pub`,
		Args: optional("a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case newKey != "" && (key != "" || len(args) > 0):
				return usage(errors.New("expected --new-key FILE alone, or RUN --key FILE"))
			case newKey != "":
				return a.newKey(newKey)
			case key == "" || len(args) == 0:
				return usage(errors.New("expected RUN --key FILE, or --new-key FILE"))
			}
			if err := checkRun(args[0]); err != nil {
				return err
			}
			private, err := signature.ReadPrivate(key)
			if err != nil {
				return usage(err)
			}
			store, err := a.Store(cmd.Context())
			if err != nil {
				return err
			}
			signed, err := lineage.Sign(cmd.Context(), store, args[0], private, ticker())
			if errors.Is(err, lineage.ErrUnknown) || errors.Is(err, retention.ErrRemoved) {
				return usage(err)
			}
			if errors.Is(err, lineage.ErrUnsound) {
				return coded{err, exitFound}
			}
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(signed)
			}
			fmt.Printf("%s: signed %s with key %s\n", args[0], counted(signed.Manifests, "manifest"), signed.Key.Short())
			return nil
		},
	}
	cmd.Flags().StringVar(&key, "key", "", "private key to sign with")
	cmd.Flags().StringVar(&newKey, "new-key", "", "make a key: its private half in this file, its public half in FILE.pub")
	return cmd
}

// madeKey is what hone sign --new-key --json prints.
type madeKey struct {
	Key     signature.KeyID `json:"key"`
	Private string          `json:"private"` // file
	Public  string          `json:"public"`  // file
}

func (a *app) newKey(file string) error {
	id, err := signature.NewKey(file)
	if err != nil {
		return usage(err)
	}
	if a.json {
		return printJSON(madeKey{id, file, signature.PublicFile(file)})
	}
	fmt.Printf("key %s: private %s, public %s\n", id.Short(), file, signature.PublicFile(file))
	return nil
}
