// Command parity plays the same commands on this engine and on ALFWorld's own and compares every answer, then replays
// golden transcripts and recorded episodes. Its last line counts games, rows and differences. It ends with status 1 if
// there is any, with 2 if it could not compare. make parity runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/alfworld/official"
	"github.com/hone-rl/hone/env/alfworld/parity"
	"github.com/hone-rl/hone/env/household"
)

// options are the flags.
type options struct {
	root   string
	shared string
	keep   string
	jobs   int
	family int
	golden int
	steps  int
	seed   uint64
}

func main() {
	var o options
	flag.StringVar(&o.root, "root", ".", "the repository")
	flag.StringVar(&o.shared, "shared", "../shared", "folder with alfworld-games, alfworld-golden and alfworld-episodes; what is missing is replaced or left out")
	flag.StringVar(&o.keep, "keep", ".hone/parity", "folder in which differences are kept; those of an earlier run are removed")
	flag.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "Python processes")
	flag.IntVar(&o.family, "games", 84, "games drawn of each of the six families")
	flag.IntVar(&o.golden, "golden", 0, "golden games to play on both engines, 0 for all")
	flag.IntVar(&o.steps, "steps", 20, "commands said to each game")
	flag.Uint64Var(&o.seed, "seed", 0, "draws games and commands")
	asked := os.Getenv("HONE_PARITY")
	quick := flag.Bool("quick", asked == "quick", "some 30 games (HONE_PARITY=quick)")
	flag.Parse()
	if *quick {
		o.family, o.golden = 4, 6
	}
	if err := o.check(asked, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "parity:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	differences, err := o.run(ctx, os.Stdout, os.Stderr)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "parity:", err)
		os.Exit(2)
	case differences > 0:
		os.Exit(1)
	}
}

// check says all that is wrong with the flags, the value of HONE_PARITY and what follows the flags.
func (o options) check(asked string, rest []string) error {
	var errs []error
	if asked != "" && asked != "quick" {
		errs = append(errs, fmt.Errorf("HONE_PARITY is %q, expected quick, or nothing for all games", asked))
	}
	for _, f := range []struct {
		name         string
		value, least int
	}{{"jobs", o.jobs, 1}, {"games", o.family, 1}, {"golden", o.golden, 0}, {"steps", o.steps, 1}} {
		if f.value < f.least {
			errs = append(errs, fmt.Errorf("-%s %d: expected %d or more", f.name, f.value, f.least))
		}
	}
	if len(rest) > 0 {
		errs = append(errs, fmt.Errorf("%q: expected flags only", rest))
	}
	return errors.Join(errs...)
}

// forget removes the differences that an earlier run kept in a folder: they may be mended by now.
func forget(keep string) error {
	if keep == "" {
		return nil
	}
	kept, err := filepath.Glob(filepath.Join(keep, parity.KeptPrefix+"*"))
	for _, folder := range kept {
		err = errors.Join(err, os.RemoveAll(folder))
	}
	if err != nil {
		return fmt.Errorf("removing what an earlier run kept: %w", err)
	}
	return nil
}

// tally is the last line.
func tally(report *parity.Report, golden alfworld.GoldenResult, recorded parity.Recorded) (line string, differences int) {
	differences = len(report.Found) + golden.Differences + recorded.Differences
	shown := len(report.Found) + len(golden.First) + len(recorded.First)
	line = fmt.Sprintf("parity: %d games and %d rows beside ALFWorld's engine, %d games and %d rows of golden transcripts, %d games and %d rows of recorded episodes: %d differences",
		report.Games, report.Rows, golden.Games, golden.Rows, recorded.Games, recorded.Rows(), differences)
	if shown < differences {
		line += fmt.Sprintf(", of which %d are shown above", shown)
	}
	return line, differences
}

// run compares and returns the number of differences.
func (o options) run(ctx context.Context, out, progress io.Writer) (int, error) {
	if err := forget(o.keep); err != nil {
		return 0, err
	}
	games, err := o.games(progress)
	if err != nil {
		return 0, err
	}
	cfg := parity.Config{Seed: o.seed, Steps: o.steps, Keep: o.keep, Progress: teller(progress)}
	for range o.jobs {
		peer, err := parity.NewPython(o.root)
		if err != nil {
			return 0, err
		}
		defer func() { _ = peer.Close() }() // it has said what it had to
		cfg.Peers = append(cfg.Peers, peer)
	}
	report, err := parity.Run(ctx, cfg, games)
	if err != nil {
		return 0, err
	}
	if err := report.Write(out); err != nil {
		return 0, err
	}
	golden, recorded, err := o.replay(ctx, out, progress)
	if err != nil {
		return 0, err
	}
	line, differences := tally(report, golden, recorded)
	_, err = fmt.Fprintln(out, line)
	return differences, err
}

// games draws what is played on both engines.
func (o options) games(progress io.Writer) ([]parity.Drawn, error) {
	var games []parity.Drawn
	var err error
	if real := o.have(progress, "alfworld-games", "games of our own in the official language are played instead"); real != "" {
		fmt.Fprintln(progress, "parity: drawing games from", real)
		games, err = parity.DrawReal(o.seed, real, o.family)
	} else {
		var files *official.Files
		if files, err = official.Installed(filepath.Join(o.root, ".venv-bench")); err != nil {
			return nil, err
		}
		games, err = parity.DrawHousehold(o.seed, o.family, household.Rules{Domain: files.Domain, Grammar: files.Grammar})
	}
	if err != nil {
		return nil, err
	}
	if folder := o.have(progress, "alfworld-golden", "it is left out"); folder != "" {
		golden, err := parity.DrawGolden(folder)
		if err != nil {
			return nil, err
		}
		if o.golden > 0 {
			golden = spread(golden, o.golden)
		}
		games = append(golden, games...)
	}
	return games, nil
}

// spread takes n of the games, evenly from the list.
func spread(games []parity.Drawn, n int) []parity.Drawn {
	n = min(n, len(games))
	some := make([]parity.Drawn, n)
	for i := range some {
		some[i] = games[i*len(games)/n]
	}
	return some
}

// have is a folder of shared data, "" and a line that says so where it is missing.
func (o options) have(progress io.Writer, name, instead string) string {
	path := filepath.Join(o.shared, name)
	if _, err := os.Stat(path); err != nil {
		fmt.Fprintf(progress, "parity: %s is missing: %s\n", path, instead)
		return ""
	}
	return path
}

// replay plays what was recorded before, on our engine alone.
func (o options) replay(ctx context.Context, out, progress io.Writer) (golden alfworld.GoldenResult, recorded parity.Recorded, err error) {
	if folder := o.have(progress, "alfworld-golden", "no transcripts are replayed"); folder != "" {
		if golden, err = alfworld.CheckGolden(ctx, folder, nil); err != nil {
			return golden, recorded, err
		}
		for _, d := range golden.First {
			fmt.Fprintln(out, d)
		}
	}
	const instead = "no recorded episodes are replayed"
	games, episodes := o.have(progress, "alfworld-games", instead), o.have(progress, "alfworld-episodes", instead)
	if games == "" || episodes == "" {
		return golden, recorded, nil
	}
	fmt.Fprintln(progress, "parity: replaying recorded episodes")
	recorded, err = parity.ReplayRecorded(ctx, filepath.Join(episodes, "train_trajectories.jsonl.gz"), games)
	for _, d := range recorded.First {
		fmt.Fprintln(out, d)
	}
	return golden, recorded, err
}

// teller prints progress, at most once in some seconds.
func teller(w io.Writer) func(parity.Progress) {
	var last time.Time
	return func(p parity.Progress) {
		if time.Since(last) < 5*time.Second && p.Done < p.All {
			return
		}
		last = time.Now()
		fmt.Fprintf(w, "parity: %d of %d games, %d differences, %v left\n", p.Done, p.All, p.Differences, p.Left.Round(time.Second))
	}
}
