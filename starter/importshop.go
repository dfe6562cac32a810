package main

import (
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/games"
)

// importCatalogue stores the catalogue of a shop.
func (a *app) importCatalogue(cmd *cobra.Command, folder games.Folder) error {
	if cmd.Flags().Changed("task-types") {
		return usage(errors.New("--task-types: a catalogue has none, they are ALFWorld's"))
	}
	store, err := a.Store(cmd.Context())
	if err != nil {
		return err
	}
	res, err := games.ImportCatalogue(cmd.Context(), store, folder)
	if errors.Is(err, env.ErrBadGame) {
		return usage(err)
	}
	if err != nil {
		return err
	}
	if a.json {
		return printJSON(res)
	}
	printCatalogue(res)
	return nil
}

func printCatalogue(res *games.Imported) {
	for _, part := range []struct {
		n    int
		what string
	}{
		{res.Passed.Unnamed, `products of no name ("nan")`},
		{res.Passed.Long, "products whose asin has more than 10 characters"},
		{res.Passed.Repeated, "products whose asin has come before"},
		{res.Passed.Unknown, "attributes and instructions of products that are not there"},
	} {
		if part.n > 0 {
			fmt.Printf("%6d  left out: %s\n", part.n, part.what)
		}
	}
	if res.Guessed > 0 {
		fmt.Printf("%6d  titles whose nouns title_nouns.json lacks, and are guessed: rewards may differ from WebShop's\n", res.Guessed)
	}
	people := "no instructions by people"
	if res.Human {
		people = "instructions by people beside synthetic ones"
	}
	fmt.Printf("%s products stored, %s: %s\n", humanize.Comma(int64(res.Products)), people, res.Digest)
}
