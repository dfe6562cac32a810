package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/internal/inorder"
)

// maxVariants is more than any room has things to ask for.
const maxVariants = 50

func (a *app) varyCommand() *cobra.Command {
	p := variationParameters{PerGame: 2, Seed: 1, Split: "train"}
	cmd := &cobra.Command{
		Use:   "vary RUN/STAGE|DIGEST",
		Short: "Add games to a list that ask for other things in the same rooms",
		Long: `vary stores a new list: the games of the given one and, of each of the split, up to --per-game more. In those
everything stands where it stood; the goal, of the same task type, asks for a thing of another type and names a
receptacle of a type that is drawn. Each is a game file of its own, has a straight plan that wins, and its id is the
first game's with the types exchanged and -v1, -v2, … behind it.

A small model learns by heart where the thing of a room lies, and does not see it elsewhere. With several goals in
a room only reading what is there helps: docs/results.md has what that brings.

The same list, number and seed give the same digest on every machine. The new list's manifest names the old one.`,
		Example: `  hone games vary sha256:… --per-game 3
  hone games vary demo-1a2b3c4d5e/games --split train`,
		Args: artifactArg(1, "a game list"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			if p.PerGame < 1 || p.PerGame > maxVariants {
				return usage(fmt.Errorf("--per-game %d: expected from 1 to %d", p.PerGame, maxVariants))
			}
			store, err := a.Store(ctx)
			if err != nil {
				return err
			}
			base, m, err := artifactFor(ctx, store, args[0])
			if err != nil {
				return err
			}
			if m.Kind != artifacts.KindGames {
				return usage(fmt.Errorf("%s is a %s, expected games", args[0], m.Kind))
			}
			res, err := varyGames(ctx, store, base, p)
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(res)
			}
			res.print()
			return nil
		},
	}
	cmd.Flags().IntVar(&p.PerGame, "per-game", p.PerGame, "`games` to make of one, at most")
	cmd.Flags().Uint64Var(&p.Seed, "seed", p.Seed, "`seed` of the draws")
	cmd.Flags().StringVar(&p.Split, "split", p.Split, "`split` whose games are varied")
	return cmd
}

// variationParameters are those of the new list's manifest.
type variationParameters struct {
	PerGame int    `json:"perGame"`
	Seed    uint64 `json:"seed"`
	Split   string `json:"split"`
}

// variation is what vary tells.
type variation struct {
	Digest  artifacts.Digest `json:"digest"`
	Of      int              `json:"of"`      // games of the split
	Made    int              `json:"made"`    // games added
	Without int              `json:"without"` // games of which none was made
	Games   int              `json:"games"`   // of the new list
}

func (v *variation) print() {
	fmt.Printf("%6d  of the split\n%6d  made of them\n", v.Of, v.Made)
	if v.Without > 0 {
		fmt.Printf("%6d  of the split whose room has nothing else to ask for, or whose goal is none to be exchanged\n", v.Without)
	}
	fmt.Printf("%s stored: %s\n", counted(v.Games, "game"), v.Digest)
}

func varyGames(ctx context.Context, store artifacts.Store, base artifacts.Digest, p variationParameters) (*variation, error) {
	list, err := activities.ReadGameList(ctx, store, base)
	if err != nil {
		return nil, err
	}
	of := slices.DeleteFunc(slices.Clone(list), func(g activities.ListedGame) bool { return g.Split != p.Split })
	if len(of) == 0 {
		return nil, usage(fmt.Errorf("--split %s: list %s has no game of it", p.Split, base.Short()))
	}
	if of[0].FileName() == activities.GoalFileName {
		return nil, usage(fmt.Errorf("list %s has goals of a shop: expected ALFWorld's games or households, whose goals can be exchanged", base.Short()))
	}
	res := &variation{Of: len(of)}
	line := newProgressLine()
	defer line.end()
	m, err := activities.ExtendGames(ctx, store, list, func(yield func(activities.GameFile, error) bool) {
		done := 0
		for made, err := range varied(ctx, store, of, p) {
			if err != nil {
				yield(activities.GameFile{}, err)
				return
			}
			if done++; len(made) == 0 {
				res.Without++
			}
			line.show("%d of %d games varied", done, len(of))
			for _, g := range made {
				res.Made++
				if !yield(activities.GameFile{ID: g.ID, Split: p.Split, Family: g.Family, Data: g.Data}, nil) {
					return
				}
			}
		}
	}, func(string) {})
	if err != nil {
		return nil, err
	}
	res.Games = len(list) + res.Made
	m.Inputs = []artifacts.Input{{Role: "games", Digest: base}}
	if m.Parameters, err = json.Marshal(p); err != nil {
		return nil, err
	}
	res.Digest, err = publishList(ctx, store, *m)
	return res, err
}

// varied yields what is made of each game, in the list's order.
func varied(ctx context.Context, store artifacts.Store, of []activities.ListedGame, p variationParameters) iter.Seq2[[]alfworld.Varied, error] {
	type result struct {
		made []alfworld.Varied
		err  error
	}
	library := &alfworld.Library{}
	games := func(yield func(activities.ListedGame, error) bool) {
		for _, g := range of {
			if !yield(g, ctx.Err()) {
				return
			}
		}
	}
	return func(yield func([]alfworld.Varied, error) bool) {
		for r, err := range inorder.Map(runtime.NumCPU(), games, func(g activities.ListedGame) result {
			data, err := artifacts.ReadAll(ctx, store, g.Digest, g.Size)
			if err != nil {
				return result{err: fmt.Errorf("read game %s: %w", g.ID, err)}
			}
			made, err := library.Vary(ctx, g.ID, data, alfworld.Variation{PerGame: p.PerGame, Seed: p.Seed})
			if errors.Is(err, alfworld.ErrNoVariant) || errors.Is(err, env.ErrBadGame) {
				err = nil // a run excludes what cannot be played
			}
			return result{made, err}
		}) {
			if err = errors.Join(err, r.err); !yield(r.made, err) || err != nil {
				return
			}
		}
	}
}
