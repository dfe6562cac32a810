package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/runs"
	"github.com/hone-rl/hone/workflows"
)

func (a *app) retryCommand() *cobra.Command {
	var games string
	var deadline time.Duration
	var detach bool
	var limits struct{ operators, objects, states, work int }
	cmd := &cobra.Command{
		Use:   "retry RUN",
		Short: "Play only the games that were excluded, and make a new version of the dataset",
		Long: `retry plays the games that the run's newest dataset excludes, under the same limits or the ones given here, and
publishes a new dataset of the old records and the new ones. The old version stays as it is; the new one names it
in its lineage. Models trained on the old version stay as they are: hone run a spec anew to train on the new one.

Where a game's file was at fault, mend it, hone games import the mended games and give the new list by --games.`,
		Example: `  hone retry demo-1a2b3c4d5e --deadline 2m
  hone retry alfworld-0f1e2d3c4b --games sha256:… --operators 200000`,
		Args: runArg(1, "a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			list := artifacts.Digest(games)
			if games != "" {
				if err := list.Validate(); err != nil {
					return usage(fmt.Errorf("--games: %w", err))
				}
			}
			store, err := a.Store(ctx)
			if err != nil {
				return err
			}
			in, err := retryInput(ctx, store, args[0])
			if err != nil {
				return usage(err)
			}
			if games != "" {
				in.Games = list
			}
			if deadline > 0 {
				in.Hints.Deadline = workflows.Duration(deadline)
			}
			for _, l := range []struct{ from, to *int }{
				{&limits.operators, &in.Hints.Limits.Operators},
				{&limits.objects, &in.Hints.Limits.Objects},
				{&limits.states, &in.Hints.Limits.States},
				{&limits.work, &in.Hints.Limits.Work},
			} {
				if *l.from > 0 {
					*l.to = *l.from
				}
			}
			return a.startRetry(ctx, *in, detach)
		},
	}
	f := cmd.Flags()
	f.StringVar(&games, "games", "", "a game list with mended files, by digest (default: the run's own)")
	f.DurationVar(&deadline, "deadline", 0, "wall clock a game (default: the run's)")
	f.IntVar(&limits.operators, "operators", 0, "limit of grounded operators of a game (default: the run's)")
	f.IntVar(&limits.objects, "objects", 0, "limit of objects of a game (default: the run's)")
	f.IntVar(&limits.states, "states", 0, "limit of states expanded by a plan (default: the run's)")
	f.IntVar(&limits.work, "work", 0, "limit of condition tests while loading a game (default: the run's)")
	f.BoolVar(&detach, "detach", false, "start it and do not wait")
	return cmd
}

// retryInput is the run's hint generation for one more version of its dataset.
func retryInput(ctx context.Context, store artifacts.Store, run string) (*workflows.HintInput, error) {
	spec, err := runs.Spec(ctx, store, run)
	if err != nil {
		return nil, err
	}
	games, err := store.Resolve(ctx, activities.RunName(run, "games"))
	if err != nil {
		return nil, fmt.Errorf("games of run %s: %w", run, err)
	}
	version, newest, err := newestDataset(ctx, store, run)
	if err != nil {
		return nil, err
	}
	m, err := artifacts.GetManifest(ctx, store, newest)
	if err != nil {
		return nil, fmt.Errorf("dataset of run %s: %w", run, err)
	}
	var s struct {
		Excluded int `json:"excluded"`
	}
	if err := json.Unmarshal(m.Summary, &s); err == nil && s.Excluded == 0 {
		return nil, fmt.Errorf("the newest dataset of run %s, %s, excludes no game: there is nothing to play again", run, newest.Short())
	}
	return &workflows.HintInput{
		Run: run, Name: fmt.Sprintf("hints-%d", version+1), Games: games, Hints: spec.Hints, Previous: newest,
	}, nil
}

// newestDataset is the run's dataset of the highest version: hints, hints-2, …
func newestDataset(ctx context.Context, store artifacts.Store, run string) (int, artifacts.Digest, error) {
	prefix := activities.RunName(run, "hints")
	names, err := store.Names(ctx, prefix)
	if err != nil {
		return 0, "", err
	}
	version, newest := 0, ""
	for _, name := range names {
		v := 1
		if suffix := strings.TrimPrefix(name, prefix); suffix != "" {
			if v, err = strconv.Atoi(strings.TrimPrefix(suffix, "-")); err != nil {
				continue // another stage's name
			}
		}
		if v > version {
			version, newest = v, name
		}
	}
	if version == 0 {
		return 0, "", fmt.Errorf("run %s has no dataset yet", run)
	}
	d, err := store.Resolve(ctx, newest)
	return version, d, err
}

func (a *app) startRetry(ctx context.Context, in workflows.HintInput, detach bool) error {
	c, err := a.Dial(ctx, client.Options{Logger: quiet{}})
	if err != nil {
		return err
	}
	defer c.Close()
	id := in.Run + "/" + in.Name
	if _, err := a.start(ctx, c, id, workflows.HintGeneration, in); err != nil {
		return fmt.Errorf("start %s: %w", id, err)
	}
	fmt.Printf("retry %s\n", id)
	if detach {
		return nil
	}
	return a.watch(ctx, c, id)
}
