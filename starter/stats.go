package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/household"
)

func (a *app) statsCommand() *cobra.Command {
	var count int
	var seed uint64
	cmd := &cobra.Command{
		Use:   "stats [DIR|FILE]",
		Short: "Compare the difficulty of the embedded games with ALFWorld's",
		Long: `stats measures the embedded household games and puts the figures beside those of ALFWorld's train split: measured
now where the real games are given, else as they were measured once (env/household/README.md). Medians and quartiles
are values of the sorted list, the upper one where two are in the middle. Games that cannot be read are named, and the
others measured.

Exit codes: 0 the table was printed; 1 a game could not be read; 2 there was no training game, or wrong arguments.`,
		Args: optional("a folder or a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			if count < 1 || count > mostGames {
				return usage(fmt.Errorf("--count %d: expected 1 to 1,000,000 games", count))
			}
			real := household.ALFWorld
			var unread unreadGames
			if len(args) == 1 {
				var err error
				if real, unread, err = surveyReal(ctx, args[0]); err != nil {
					return sourceError(ctx, err)
				}
				if real.Games == 0 {
					return unread.noGames("%s holds no games of split %q to measure", args[0], household.Train)
				}
			}
			ours, err := surveyHousehold(ctx, household.Config{Seed: seed, Train: count})
			if err != nil {
				return err
			}
			if a.json {
				err = printJSON(map[string]household.Difficulty{"alfworld": real, "household": ours})
			} else {
				fmt.Print(household.Table(real, ours))
			}
			return errors.Join(err, unread.err())
		},
	}
	cmd.Flags().IntVar(&count, "count", 500, "embedded games to measure")
	cmd.Flags().Uint64Var(&seed, "seed", 7, "of the embedded games")
	return cmd
}

func surveyHousehold(ctx context.Context, cfg household.Config) (household.Difficulty, error) {
	var s household.Survey
	library := &alfworld.Library{}
	line := newProgressLine()
	defer line.end()
	done := 0
	for g, err := range until(ctx, household.Generate(cfg)) {
		if err != nil {
			return household.Difficulty{}, err
		}
		done++
		line.show("%d of %d household games measured", done, cfg.Train)
		if err := survey(ctx, library, &s, g.ID, g.Data); err != nil {
			return household.Difficulty{}, err
		}
	}
	return s.Difficulty(), nil
}

// surveyReal measures the training games of a data set.
func surveyReal(ctx context.Context, path string) (household.Difficulty, unreadGames, error) {
	source, err := alfworld.Import(path)
	if err != nil {
		return household.Difficulty{}, nil, usage(err)
	}
	source.GoOn = true
	var s household.Survey
	var unread unreadGames
	library := &alfworld.Library{}
	line := newProgressLine()
	defer line.end()
	done := 0
	for g, err := range until(ctx, source.Games()) {
		if err != nil {
			return household.Difficulty{}, nil, err
		}
		if g.Split != household.Train {
			continue
		}
		if err := survey(ctx, library, &s, g.ID, g.Data); err != nil {
			if ctx.Err() != nil {
				return household.Difficulty{}, nil, ctx.Err()
			}
			unread.add(g, err)
		}
		done++
		line.show("%d games measured", done)
	}
	unread.addLeft(source, household.Train)
	return s.Difficulty(), unread, nil
}

func survey(ctx context.Context, library *alfworld.Library, s *household.Survey, id string, data []byte) error {
	game, err := library.Parse(id, data)
	if err != nil {
		return fmt.Errorf("game %s: %w", id, err)
	}
	return s.Add(ctx, game, data)
}
