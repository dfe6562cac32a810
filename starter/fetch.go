package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/alfworld/official"
	"github.com/hone-rl/hone/env/household"
	"github.com/hone-rl/hone/internal/inorder"
	"github.com/hone-rl/hone/version"
)

func (a *app) fetchCommand() *cobra.Command {
	var cfg household.Config
	var mix, wheel string
	cmd := &cobra.Command{
		Use:   "fetch DIR",
		Short: "Make games in ALFWorld's official language, from its Python package alone",
		Long: `fetch makes a new folder of games that speak ALFWorld's official language: its domain (alfred.pddl) and grammar
(alfred.twl2), with the household games' rooms, things and tasks. It takes the two files from release ` + official.Version + ` of the
alfworld package, whose sha256 is pinned. python3 -m pip downloads it as pip is set up on this machine; nothing is
installed. Where there is no network, --package names the wheel, downloaded elsewhere.

The folder has ALFWorld's own layout, json_2.1.1/SPLIT/TASK/TRIAL with game.tw-pddl and traj_data.json, for hone games
import as well as for ALFWorld's own loader. Each game is won once while it is made, and its walkthrough written into
it. The same arguments give the same bytes on every machine. The default, 3,827 games, takes
230 MB.

Exit codes: 0 the folder is there; 1 the package could not be downloaded or the folder not be written; 2 wrong
arguments, or --package is another file.`,
		Example: `  hone games fetch ./official && hone games import ./official
  hone games fetch --train 500 --valid-unseen 60 --mix even ./small
  hone games fetch --package alfworld-` + official.Version + `-py3-none-any.whl ./official`,
		Args: exactly(1, "a folder to make"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			var err error
			if cfg.Mix, err = parseMix(mix); err != nil {
				return usage(err)
			}
			if err := checkCounts(cmd, cfg); err != nil {
				return usage(err)
			}
			if err := cfg.Check(); err != nil {
				return usage(err)
			}
			if _, err := os.Lstat(args[0]); err == nil {
				return usage(fmt.Errorf("%s is there already: expected a folder to be made", args[0]))
			}
			var files *official.Files
			if wheel != "" {
				files, err = official.Open(wheel)
				err = usage(err)
			} else {
				files, err = official.Download(ctx, "python3")
			}
			if err != nil {
				return err
			}
			cfg.Rules = household.Rules{Domain: files.Domain, Grammar: files.Grammar}
			splits, err := writeOfficial(ctx, args[0], cfg, files)
			if err != nil {
				return err
			}
			return a.printFetch(args[0], splits)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&cfg.Train, "train", 0, "`games` of each split; none of the three given: 3553, 140 and 134 as ALFWorld has")
	flags.IntVar(&cfg.ValidSeen, "valid-seen", 0, "`games` in the rooms of train")
	flags.IntVar(&cfg.ValidUnseen, "valid-unseen", 0, "`games` in rooms that occur nowhere else")
	flags.Uint64Var(&cfg.Seed, "seed", 0, "of rooms, things and tasks")
	flags.StringVar(&mix, "mix", "alfworld", "how often each task type occurs: alfworld, even, or six `weights` such as 1,0,1,1,1,2")
	flags.StringVar(&wheel, "package", "", "the alfworld package's wheel, a `file` downloaded already")
	return cmd
}

// defaultGames is how many games there are where none of the three counts is given.
const defaultGames = 3553 + 140 + 134

// mostGames is how many games fetch makes and stats measures at most: a thousand take some seconds.
const mostGames = 1_000_000

// checkCounts says which of the flags that count games is wrong. None given means ALFWorld's numbers; of those given
// a 0 means none.
func checkCounts(cmd *cobra.Command, cfg household.Config) error {
	total, given := 0, false
	for _, f := range []struct {
		name  string
		games int
	}{{"train", cfg.Train}, {"valid-seen", cfg.ValidSeen}, {"valid-unseen", cfg.ValidUnseen}} {
		if f.games < 0 || f.games > mostGames {
			return fmt.Errorf("--%s %d: expected 0 to 1,000,000 games", f.name, f.games)
		}
		if total += f.games; total > mostGames {
			return fmt.Errorf("--%s %d: %d games with those before, expected at most 1,000,000 together", f.name, f.games, total)
		}
		given = given || cmd.Flags().Changed(f.name)
	}
	if given && total == 0 {
		return errors.New("no game is asked for: expected one at least in --train, --valid-seen or --valid-unseen")
	}
	return nil
}

// parseMix reads how often each task type occurs.
func parseMix(text string) (mix household.Mix, err error) {
	switch text {
	case "alfworld":
		return household.ALFWorldMix, nil
	case "even":
		return household.EvenMix, nil
	}
	words := strings.Split(text, ",")
	total := 0
	for i, word := range words {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 0 || n > 1_000_000 || len(words) != len(mix) {
			return mix, fmt.Errorf("--mix %s: expected alfworld, even, or six weights of at most 1,000,000, such as 1,0,1,1,1,2", text)
		}
		mix[i] = n
		total += n
	}
	if total == 0 {
		return mix, fmt.Errorf("--mix %s: expected a weight above 0", text)
	}
	return mix, nil
}

// writeOfficial makes the folder of games, which appears at once, whole. It returns the games of each split.
func writeOfficial(ctx context.Context, dir string, cfg household.Config, files *official.Files) (splits map[string]int, err error) {
	parent := filepath.Dir(filepath.Clean(dir))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp(parent, ".fetch-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }() // gone already when all went well
	if err := os.Chmod(temp, 0o755); err != nil {
		return nil, err
	}
	for name, text := range map[string]string{
		official.DomainName: files.Domain, official.GrammarName: files.Grammar, official.LicenseName: files.License, "NOTICE": notice(cfg),
	} {
		if err := os.WriteFile(filepath.Join(temp, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	line := newProgressLine()
	defer line.end()
	splits = map[string]int{}
	done, total := 0, cmp.Or(cfg.Train+cfg.ValidSeen+cfg.ValidUnseen, defaultGames)
	library := &alfworld.Library{}
	for game, err := range inorder.Map(runtime.GOMAXPROCS(0), until(ctx, household.Generate(cfg)), func(g household.Game) made {
		return made{g.Split, writeTrial(ctx, library, temp, g)}
	}) {
		if err = cmp.Or(err, game.err); err != nil {
			return nil, err
		}
		splits[game.split]++
		done++
		line.show("%d of %d games made", done, total)
	}
	return splits, os.Rename(temp, dir)
}

// made is what came of writing a game.
type made struct {
	split string
	err   error
}

// until ends a sequence with the context.
func until[T any](ctx context.Context, list iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for v, err := range list {
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// writeTrial plays a game to its win and writes its folder.
func writeTrial(ctx context.Context, library *alfworld.Library, dir string, g household.Game) error {
	game, err := library.Parse(g.ID, g.Data)
	if err != nil {
		return err
	}
	if game.Family() != g.Family {
		return fmt.Errorf("game %s: its goal is of %s, expected %s", g.ID, game.Family(), g.Family)
	}
	plan, err := win(ctx, game)
	if err != nil {
		return fmt.Errorf("game %s: %w", g.ID, err)
	}
	data, err := g.Solved(plan)
	if err != nil {
		return err
	}
	id := g.Trial()
	traj := alfworld.NewTraj(id, g.Family)
	traj.Params.Object, traj.Params.Destination, traj.Params.Lamp = g.Task.Target, g.Task.Destination, g.Task.Lamp
	for _, s := range g.Task.Sentences {
		traj.Say(s)
	}
	text, err := traj.Encode()
	if err != nil {
		return err
	}
	folder := filepath.Join(dir, "json_2.1.1", filepath.FromSlash(id))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, activities.GameFileName), data, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, alfworld.TrajName), text, 0o644)
}

// win is the straight plan of a game, played to its end.
func win(ctx context.Context, game *alfworld.Game) ([]string, error) {
	episode, err := game.Start(ctx, env.Limits{})
	if err != nil {
		return nil, err
	}
	expert, ok := episode.(env.Expert)
	if !ok {
		return nil, errors.New("its episodes are no experts")
	}
	plan, err := expert.Plan(ctx, env.Straight)
	if err != nil {
		return nil, err
	}
	now := episode.Now()
	for _, command := range plan {
		if now, err = episode.Step(ctx, command); err != nil {
			return nil, err
		}
	}
	if !now.Won {
		return nil, fmt.Errorf("its plan does not win: %s", strings.Join(plan, ", "))
	}
	return plan, nil
}

// notice says where the files of a folder come from.
func notice(cfg household.Config) string {
	return fmt.Sprintf(`%[1]s and %[2]s are files of the Python package alfworld %[3]s, as they are there. ALFWorld is work of
Mohit Shridhar and others under the MIT licence, whose text is in %[4]s. Every game.tw-pddl below json_2.1.1
holds a copy of both, the second with its task sentence in the place of UNKNOWN GOAL.

Rooms, things and tasks are those of Hone's household games (Hone %[5]s, seed %[6]d), none of ALFWorld's data. What
traj_data.json has as turk_annotations are Hone's own sentences: no person wrote them.
`, official.DomainName, official.GrammarName, official.Version, official.LicenseName, version.Hone, cfg.Seed)
}

func (a *app) printFetch(dir string, splits map[string]int) error {
	if a.json {
		return printJSON(map[string]any{"folder": dir, "games": splits})
	}
	total := 0
	for _, split := range []string{household.Train, household.ValidSeen, household.ValidUnseen} {
		if n := splits[split]; n > 0 {
			fmt.Printf("%6d  %s\n", n, split)
			total += n
		}
	}
	fmt.Printf("%s in %s; for runs, store them: hone games import %s\n", counted(total, "game"), dir, dir)
	return nil
}
