package main

import (
	"encoding/json"
	"os"

	"github.com/spf13/cobra"
)

func (a *app) gamesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "games",
		Short: "Get, import, check and measure games",
		Long: `games is about what a run plays. The household games need nothing: a run makes those that its spec asks for, with
games: {household: {train: 3553}}. ALFWorld's own games, the folder json_2.1.1 of its data, are imported once, and a
spec names the list by the digest that import prints: games: {list: sha256:…}`,
		Example: `  hone games import ~/.cache/alfworld           check and store ALFWorld's games, print the digest for the spec
  hone games check ./alfworld-golden            compare the engine with transcripts of ALFWorld's
  hone games stats ~/.cache/alfworld            measure the household games beside ALFWorld's`,
	}
	cmd.AddCommand(a.importCommand(), a.checkGamesCommand(), a.statsCommand())
	return cmd
}

func printJSON(v any) error {
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
