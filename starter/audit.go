package main

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/artifacts/signature"
	"github.com/hone-rl/hone/games"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/retention"
)

func (a *app) auditCommand() *cobra.Command {
	var all, onlyBytes, signed bool
	var publicKey string
	cmd := &cobra.Command{
		Use:   "audit RUN | --all",
		Short: "Check everything a run made, byte by byte and game by game",
		Long: `audit reads every object that the run leads to and compares it with its digest, checks the form of every name,
repeats the leak audit of every dataset, plays its records and every trajectory again and counts every report anew.

Of a training by rewards it plays every episode again, of its panels and of its updates, with the recorded answers in
place of the policy's: prompts token by token, the commands that the answers say, what the game says to them, outcomes,
orders of skills and lessons. It counts figures, rewards and advantages anew, and panels, the best step, the best rates of
games (best.json), and what skill libraries learnt from the episodes, and looks for episodes that ended and were left
out. Of a distillation it plays the trajectories again.

What needs a model is not checked: probabilities of tokens, KL, entropy, losses and gradients, which skills a query finds
(but their utilities), vectors of skills, and weights. Updates that no training's result names yet, since it is still
under way, are counted with --all and not played again.

With --all it does so for the whole store, and lists objects that no name leads to (a killed upload may leave some;
they harm nothing).

With --bytes it reads every object and compares digests, names and records, which finds every changed or lost byte, and
plays and counts nothing again: what a large store takes from time to time.

With --require-signature --public-key FILE it also looks for every manifest's signature by that key (hone sign), and finds each that has
none, or one that does not hold. Without it signatures are only compared with what they are of. It ends with exit code 3 if it finds anything wrong.`,
		Args: optional("a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) == 1) {
				return usage(errors.New("expected a run, or --all for the whole store"))
			}
			if !all && strings.HasPrefix(args[0], "sha256:") {
				return usage(fmt.Errorf("%s: expected a run; hone audit --all checks every artifact, models that no run made among them", args[0]))
			}
			if !all {
				if err := checkRun(args[0]); err != nil {
					return err
				}
			}
			key, err := requiredKey(signed, publicKey)
			if err != nil {
				return usage(err)
			}
			store, err := a.Store(cmd.Context())
			if err != nil {
				return err
			}
			auditor := &lineage.Auditor{
				Store: store, PublicKey: key, OpenGame: games.New(games.Config{Store: store}).Open, Tick: ticker(), Bytes: onlyBytes,
			}
			var res *lineage.Result
			if all {
				res, err = auditor.All(cmd.Context())
			} else {
				res, err = auditor.Run(cmd.Context(), args[0])
			}
			if errors.Is(err, lineage.ErrUnknown) || errors.Is(err, retention.ErrRemoved) {
				return usage(err)
			}
			if err != nil {
				return err
			}
			return a.printAudit(res, onlyBytes, key != nil)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "audit the whole store")
	cmd.Flags().BoolVar(&onlyBytes, "bytes", false, "compare bytes, names and records alone; play and count nothing again")
	cmd.Flags().BoolVar(&signed, "require-signature", false, "every manifest has to be signed with the --public-key")
	cmd.Flags().StringVar(&publicKey, "public-key", "", "public half of the key (PEM), as hone sign --new-key writes it")
	return cmd
}

// requiredKey is the key that every manifest has to be signed with, nil where that is not asked for.
func requiredKey(required bool, file string) (ed25519.PublicKey, error) {
	if required != (file != "") {
		return nil, errors.New("expected --require-signature and --public-key FILE together")
	}
	if !required {
		return nil, nil
	}
	return signature.ReadPublic(file)
}

// ticker shows on a terminal that something is being done.
func ticker() func(string) {
	if !isatty.IsTerminal(os.Stderr.Fd()) {
		return nil
	}
	n := 0
	return func(string) {
		if n++; n%200 == 0 {
			fmt.Fprintf(os.Stderr, "\r%d checks … ", n)
		}
	}
}

func (a *app) printAudit(res *lineage.Result, onlyBytes, signed bool) error {
	if a.json {
		if err := printJSON(res); err != nil {
			return err
		}
	} else {
		fmt.Printf("checked %d names, %d manifests and %d objects (%s)\n", res.Names, res.Manifests, res.Blobs, size(res.Bytes))
		if !onlyBytes {
			fmt.Printf("repeated the leak audit of %d records, the records of %d games, %d replays and the count of %d reports\n",
				res.Records, res.Played, res.Replays, res.Reports)
		}
		if signed {
			fmt.Printf("%d of %d manifests are signed with the key\n", res.Signed, res.Manifests)
		}
		if len(res.Orphans) > 0 {
			fmt.Printf("%d objects that no name leads to\n", len(res.Orphans))
		}
		for _, f := range res.Findings {
			fmt.Printf("WRONG  %s\n       %s\n", f.Where, f.Problem)
		}
	}
	if n := len(res.Findings); n > 0 {
		return coded{fmt.Errorf("the audit found %d things wrong", n), exitFound}
	}
	if !a.json {
		fmt.Println("all is well")
	}
	return nil
}
