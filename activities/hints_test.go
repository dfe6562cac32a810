package activities_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/hints"
)

const (
	recordsFile  = activities.DatasetName + hints.RecordsSuffix
	excludedFile = activities.DatasetName + hints.ExcludedSuffix
)

func (w *world) excluded(t *testing.T, d artifacts.Digest) []hints.Excluded {
	t.Helper()
	games, err := hints.ReadExcluded(bytes.NewReader(w.file(t, d, excludedFile)))
	if err != nil {
		t.Fatal(err)
	}
	return games
}

// without are the lines of records that are not of the game.
func without(records []byte, game string) []byte {
	var left []byte
	for line := range bytes.SplitAfterSeq(records, []byte("\n")) {
		if !bytes.Contains(line, []byte(`"game":"`+game+`"`)) {
			left = append(left, line...)
		}
	}
	return left
}

// TestDatasetDoesNotDependOnChunks: one key, so that another digest would be a conflict too.
func TestDatasetDoesNotDependOnChunks(t *testing.T) {
	w := newWorld(t, newStore(), nil)
	in := activities.HintChunkInput{Games: w.list(t, homes(t)), HintParameters: params()}
	want := w.hinted(t, in, 100)
	if want.Games != 12 || want.Excluded != 0 || want.Records < 12*3 {
		t.Errorf("got %+v, want records of the 12 games of the split", want)
	}
	for _, n := range []int{1, 5, 12} {
		if got := w.hinted(t, in, n); got.Digest != want.Digest {
			t.Errorf("chunks of %d games: got %s, want %s", n, got.Digest, want.Digest)
		}
	}
}

// TestDetours: a dataset with ways back does not depend on chunks either, says how many it has, and leaves the other
// records as they are.
func TestDetours(t *testing.T) {
	w := newWorld(t, newStore(), nil)
	list := w.list(t, homes(t))
	without := w.hinted(t, activities.HintChunkInput{Games: list, HintParameters: params()}, 12)
	in := activities.HintChunkInput{Games: list, HintParameters: params()}
	in.Recovery = &hints.Recovery{PerGame: 2, Seed: 1}
	want := w.hinted(t, in, 100)
	for _, n := range []int{1, 5, 12} {
		if got := w.hinted(t, in, n); got.Digest != want.Digest {
			t.Errorf("chunks of %d games: got %s, want %s", n, got.Digest, want.Digest)
		}
	}
	var ordinary []byte
	for line := range bytes.SplitAfterSeq(w.file(t, want.Digest, recordsFile), []byte("\n")) {
		if !bytes.Contains(line, []byte(`"detour":`)) {
			ordinary = append(ordinary, line...)
		}
	}
	if !bytes.Equal(ordinary, w.file(t, without.Digest, recordsFile)) {
		t.Error("the records that are of no detour are not those of a dataset without detours")
	}
	more := want.Records - without.Records
	if note := fmt.Sprintf("%d more of the ways back from 24 detours (0 failed)", more); more < 48 || !strings.Contains(want.Note, note) {
		t.Errorf("note: got %q, want %q in it", want.Note, note)
	}
	var summary struct {
		Records  int                  `json:"records"`
		Experts  map[env.PlanKind]int `json:"expert_records"`
		Recovery *hints.Recovered     `json:"recovery"`
	}
	if err := json.Unmarshal(w.manifest(t, want.Digest).Summary, &summary); err != nil {
		t.Fatal(err)
	}
	if r := summary.Recovery; r == nil || r.Detours != 24 || r.Records != more || summary.Records != want.Records {
		t.Errorf("summary: got %+v, recovery %+v", summary, summary.Recovery)
	}
	if bytes.Contains(w.manifest(t, without.Digest).Summary, []byte("recovery")) {
		t.Error("the summary speaks of detours that nobody asked for")
	}
}

// slowAfter is a game whose plans take for ever once it has been walked about in.
type slowAfter struct{ env.Game }

type slowEpisode struct{ env.Episode }

func (g slowAfter) Start(ctx context.Context, limits env.Limits) (env.Episode, error) {
	e, err := g.Game.Start(ctx, limits)
	return slowEpisode{e}, err
}

func (e slowEpisode) Goal() env.Goal { return e.Episode.(env.Expert).Goal() }

func (e slowEpisode) Plan(ctx context.Context, kind env.PlanKind) ([]string, error) {
	if e.Now().Moves > 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return e.Episode.(env.Expert).Plan(ctx, kind)
}

// TestDetoursByTheClock: a game whose detours meet the deadline is tried again, and at the last keeps its records.
func TestDetoursByTheClock(t *testing.T) {
	t.Parallel() // it waits for the clock
	w := newWorld(t, newStore(), nil)
	open := w.OpenGame
	w.OpenGame = func(ctx context.Context, id string, data []byte) (env.Game, error) {
		g, err := open(ctx, id, data)
		return slowAfter{g}, err
	}
	games := train(t)[:1]
	in := activities.HintChunkInput{Games: w.list(t, games), To: 1, HintParameters: params()}
	in.Recovery, in.Deadline, in.Attempts = &hints.Recovery{PerGame: 1, Seed: 1}, 500*time.Millisecond, 2
	first := must[activities.HintChunkResult](t, w, do.HintChunk, in)
	if first.Played != 0 || !slices.Equal(first.TimedOut, []string{games[0].ID}) {
		t.Fatalf("first attempt: got %+v, want the game to be tried again", first)
	}
	again := in
	again.Only, again.Attempt = first.TimedOut, 2
	second := must[activities.HintChunkResult](t, w, do.HintChunk, again)
	ds := must[activities.DatasetResult](t, w, do.AssembleDataset, activities.AssembleInput{
		Key: key("slow"), Input: in, Chunks: []activities.Chunk{first.Chunk, second.Chunk},
	})
	want := []hints.Excluded{{Game: games[0].ID, Detour: 1, Kind: hints.ExcludedByClock, Reason: "the wall-clock net of the game ended"}}
	if out := w.excluded(t, ds.Digest); ds.Games != 1 || ds.Excluded != 0 || ds.Records == 0 || !slices.Equal(out, want) {
		t.Errorf("got %+v and %+v, want the game's records and %+v", ds, out, want)
	}
	if !strings.Contains(ds.Note, "0 more of the ways back from 0 detours (1 failed (clock 1)), 0 excluded") {
		t.Errorf("note: got %q", ds.Note)
	}
	retry := in
	retry.Previous = ds.Digest
	_, err := call[int](w, do.CountGames, retry)
	final(t, err, activities.ErrTypeBadInput, "there is nothing to play")
}

// TestLongTextIsExcluded: a game that says more than a record holds is left out with its reason, and the run goes on.
func TestLongTextIsExcluded(t *testing.T) {
	w := newWorld(t, newStore(), nil)
	open := w.OpenGame
	games := train(t)[:3]
	w.OpenGame = func(ctx context.Context, id string, data []byte) (env.Game, error) {
		g, err := open(ctx, id, data)
		if id == games[1].ID {
			g = verbose{g}
		}
		return g, err
	}
	got := w.hinted(t, activities.HintChunkInput{Games: w.list(t, games), HintParameters: params()}, 2)
	out := w.excluded(t, got.Digest)
	if got.Games != 2 || len(out) != 1 || out[0].Game != games[1].ID || out[0].Kind != hints.ExcludedByError || !strings.Contains(out[0].Reason, "expected at most 4194304") {
		t.Errorf("got %+v and %+v, want %s excluded for its length", got, out, games[1].ID)
	}
}

// verbose is a game with an opening text of 20 MB.
type verbose struct{ env.Game }

type verboseEpisode struct {
	env.Episode
	env.Expert
}

func (g verbose) Start(ctx context.Context, limits env.Limits) (env.Episode, error) {
	e, err := g.Game.Start(ctx, limits)
	return verboseEpisode{e, e.(env.Expert)}, err
}

func (e verboseEpisode) Now() env.Observation {
	now := e.Episode.Now()
	now.Text += strings.Repeat("a mug, ", 3_000_000)
	return now
}

// TestExcludedByBudget: the reason is a function of game and limits, the others are as without it.
func TestExcludedByBudget(t *testing.T) {
	w := newWorld(t, newStore(), nil)
	games := train(t)
	whole := w.hinted(t, activities.HintChunkInput{Games: w.list(t, games), HintParameters: params()}, 4)
	large := games[5].ID
	games[5] = enlarged(t, games[5], 6000)
	got := w.hinted(t, activities.HintChunkInput{Games: w.list(t, games), HintParameters: params()}, 4)
	want := []hints.Excluded{{Game: large, Kind: hints.ExcludedByBudget, Reason: "generating records of " + large + ": game exceeds its budget of 5000 objects"}}
	if out := w.excluded(t, got.Digest); !slices.Equal(out, want) {
		t.Errorf("got %+v, want %+v", out, want)
	}
	if !strings.Contains(got.Note, "1 excluded (budget 1)") {
		t.Errorf("note: got %q, want that one is excluded by budget", got.Note)
	}
	if !bytes.Equal(w.file(t, got.Digest, recordsFile), without(w.file(t, whole.Digest, recordsFile), large)) {
		t.Error("the other games' records are not those of a dataset with it")
	}
}

// TestBrokenGamesAreExcluded: what is no game at all is left out with what was expected.
func TestBrokenGamesAreExcluded(t *testing.T) {
	w := newWorld(t, newStore(), nil)
	games := train(t)[:4]
	games[1].Data = games[1].Data[:len(games[1].Data)/2]
	games[2].Data = bytes.Replace(games[2].Data, []byte("(:objects"), []byte("(:objekts"), 1)
	got := w.hinted(t, activities.HintChunkInput{Games: w.list(t, games), HintParameters: params()}, 4)
	out := w.excluded(t, got.Digest)
	if got.Games != 2 || len(out) != 2 {
		t.Fatalf("got %+v and %v, want 2 games and 2 excluded", got, out)
	}
	for i, words := range [][]string{{games[1].ID, "end of JSON"}, {games[2].ID, "objekts"}} {
		if out[i].Game != words[0] || out[i].Kind != hints.ExcludedByError || !strings.Contains(out[i].Reason, words[1]) {
			t.Errorf("got %+v, want %v", out[i], words)
		}
	}
}

// silent is a game that never answers a step, whatever its context says.
type silent struct {
	env.Game
	until <-chan struct{}
}

func (g silent) Start(ctx context.Context, limits env.Limits) (env.Episode, error) {
	e, err := g.Game.Start(ctx, limits)
	return silentEpisode{e, e.(env.Expert), g.until}, err
}

type silentEpisode struct {
	env.Episode
	env.Expert
	until <-chan struct{}
}

func (e silentEpisode) Step(context.Context, string) (env.Observation, error) {
	<-e.until
	return env.Observation{}, context.Canceled
}

// silence makes one of w's games a silent one.
func (w *world) silence(t *testing.T, id string) {
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	open := w.OpenGame
	w.OpenGame = func(ctx context.Context, name string, data []byte) (env.Game, error) {
		g, err := open(ctx, name, data)
		if name == id {
			return silent{g, over}, err
		}
		return g, err
	}
}

// TestSilentGame: a game that never answers is tried as often as allowed and then excluded by the clock; the rest of
// its chunk is unharmed.
func TestSilentGame(t *testing.T) {
	t.Parallel() // it waits for the clock
	w := newWorld(t, newStore(), nil)
	games := train(t)[:4]
	id := games[1].ID
	in := activities.HintChunkInput{Games: w.list(t, games), To: 4, HintParameters: params()}
	in.Deadline, in.Attempts = time.Second, 2
	whole := must[activities.HintChunkResult](t, w, do.HintChunk, in)
	w.silence(t, id)
	first := must[activities.HintChunkResult](t, w, do.HintChunk, in)
	if first.Played != 3 || !slices.Equal(first.TimedOut, []string{id}) {
		t.Fatalf("first attempt: got %d played, timed out %v, want 3 and %s", first.Played, first.TimedOut, id)
	}
	again := in
	again.Only, again.Attempt = first.TimedOut, 2
	second := must[activities.HintChunkResult](t, w, do.HintChunk, again)
	if second.Played != 1 || len(second.TimedOut) != 0 {
		t.Errorf("second attempt of two: got %+v, want the game excluded", second)
	}
	ds := must[activities.DatasetResult](t, w, do.AssembleDataset, activities.AssembleInput{
		Key: key("silent"), Input: in, Chunks: []activities.Chunk{first.Chunk, second.Chunk},
	})
	if out := w.excluded(t, ds.Digest); len(out) != 1 || out[0].Game != id || out[0].Kind != hints.ExcludedByClock || out[0].Attempts != 2 {
		t.Errorf("got %+v, want %s excluded by the clock after two attempts", out, id)
	}
	records, err := artifacts.ReadAll(t.Context(), w.Store, whole.Records.Digest, whole.Records.Size)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(w.file(t, ds.Digest, recordsFile), without(records, id)) {
		t.Error("the other games' records are not those of a chunk in which all answer")
	}
}

// TestOneAttemptIsOne: with Attempts 1 the first deadline excludes.
func TestOneAttemptIsOne(t *testing.T) {
	t.Parallel() // it waits for the clock
	w := newWorld(t, newStore(), nil)
	games := train(t)[:1]
	w.silence(t, games[0].ID)
	in := activities.HintChunkInput{Games: w.list(t, games), To: 1, HintParameters: params()}
	in.Deadline = 100 * time.Millisecond
	if res := must[activities.HintChunkResult](t, w, do.HintChunk, in); res.Played != 1 || len(res.TimedOut) != 0 {
		t.Errorf("got %+v, want the game excluded", res)
	}
}

// TestLostWorkerIsTheMachines: games that took their worker down are not played, and marked as what depends on the
// machine.
func TestLostWorkerIsTheMachines(t *testing.T) {
	w := newWorld(t, newStore(), nil)
	games := train(t)[:1]
	in := activities.HintChunkInput{Games: w.list(t, games), To: 1, Exclude: "its worker was lost", Attempt: 5, HintParameters: params()}
	res := must[activities.HintChunkResult](t, w, do.HintChunk, in)
	raw, err := artifacts.ReadAll(t.Context(), w.Store, res.Excluded.Digest, res.Excluded.Size)
	want := `{"game":"` + games[0].ID + `","kind":"clock","attempts":5,"reason":"its worker was lost"}` + "\n"
	if err != nil || string(raw) != want {
		t.Errorf("got %s, %v, want %s", raw, err, want)
	}
}

// TestRetry: of two excluded games one is mended and given alone. The old version stays, its records stand in the new
// one byte for byte, the other game is still excluded.
func TestRetry(t *testing.T) {
	w := newWorld(t, newStore(), nil)
	games := train(t)
	whole := w.hinted(t, activities.HintChunkInput{Games: w.list(t, games), HintParameters: params()}, 100)
	mended, other := games[2], games[7].ID
	games[2], games[7] = enlarged(t, games[2], 6000), enlarged(t, games[7], 6000)
	old := w.hinted(t, activities.HintChunkInput{Games: w.list(t, games), HintParameters: params()}, 100)
	before := w.file(t, old.Digest, recordsFile)

	in := activities.HintChunkInput{Games: w.list(t, []activities.GameFile{mended}), Previous: old.Digest, HintParameters: params()}
	if n := must[int](t, w, do.CountGames, in); n != 1 {
		t.Fatalf("%d games to be played, want the mended one", n)
	}
	retried := w.hinted(t, in, 100)
	if retried.Games != old.Games+1 {
		t.Errorf("got %d games, want %d", retried.Games, old.Games+1)
	}
	after := w.file(t, retried.Digest, recordsFile)
	if !bytes.Equal(without(after, mended.ID), before) {
		t.Error("the old records are not byte for byte in the new version")
	}
	if !bytes.Equal(after, without(w.file(t, whole.Digest, recordsFile), other)) {
		t.Error("the new version is not what the mended games would have given at once")
	}
	if out := w.excluded(t, retried.Digest); len(out) != 1 || out[0].Game != other || out[0].Kind != hints.ExcludedByBudget {
		t.Errorf("excluded: got %+v, want %s still", out, other)
	}
	if !bytes.Equal(w.file(t, old.Digest, recordsFile), before) || len(w.excluded(t, old.Digest)) != 2 {
		t.Error("the old version has changed")
	}
	if got := w.manifest(t, retried.Digest).Inputs; !slices.Contains(got, artifacts.Input{Role: "previous", Digest: old.Digest}) {
		t.Errorf("inputs %v, want the old version among them", got)
	}
}

func TestCountGamesRefuses(t *testing.T) {
	w := newWorld(t, newStore(), nil)
	games := w.list(t, train(t)[:2])
	in := activities.HintChunkInput{Games: games, HintParameters: params()}
	ds := w.hinted(t, in, 2)
	t.Run("nothing to play again", func(t *testing.T) {
		in := in
		in.Previous = ds.Digest
		_, err := call[int](w, do.CountGames, in)
		final(t, err, activities.ErrTypeBadInput, "none of the games that dataset "+ds.Digest.Short()+" excludes")
	})
	t.Run("no game of the split", func(t *testing.T) {
		in := in
		in.Split = "valid_seen"
		_, err := call[int](w, do.CountGames, in)
		final(t, err, activities.ErrTypeBadInput, "no game of split valid_seen")
	})
	t.Run("list not stored", func(t *testing.T) {
		in := in
		in.Games = key("never stored")
		_, err := call[int](w, do.CountGames, in)
		final(t, err, activities.ErrTypeBadInput, "read games "+in.Games.Short(), "not found")
	})
	t.Run("no list", func(t *testing.T) {
		in := in
		in.Games = ds.Digest
		_, err := call[int](w, do.CountGames, in)
		final(t, err, activities.ErrTypeBadInput, "is a dataset, expected games")
	})
}
