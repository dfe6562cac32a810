package activities

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/hints"
)

// HintParameters are what records depend on beside the games.
type HintParameters struct {
	Split      string          `json:"split"`
	Plans      []env.PlanKind  `json:"plans"` // the first that wins is followed
	History    int             `json:"history"`
	Validation int             `json:"validationPerMille"`
	Seed       uint64          `json:"seed"`               // of the draw of validation games
	Recovery   *hints.Recovery `json:"recovery,omitempty"` // nil: no detours
	Limits     env.Limits      `json:"limits"`
	Deadline   time.Duration   `json:"deadline"` // wall clock a game, in nanoseconds: the net under the limits
	Attempts   int             `json:"attempts"` // of a game that met its deadline
}

// generate is the part that the hints room knows.
func (p HintParameters) generate() hints.GenerateConfig {
	return hints.GenerateConfig{Plans: p.Plans, Limits: p.Limits, History: p.History, Recovery: p.Recovery}
}

// HintChunkInput asks for the records of games From up to To of those to be played, or of Only.
type HintChunkInput struct {
	Games    artifacts.Digest `json:"games"`
	Previous artifacts.Digest `json:"previous,omitempty"` // a dataset of which only the excluded games are played
	From     int              `json:"from"`
	To       int              `json:"to"`
	Only     []string         `json:"only,omitempty"`
	Attempt  int              `json:"attempt,omitempty"` // of the games in Only; 0 and 1: the first. With Exclude, how many there were
	Exclude  string           `json:"exclude,omitempty"` // do not play them: exclude them for this reason
	HintParameters
}

// Chunk points at the records of some games and at those without.
type Chunk struct {
	Records  artifacts.Descriptor `json:"records"`
	Excluded artifacts.Descriptor `json:"excluded"`
}

// HintChunkResult is a chunk and what is left to do.
type HintChunkResult struct {
	Chunk
	Played   int      `json:"played"`             // games with records or excluded
	TimedOut []string `json:"timedOut,omitempty"` // games that met their deadline and have attempts left
	Work     Work     `json:"work"`
}

// CountGames says how many games a dataset will be made of.
func (a *Activities) CountGames(ctx context.Context, in HintChunkInput) (int, error) {
	defer a.beat(ctx).stop()
	list, err := a.hintGames(ctx, in)
	if err != nil {
		return 0, classify(err)
	}
	if len(list) == 0 && in.Previous == "" {
		return 0, final(ErrTypeBadInput, fmt.Errorf("game list %s has no game of split %s", in.Games.Short(), in.Split))
	}
	if len(list) == 0 {
		return 0, final(ErrTypeBadInput, fmt.Errorf("game list %s has none of the games that dataset %s excludes: there is nothing to play",
			in.Games.Short(), in.Previous.Short()))
	}
	return len(list), nil
}

// hintGames are the games to be played, sorted by id.
func (a *Activities) hintGames(ctx context.Context, in HintChunkInput) ([]ListedGame, error) {
	list, err := ReadGameList(ctx, a.Store, in.Games)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(g ListedGame) bool { return g.Split != in.Split })
	if in.Previous == "" {
		return list, nil
	}
	before, err := a.readExcluded(ctx, in.Previous)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(g ListedGame) bool {
		return !slices.ContainsFunc(before, func(e hints.Excluded) bool { return e.Game == g.ID && e.Detour == 0 })
	}), nil
}

// HintChunk plays the expert in some games and stores their records.
func (a *Activities) HintChunk(ctx context.Context, in HintChunkInput) (*HintChunkResult, error) {
	beat := a.beat(ctx)
	defer beat.stop()
	list, err := a.hintGames(ctx, in)
	if err != nil {
		return nil, classify(err)
	}
	if len(in.Only) > 0 {
		list = slices.DeleteFunc(list, func(g ListedGame) bool { return !slices.Contains(in.Only, g.ID) })
	} else if list = list[in.From:min(in.To, len(list))]; len(list) == 0 {
		return nil, final(ErrTypeBadInput, fmt.Errorf("games %d to %d: there are none", in.From+1, in.To))
	}
	if len(list) > 0 && list[0].File == GoalFileName { // which reads its shop's catalogue: in nobody's time
		if _, err := a.openGame(ctx, list[0]); err != nil {
			return nil, classify(err)
		}
	}
	var res HintChunkResult
	var records, excluded bytes.Buffer
	var out []hints.Excluded
	for i, listed := range list {
		made, err := a.recordsOf(ctx, listed, in)
		switch {
		case in.Exclude != "":
			// What takes a worker down depends on the machine, as the clock does.
			out = append(out, hints.Excluded{Game: listed.ID, Kind: hints.ExcludedByClock, Attempts: in.Attempt, Reason: in.Exclude})
			res.Played++
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, errStore), errors.Is(err, ErrUnread):
			return nil, classify(err)
		case (errors.Is(err, context.DeadlineExceeded) || made.Late()) && max(in.Attempt, 1) < in.Attempts:
			res.TimedOut = append(res.TimedOut, listed.ID)
		case err != nil:
			e := hints.Exclude(listed.ID, err)
			if e.Kind == hints.ExcludedByClock {
				e.Attempts = max(in.Attempt, 1)
			}
			out = append(out, e)
			res.Played++
		default:
			records.Write(made.Lines)
			out = append(out, made.Failed...)
			res.Played++
		}
		beat.report(Beat{Done: i + 1, Of: len(list), Unit: "games"})
	}
	if err := hints.WriteExcluded(&excluded, out); err != nil {
		return nil, err
	}
	if res.Records, err = artifacts.PutBytes(ctx, a.Store, mediaJSONL, records.Bytes()); err != nil {
		return nil, classify(fmt.Errorf("store records: %w", err))
	}
	if res.Excluded, err = artifacts.PutBytes(ctx, a.Store, mediaJSONL, excluded.Bytes()); err != nil {
		return nil, classify(fmt.Errorf("store excluded games: %w", err))
	}
	res.Work = beat.work()
	return &res, nil
}

// errStore marks failures that are not the game's.
var errStore = errors.New("store")

// recordsOf plays one game within its limits and its deadline. A game that does not even look at its deadline is
// left behind after a grace, with its goroutine.
func (a *Activities) recordsOf(ctx context.Context, listed ListedGame, in HintChunkInput) (hints.Made, error) {
	if in.Exclude != "" {
		return hints.Made{}, nil
	}
	data, err := artifacts.ReadAll(ctx, a.Store, listed.Digest, listed.Size)
	if err != nil {
		return hints.Made{}, fmt.Errorf("%w: read game %s: %w", errStore, listed.ID, err)
	}
	ctx, cancel := context.WithTimeout(ctx, in.Deadline)
	defer cancel()
	type answer struct {
		made hints.Made
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		game, err := a.OpenGame(ctx, listed.ID, data)
		if err != nil {
			done <- answer{err: err}
			return
		}
		made, err := hints.Make(ctx, game, in.generate())
		done <- answer{made, err}
	}()
	select {
	case got := <-done:
		return got.made, got.err
	case <-ctx.Done():
	}
	select {
	case got := <-done:
		return got.made, got.err
	case <-time.After(grace):
		return hints.Made{}, context.DeadlineExceeded
	}
}

// grace is how long after its deadline a game may take to notice.
const grace = 2 * time.Second
