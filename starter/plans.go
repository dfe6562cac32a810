package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/internal/inorder"
)

func (a *app) plansCommand() *cobra.Command {
	var split string
	experts := names(env.Straight, env.Search, env.Planner, env.Explore)
	cmd := &cobra.Command{
		Use:   "plans DIR|FILE",
		Short: "Count the plans that each expert finds, and their commands",
		Long: `plans asks the experts for a plan of every game, on all cores. Each plan is played to its win. The table gives, by
expert and task type, how many games there are, how many of them have a plan, and the commands of these plans, which
are the records of a dataset made from them. It is the same on every machine.

  walkthrough  the plan in the game file
  straight     goes to the right instance at once
  search       knows the type of the source only and looks through its instances
  planner      sees all facts and plans for any goal
  explore      knows what a player has been shown, and looks for what it has not seen

The median is the upper one where two lengths are in the middle. Games that cannot be read are named, and the others
counted.

Exit codes: 0 the plans were counted, whether all games have one or not; 1 a game could not be read; 2 there was no
game, or wrong arguments.`,
		Example: `  hone games plans ~/.cache/alfworld
  hone games plans --split valid_unseen --experts explore ~/.cache/alfworld`,
		Args: exactly(1, "a folder or a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			kinds, err := kindsOf(experts)
			if err != nil {
				return usage(err)
			}
			source, err := alfworld.Import(args[0])
			if err != nil {
				return usage(err)
			}
			list, unread, err := countPlans(cmd.Context(), source, split, kinds)
			if err != nil {
				return sourceError(cmd.Context(), err)
			}
			switch {
			case len(list) == 0 && split == "":
				return unread.noGames("%s holds no games", args[0])
			case len(list) == 0:
				return unread.noGames("%s holds no games of split %q", args[0], split)
			case a.json:
				err = printJSON(list)
			default:
				err = writePlans(os.Stdout, list, split == "train")
			}
			return errors.Join(err, unread.err())
		},
	}
	cmd.Flags().StringVar(&split, "split", "train", "only the games of this split; \"\" for all")
	cmd.Flags().StringSliceVar(&experts, "experts", experts, "kinds of plan, of "+strings.Join(names(env.PlanKinds...), ", "))
	return cmd
}

func names(kinds ...env.PlanKind) []string {
	list := make([]string, len(kinds))
	for i, k := range kinds {
		list[i] = string(k)
	}
	return list
}

func kindsOf(names []string) ([]env.PlanKind, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("--experts: expected at least one of %v", env.PlanKinds)
	}
	var kinds []env.PlanKind
	for _, n := range names {
		k := env.PlanKind(n)
		if !slices.Contains(env.PlanKinds, k) || slices.Contains(kinds, k) {
			return nil, fmt.Errorf("--experts: expert %q, expected each at most once of %v", n, env.PlanKinds)
		}
		kinds = append(kinds, k)
	}
	return kinds, nil
}

// planned is what one game gave: a length for every kind, or why there is none.
type planned struct {
	game    alfworld.Imported
	unread  error // the game could not be read or played
	lengths []int
	errs    []error
}

func countPlans(ctx context.Context, source *alfworld.Source, split string, kinds []env.PlanKind) ([]*planCount, unreadGames, error) {
	var library alfworld.Library
	var unread unreadGames
	source.GoOn = true
	games := func(yield func(alfworld.Imported, error) bool) {
		for g, err := range until(ctx, source.Games()) {
			if (err != nil || split == "" || g.Split == split) && !yield(g, err) {
				return
			}
		}
	}
	counts := map[[2]string]*planCount{}
	line := newProgressLine()
	defer line.end()
	done := 0
	for p, err := range inorder.Map(runtime.GOMAXPROCS(0), iter.Seq2[alfworld.Imported, error](games), func(g alfworld.Imported) planned {
		return planAll(ctx, &library, g, kinds)
	}) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, nil, err
		}
		done++
		line.show("%d games planned …", done)
		if p.unread != nil {
			unread.add(p.game, p.unread)
			continue
		}
		for i, kind := range kinds {
			for _, family := range []string{p.game.Family, "all"} {
				key := [2]string{string(kind), family}
				if counts[key] == nil {
					counts[key] = &planCount{Expert: kind, Family: family}
				}
				if err := counts[key].add(p.lengths[i], p.errs[i]); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	unread.addLeft(source, split)
	list := make([]*planCount, 0, len(counts))
	for _, c := range counts {
		c.sum()
		list = append(list, c)
	}
	rank := func(family string) int { return slices.Index(append(alfworld.Families, alfworld.FamilyOther), family) } // "all" first
	slices.SortFunc(list, func(a, b *planCount) int {
		return cmp.Or(slices.Index(kinds, a.Expert)-slices.Index(kinds, b.Expert), rank(a.Family)-rank(b.Family))
	})
	return list, unread, nil
}

func planAll(ctx context.Context, library *alfworld.Library, g alfworld.Imported, kinds []env.PlanKind) planned {
	out := planned{game: g, lengths: make([]int, len(kinds)), errs: make([]error, len(kinds))}
	var episode env.Episode
	game, err := library.Parse(g.ID, g.Data)
	if err == nil {
		episode, err = game.Start(ctx, env.Limits{})
	}
	for i, kind := range kinds {
		if out.errs[i] = err; err == nil {
			var plan []string
			plan, out.errs[i] = episode.(env.Expert).Plan(ctx, kind)
			out.lengths[i] = len(plan)
		}
		if out.unread == nil && !saysOfPlan(out.errs[i]) {
			out.unread = out.errs[i]
		}
	}
	out.game.Data = nil
	return out
}
