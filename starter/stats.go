package main

import (
	"context"
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
now where the real games are given, else as they were measured once (env/household/README.md).`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			ours, err := surveyHousehold(ctx, household.Config{Seed: seed, Train: count})
			if err != nil {
				return err
			}
			real := household.ALFWorld
			if len(args) == 1 {
				if real, err = surveyReal(ctx, args[0]); err != nil {
					return err
				}
			}
			if a.json {
				return printJSON(map[string]household.Difficulty{"alfworld": real, "household": ours})
			}
			fmt.Print(household.Table(real, ours))
			return nil
		},
	}
	cmd.Flags().IntVar(&count, "count", 500, "embedded games to measure")
	cmd.Flags().Uint64Var(&seed, "seed", 7, "of the embedded games")
	return cmd
}

func surveyHousehold(ctx context.Context, cfg household.Config) (household.Difficulty, error) {
	var s household.Survey
	library := &alfworld.Library{}
	for g, err := range household.Generate(cfg) {
		if err != nil {
			return household.Difficulty{}, err
		}
		if err := survey(ctx, library, &s, g.ID, g.Data); err != nil {
			return household.Difficulty{}, err
		}
	}
	return s.Difficulty(), nil
}

func surveyReal(ctx context.Context, path string) (household.Difficulty, error) {
	source, err := alfworld.Import(path)
	if err != nil {
		return household.Difficulty{}, usage(err)
	}
	var s household.Survey
	library := &alfworld.Library{}
	for g, err := range source.Games() {
		if err != nil {
			return household.Difficulty{}, err
		}
		if g.Split != household.Train {
			continue
		}
		if err := survey(ctx, library, &s, g.ID, g.Data); err != nil {
			return household.Difficulty{}, err
		}
	}
	return s.Difficulty(), nil
}

func survey(ctx context.Context, library *alfworld.Library, s *household.Survey, id string, data []byte) error {
	game, err := library.Parse(id, data)
	if err != nil {
		return fmt.Errorf("game %s: %w", id, err)
	}
	return s.Add(ctx, game, data)
}
