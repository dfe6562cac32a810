package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func (a *app) gamesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "games COMMAND",
		Short: "Get, import, vary, check and measure games",
		Long: `games is about what a run plays. There are four kinds:

  household   Hone's own games. A run makes those that its spec asks for: games: {household: {train: 3553}}
  fetched     the same households in ALFWorld's official language, made by fetch from the alfworld package alone
  ALFWorld's  the folder json_2.1.1 of ALFWorld's data
  a shop's    goals of a catalogue: of the one that ships with Hone, games: {shop: {train: 2000, validation: 64}}, or of
              WebShop's files

A folder of the last three kinds is imported once. A spec names a list by the digest that import prints,
games: {list: sha256:…}, and so a catalogue: games: {shop: {catalogue: sha256:…, train: 5500}}`,
		Example: `  hone games fetch ./official           make a folder of games in the official language
  hone games import ./official          check and store them, print the digest for the spec
  hone games import ~/.cache/alfworld   the same with ALFWorld's own data
  hone games vary sha256:…              add games that ask for other things in the same rooms
  hone games check ./alfworld-golden    compare the engine with transcripts of ALFWorld's
  hone games plans ~/.cache/alfworld    count the experts' plans and their commands
  hone games stats ~/.cache/alfworld    measure the household games beside ALFWorld's`,
	}
	cmd.RunE, cmd.DisableFlagsInUseLine = needsCommand, true
	cmd.AddCommand(a.fetchCommand(), a.importCommand(), a.varyCommand(), a.checkGamesCommand(), a.plansCommand(), a.statsCommand())
	return cmd
}

// needsCommand shows the help of a command that does nothing itself, and refuses what is none of its commands, which
// cobra would pass over.
func needsCommand(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(fmt.Errorf("unknown command %q for %q: see %[2]s --help", args[0], cmd.CommandPath()))
	}
	return cmd.Help()
}

func printJSON(v any) error {
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
