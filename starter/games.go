package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/version"
)

func (a *app) gamesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "games",
		Short: "Import, check and count games",
	}
	cmd.AddCommand(a.importCommand(), a.checkGamesCommand(), a.statsCommand())
	return cmd
}

func (a *app) importCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import DIR|FILE",
		Short: "Store ALFWorld games as a list that specs name by its digest",
		Long: `import reads an ALFWorld data folder (json_2.1.1), a packed list (games.jsonl.xz with alfred.pddl and
alfred.twl2 beside it) or one game.tw-pddl file, leaves out what ALFWorld itself leaves out, sorts by id and stores
every game file under its digest. The same games give the same digest on every machine. A spec takes the list as
  games: {list: sha256:…}`,
		Args: exactly(1, "a folder or a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			source, err := alfworld.Import(args[0])
			if err != nil {
				return usage(err)
			}
			store, err := a.Store(ctx)
			if err != nil {
				return err
			}
			d, m, err := importGames(ctx, store, source)
			if err != nil {
				return err
			}
			return a.printImport(d, m, source.LeftOut())
		},
	}
}

func importGames(ctx context.Context, store artifacts.Store, source *alfworld.Source) (artifacts.Digest, *artifacts.Manifest, error) {
	var files iter.Seq2[activities.GameFile, error] = func(yield func(activities.GameFile, error) bool) {
		for g, err := range source.Games() {
			if !yield(activities.GameFile{ID: g.ID, Split: g.Split, Family: g.Family, Data: g.Data}, err) || err != nil {
				return
			}
		}
	}
	tick := ticker()
	if tick == nil {
		tick = func(string) {}
	}
	m, err := activities.StoreGames(ctx, store, files, tick)
	if err != nil {
		return "", nil, err
	}
	m.SchemaVersion, m.MediaType = 1, artifacts.MediaTypeManifest
	m.Producer = artifacts.Producer{Name: "hone", Version: version.Hone}
	d, err := artifacts.PutManifest(ctx, store, *m)
	if err != nil {
		return "", nil, err
	}
	return d.Digest, m, store.Name(ctx, activities.ListName(d.Digest), d.Digest)
}

func (a *app) printImport(d artifacts.Digest, m *artifacts.Manifest, left []alfworld.LeftOut) error {
	if a.json {
		return printJSON(map[string]any{"digest": d, "summary": m.Summary, "leftOut": left})
	}
	var s struct {
		Games  int                       `json:"games"`
		Splits map[string]map[string]int `json:"splits"`
	}
	if err := json.Unmarshal(m.Summary, &s); err != nil {
		return err
	}
	for _, l := range left {
		fmt.Printf("left out  %s: %s\n", l.ID, l.Reason)
	}
	for _, split := range []string{"train", "valid_seen", "valid_unseen", "valid_train", ""} {
		n := 0
		for _, of := range s.Splits[split] {
			n += of
		}
		if n > 0 {
			fmt.Printf("%-14s %d games\n", split, n)
		}
	}
	fmt.Printf("%d games stored, %d left out: %s\n", s.Games, len(left), d)
	return nil
}

func (a *app) checkGamesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check DIR",
		Short: "Replay golden transcripts and compare every answer",
		Long: `check replays every transcripts.jsonl.gz below DIR on the game.tw-pddl beside it and compares observation,
admissible commands, score, won, done and moves of every row. It ends with exit code 3 if any differs.`,
		Args: exactly(1, "a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			res, err := alfworld.CheckGolden(cmd.Context(), args[0], nil)
			if err != nil {
				return err
			}
			for _, d := range res.First {
				fmt.Println(d)
			}
			fmt.Printf("%d games, %d walks, %d rows: %d rows differ\n", res.Games, res.Walks, res.Rows, res.Differences)
			if res.Rows == 0 {
				return usage(fmt.Errorf("%s holds no transcripts.jsonl.gz", args[0]))
			}
			if res.Differences > 0 {
				return coded{fmt.Errorf("the engine differs from the transcripts"), exitFound}
			}
			return nil
		},
	}
}

func printJSON(v any) error {
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
