package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/coldstart"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/hints"
)

// expertGames makes episodes of the records of a dataset's games.
type expertGames struct {
	*Activities
	// Distil asks for the ends of games, History is how many turns are shown.
	ColdStartParameters
	dataset artifacts.Digest
	limits  env.Limits
	tick    func(games int)

	listed map[string]ListedGame // the dataset's games, read where their ends are asked for
	done   int
}

// episodes are the games of records, each by the plan from its first state: what was said after a detour is no part of
// it. Every game of a dataset is won.
func (w *expertGames) episodes(ctx context.Context, records []hints.Record) ([]coldstart.Episode, error) {
	var all []coldstart.Episode
	for _, r := range records {
		if r.Detour > 0 {
			continue
		}
		if r.Step == 1 {
			all = append(all, coldstart.Episode{Game: r.Game, Family: r.Family})
		}
		n := len(all) - 1
		if n < 0 || all[n].Game != r.Game || len(all[n].Decisions) != r.Step-1 {
			return nil, final(ErrTypeBadInput, fmt.Errorf("dataset %s: step %d of %s does not stand behind the step before", w.dataset.Short(), r.Step, r.Game))
		}
		all[n].Decisions = append(all[n].Decisions, coldstart.Decision{X: w.shown(r.X, all[n].Decisions), Command: r.Y})
	}
	if !w.Distil {
		return all, nil
	}
	for i := range all {
		if err := w.end(ctx, &all[i]); err != nil {
			return nil, err
		}
		w.done++
		w.tick(w.done)
	}
	return all, nil
}

// shown is what a player knows, with the turns before it that are shown.
func (w *expertGames) shown(x agent.X, before []coldstart.Decision) agent.X {
	x.History = []agent.Turn{}
	for _, d := range before[max(0, len(before)-cmp.Or(w.History, defaultHistory)):] {
		x.History = append(x.History, agent.Turn{Observation: d.X.Observation, Command: d.Command})
	}
	return x
}

// end plays the game to hear what it says to the last command, which no record has and a lesson is drawn from.
func (w *expertGames) end(ctx context.Context, e *coldstart.Episode) error {
	if w.listed == nil {
		w.listed = map[string]ListedGame{}
		if err := w.list(ctx, w.dataset); err != nil {
			return err
		}
	}
	listed, ok := w.listed[e.Game]
	if !ok {
		return final(ErrTypeBadInput, fmt.Errorf("cold_start.distil: game %s of dataset %s is in none of its game lists", e.Game, w.dataset.Short()))
	}
	game, err := w.openGame(ctx, listed)
	if err != nil {
		return err
	}
	last, err := playedOut(ctx, game, w.limits, e.Decisions)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return final(ErrTypeBadInput, fmt.Errorf("cold_start.distil: playing game %s of dataset %s to its end: %w", e.Game, w.dataset.Short(), err))
	}
	e.Last = last
	return nil
}

// list adds the games that a dataset was made of, and those of the versions before it.
func (w *expertGames) list(ctx context.Context, d artifacts.Digest) error {
	m, err := w.manifest(ctx, d, artifacts.KindDataset)
	if err != nil {
		return err
	}
	for _, in := range m.Inputs {
		switch in.Role {
		case "games":
			games, err := ReadGameList(ctx, w.Store, in.Digest)
			if err != nil {
				return err
			}
			for _, g := range games {
				w.listed[g.ID] = g
			}
		case "previous":
			if err := w.list(ctx, in.Digest); err != nil {
				return err
			}
		}
	}
	return nil
}

// playedOut is what a game says to the last of the commands, which wins.
func playedOut(ctx context.Context, game env.Game, limits env.Limits, decisions []coldstart.Decision) (string, error) {
	episode, err := game.Start(ctx, limits)
	if err != nil {
		return "", err
	}
	now := episode.Now()
	for i, d := range decisions {
		if now.Text != d.X.Observation {
			return "", fmt.Errorf("step %d: the game says %.80q, the dataset %.80q", i+1, now.Text, d.X.Observation)
		}
		if now, err = episode.Step(ctx, d.Command); err != nil {
			return "", fmt.Errorf("step %d, %q: %w", i+1, d.Command, err)
		}
	}
	if !now.Won {
		return "", errors.New("its commands do not win")
	}
	return now.Text, nil
}
