package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/env/alfworld"
)

func (a *app) checkGamesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check DIR",
		Short: "Replay transcripts of ALFWorld's own engine and compare every answer",
		Long: `check replays every transcripts.jsonl.gz below DIR on the game.tw-pddl beside it and compares observation,
admissible commands, score, won, done and moves of every row. It tells the first row that differs of up to 20 walks.
Its last line on standard output is the count of games, walks, rows and rows that differ.

Exit codes: 0 no row differs; 1 some row does; 2 none does, but a game or transcript could not be read or played (what
could be was compared and counted), or DIR holds no transcript.`,
		Example: `  hone games check ./alfworld-golden`,
		Args:    exactly(1, "a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			line := newProgressLine()
			res, err := alfworld.CheckGolden(cmd.Context(), args[0], func(p alfworld.GoldenProgress) {
				line.show("%d of %d games, %d rows", p.Done, p.All, p.Rows)
			})
			line.end()
			if cmd.Context().Err() != nil {
				return cmd.Context().Err()
			}
			if err != nil && res.Rows == 0 {
				return usage(err)
			}
			return a.printGolden(res, err)
		},
	}
}

func (a *app) printGolden(res alfworld.GoldenResult, faults error) error {
	if res.First == nil {
		res.First = []alfworld.Difference{} // a list in JSON
	}
	if a.json {
		if err := printJSON(res); err != nil {
			return err
		}
	} else {
		for _, d := range res.First {
			fmt.Println(d)
		}
		fmt.Printf("%s, %s, %s, %s\n", counted(res.Games, "game"), counted(res.Walks, "walk"), counted(res.Rows, "row"), counted(res.Differences, "difference"))
	}
	if res.Differences > 0 {
		return errors.Join(faults, fmt.Errorf("differences from the transcripts: %s", counted(res.Differences, "row")))
	}
	return usage(faults)
}
