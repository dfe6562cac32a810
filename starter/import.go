package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/games"
	"github.com/hone-rl/hone/version"
)

func (a *app) importCommand() *cobra.Command {
	var taskTypes string
	var verbose bool
	cmd := &cobra.Command{
		Use:   "import DIR|FILE",
		Short: "Check ALFWorld games, or a shop's catalogue, and store them for specs to name by digest",
		Long: `import reads an ALFWorld data folder (json_2.1.1), a packed list (games.jsonl.xz with alfred.pddl and
alfred.twl2 beside it) or one game.tw-pddl file, sorts by id and stores every game file under its digest. The same
games give the same digest on every machine. A spec takes the list as
  games: {list: sha256:…}

It leaves out what ALFWorld's own loader leaves out: movable receptacles, sliced objects, games that are not marked
solvable, and task types other than those asked for. A folder without traj_data.json is taken, too: the goal says its
task type.

Every game is parsed and started, its goal compared with its task type, and its walkthrough replayed where it has one;
the files are stored as they are. A game that cannot be played is named with file, line and reason. If traj_data.json
tells its task type it is stored nevertheless: runs exclude it, and hone retry plays it once it is mended.

A folder with items_shuffle.json is WebShop's catalogue (items_shuffle_1000.json and the like are taken, too). Beside it
stand items_ins_v2.json, title_nouns.json with the nouns of each product's title, and, for goals in people's words,
items_human_ins.json. The catalogue is read as a shop reads it, product by product, and stored once; titles without nouns
there are counted, and guessed when a shop needs them. A spec takes goals of it as
  games: {shop: {catalogue: sha256:…, train: 5500, validation: 128}}

Exit codes: 0 it was stored; 1 it could not be stored; 2 there was nothing to store, or wrong arguments.`,
		Example: `  hone games import ~/.cache/alfworld
  hone games import ./webshop/data
  hone games import --task-types 1,6 ~/.cache/alfworld/json_2.1.1/train`,
		Args: exactly(1, "a folder or a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			if folder, found, err := games.FindCatalogue(args[0]); err != nil {
				return usage(err)
			} else if found {
				return a.importCatalogue(cmd, folder)
			}
			source, err := alfworld.Import(args[0])
			if err != nil {
				return usage(err)
			}
			if cmd.Flags().Changed("task-types") {
				if source.TaskTypes, err = parseTaskTypes(taskTypes); err != nil {
					return usage(err)
				}
			}
			store, err := a.Store(ctx)
			if err != nil {
				return err
			}
			res, err := importGames(ctx, store, source)
			if err != nil {
				return sourceError(ctx, err)
			}
			return a.printImport(res, verbose)
		},
	}
	cmd.Flags().StringVar(&taskTypes, "task-types", "", taskTypesHelp())
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "name every game that is left out or in trouble, and why")
	return cmd
}

// taskTypesHelp lists ALFWorld's numbers.
func taskTypesHelp() string {
	var list []string
	for i, f := range alfworld.Families {
		list = append(list, fmt.Sprintf("%d %s", i+1, f))
	}
	return "`task types` to take, by ALFWorld's numbers or by name, such as 1,6: " + strings.Join(list, ", ") + " (default all six, and games of other goals without traj_data.json)"
}

// parseTaskTypes reads "1,6" as the families of these numbers; names stand for themselves.
func parseTaskTypes(text string) ([]string, error) {
	var list []string
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		n, err := strconv.Atoi(word)
		if err != nil {
			n = slices.Index(alfworld.Families, word) + 1
		}
		if n < 1 || n > len(alfworld.Families) {
			return nil, fmt.Errorf("--task-types %s: %q is none of ALFWorld's numbers 1 to %d, nor one of their names: %s",
				text, word, len(alfworld.Families), strings.Join(alfworld.Families, ", "))
		}
		if f := alfworld.Families[n-1]; !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	return list, nil
}

// importResult is what import tells.
type importResult struct {
	Digest   artifacts.Digest   `json:"digest"` // "" where nothing was stored
	Summary  json.RawMessage    `json:"summary"`
	LeftOut  []alfworld.LeftOut `json:"leftOut"`
	Troubles []alfworld.Trouble `json:"troubles"`
	Warnings map[string]int     `json:"warnings"` // games by what in them can be played but hardly means what it says
}

func importGames(ctx context.Context, store artifacts.Store, source *alfworld.Source) (*importResult, error) {
	res := &importResult{LeftOut: []alfworld.LeftOut{}, Troubles: []alfworld.Trouble{}, Warnings: map[string]int{}}
	line := newProgressLine()
	defer line.end()
	games := 0
	var files iter.Seq2[activities.GameFile, error] = func(yield func(activities.GameFile, error) bool) {
		for g, err := range source.Check(ctx, func(done, all int) { line.show("%d of %d games checked and stored", done, all) }) {
			games++
			res.Troubles = append(res.Troubles, g.Troubles...)
			for _, w := range g.Warnings {
				res.Warnings[w]++
			}
			if !yield(activities.GameFile{ID: g.ID, Split: g.Split, Family: g.Family, Data: g.Data}, err) || err != nil {
				return
			}
		}
	}
	m, err := activities.StoreGames(ctx, store, files, func(string) {})
	if err != nil {
		return nil, err
	}
	res.LeftOut, res.Summary = append(res.LeftOut, source.LeftOut()...), m.Summary
	if games == 0 {
		return res, nil
	}
	res.Digest, err = publishList(ctx, store, *m)
	return res, err
}

// publishList stores the manifest of a game list under the name that a spec's digest stands for.
func publishList(ctx context.Context, store artifacts.Store, m artifacts.Manifest) (artifacts.Digest, error) {
	m.SchemaVersion, m.MediaType = 1, artifacts.MediaTypeManifest
	m.Producer = artifacts.Producer{Name: "hone", Version: version.Import}
	d, err := artifacts.PutManifest(ctx, store, m)
	if err != nil {
		return "", err
	}
	return d.Digest, store.Name(ctx, activities.ListName(d.Digest), d.Digest)
}

func (a *app) printImport(res *importResult, verbose bool) error {
	if a.json {
		if err := printJSON(res); err != nil {
			return err
		}
	} else if err := res.print(verbose); err != nil {
		return err
	}
	if res.Digest == "" {
		return usage(errors.New("there is no game to store"))
	}
	return nil
}

func (res *importResult) print(verbose bool) error {
	var s struct {
		Games  int                       `json:"games"`
		Splits map[string]map[string]int `json:"splits"`
	}
	if err := json.Unmarshal(res.Summary, &s); err != nil {
		return err
	}
	if verbose {
		for _, l := range res.LeftOut {
			fmt.Printf("left out  %s: %s\n", l.ID, l.Reason)
		}
		for _, w := range slices.Sorted(maps.Keys(res.Warnings)) {
			fmt.Printf("in %s  %s\n", counted(res.Warnings[w], "game"), w)
		}
	}
	for _, t := range []struct{ kind, text string }{
		{alfworld.TroubleUnplayable, "that cannot be played and will be excluded by runs"},
		{alfworld.TroubleFamily, "of a task type that is not the goal's"},
		{alfworld.TroubleWalkthrough, "with a walkthrough that does not win, and so without a plan of that kind"},
	} {
		printTroubles(res.Troubles, t.kind, t.text, verbose)
	}
	for _, split := range splitsOf(s.Splits) {
		n := 0
		for _, of := range s.Splits[split] {
			n += of
		}
		fmt.Printf("%6d  %s\n", n, cmp.Or(split, "in no split"))
	}
	counts := map[string]int{}
	for _, l := range res.LeftOut {
		counts[l.Kind]++
	}
	for _, kind := range []string{
		alfworld.LeftMovable, alfworld.LeftSliced, alfworld.LeftTaskType, alfworld.LeftNoGame, alfworld.LeftNoFlag,
		alfworld.LeftUnsolvable, alfworld.LeftUnread, alfworld.LeftName,
	} {
		if counts[kind] > 0 {
			fmt.Printf("%6d  left out: %s\n", counts[kind], kind)
		}
	}
	if counts[alfworld.LeftUnread] > 0 && !verbose {
		printLeft(res.LeftOut, alfworld.LeftUnread)
	}
	hint := ""
	if len(res.LeftOut) > 0 && !verbose {
		hint = " (--verbose names them)"
	}
	if res.Digest == "" {
		fmt.Printf("0 games, %d left out%s\n", len(res.LeftOut), hint)
		return nil
	}
	fmt.Printf("%s stored, %d left out%s: %s\n", counted(s.Games, "game"), len(res.LeftOut), hint, res.Digest)
	return nil
}

// splitsOf are ALFWorld's splits in its order, then others by name.
func splitsOf(counts map[string]map[string]int) []string {
	known := []string{"train", "valid_seen", "valid_unseen", "valid_train"}
	rank := func(split string) int {
		if i := slices.Index(known, split); i >= 0 {
			return i
		}
		return len(known)
	}
	var list []string
	for split := range counts {
		list = append(list, split)
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(rank(a)-rank(b), cmp.Compare(a, b)) })
	return list
}

func printTroubles(all []alfworld.Trouble, kind, text string, verbose bool) {
	var lines []string
	games := map[string]bool{}
	for _, t := range all {
		if t.Kind == kind {
			games[t.ID] = true
			lines = append(lines, t.File+": "+t.Reason)
		}
	}
	if len(lines) == 0 {
		return
	}
	fmt.Printf("%s %s:\n", counted(len(games), "game"), text)
	printSome(lines, verbose)
}

func printLeft(all []alfworld.LeftOut, kind string) {
	var lines []string
	for _, l := range all {
		if l.Kind == kind {
			lines = append(lines, l.Reason)
		}
	}
	printSome(lines, false)
}

func printSome(lines []string, all bool) {
	for i, l := range lines {
		if i == listed && !all {
			fmt.Printf("  … and %d more (--verbose names them)\n", len(lines)-listed)
			return
		}
		fmt.Printf("  %s\n", strings.Join(strings.Fields(l), " "))
	}
}
