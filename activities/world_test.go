package activities_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/household"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/gputest"
	"github.com/hone-rl/hone/hints"
)

// do names activities as workflows do.
var do *activities.Activities

// world is a store and a worker on it. Its games are real.
type world struct {
	*activities.Activities
	env *testsuite.TestActivityEnvironment
}

// quiet drops the test environment's log.
type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}

// newWorld is a new worker, with empty folders, on the store.
func newWorld(t *testing.T, store artifacts.Store, runner gpu.Runner) *world {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quiet{})
	w := &world{
		Activities: &activities.Activities{
			Store: store, Cache: t.TempDir(), Scratch: t.TempDir(), Host: "here", Now: time.Now, Runner: runner,
			Producer: artifacts.Producer{Name: "hone", Version: "test"},
			OpenGame: func(_ context.Context, id string, data []byte) (env.Game, error) { return alfworld.Parse(id, data) },
		},
		env: suite.NewTestActivityEnvironment(),
	}
	w.env.RegisterActivityWithOptions(w.Activities, activity.RegisterOptions{SkipInvalidStructFunctions: true})
	w.env.SetTestTimeout(time.Minute)
	return w
}

// call runs an activity, given by its method of the nil pointer do.
func call[R any](w *world, method, in any) (R, error) {
	var res R
	value, err := w.env.ExecuteActivity(method, in)
	if err == nil && value.HasValue() {
		err = value.Get(&res)
	}
	return res, err
}

func must[R any](t *testing.T, w *world, method, in any) R {
	t.Helper()
	res, err := call[R](w, method, in)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// final asserts that err is one that no retry mends, of that kind and with these words.
func final(t *testing.T, err error, kind string, words ...string) {
	t.Helper()
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || !app.NonRetryable() || app.Type() != kind {
		t.Fatalf("got %v, want a final error of type %s", err, kind)
	}
	for _, word := range words {
		if !strings.Contains(app.Message(), word) {
			t.Errorf("got %q, want %q in it", app.Message(), word)
		}
	}
}

// key is a stage's key for a test.
func key(name string) artifacts.Digest { return artifacts.Of([]byte(name)) }

// homes are embedded games, made once.
var homes = func() func(t *testing.T) []activities.GameFile {
	var made []activities.GameFile
	return func(t *testing.T) []activities.GameFile {
		t.Helper()
		if made == nil {
			cfg := household.Config{Seed: 3, Train: 12, ValidSeen: 2, ValidUnseen: 6, Mix: household.EvenMix}
			for g, err := range household.Generate(cfg) {
				if err != nil {
					t.Fatal(err)
				}
				made = append(made, activities.GameFile{ID: g.ID, Split: g.Split, Family: g.Family, Data: g.Data})
			}
		}
		return slices.Clone(made)
	}
}()

func seq(games []activities.GameFile) iter.Seq2[activities.GameFile, error] {
	return func(yield func(activities.GameFile, error) bool) {
		for _, g := range games {
			if !yield(g, nil) {
				return
			}
		}
	}
}

// list stores games as a list.
func (w *world) list(t *testing.T, games []activities.GameFile) artifacts.Digest {
	t.Helper()
	m, err := activities.StoreGames(t.Context(), w.Store, seq(games), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	m.SchemaVersion, m.MediaType, m.Producer = 1, artifacts.MediaTypeManifest, w.Producer
	d, err := artifacts.PutManifest(t.Context(), w.Store, *m)
	if err != nil {
		t.Fatal(err)
	}
	return d.Digest
}

// train are the games of the train split, sorted by id as a list has them.
func train(t *testing.T) []activities.GameFile {
	games := slices.DeleteFunc(homes(t), func(g activities.GameFile) bool { return g.Split != "train" })
	slices.SortFunc(games, func(a, b activities.GameFile) int { return strings.Compare(a.ID, b.ID) })
	return games
}

// enlarged is a game with n more objects: too large where limits say so, and good for nothing else.
func enlarged(t *testing.T, g activities.GameFile, n int) activities.GameFile {
	t.Helper()
	var file map[string]any
	if err := json.Unmarshal(g.Data, &file); err != nil {
		t.Fatal(err)
	}
	var more strings.Builder
	more.WriteString("(:objects\n")
	for i := range n {
		fmt.Fprintf(&more, "surplus%d - object\n", i)
	}
	problem := file["pddl_problem"].(string)
	file["pddl_problem"] = strings.Replace(problem, "(:objects\n", more.String(), 1)
	var err error
	if g.Data, err = json.Marshal(file); err != nil {
		t.Fatal(err)
	}
	return g
}

func params() activities.HintParameters {
	return activities.HintParameters{
		Split: "train", Plans: []env.PlanKind{env.Search}, History: 2, Validation: 300, Seed: 1,
		Deadline: time.Minute, Attempts: 1,
	}
}

// hinted makes the dataset of a list in chunks of n games.
func (w *world) hinted(t *testing.T, in activities.HintChunkInput, n int) activities.DatasetResult {
	t.Helper()
	total := must[int](t, w, do.CountGames, in)
	var chunks []activities.Chunk
	for from := 0; from < total; from += n {
		in.From, in.To = from, min(from+n, total)
		chunks = append(chunks, must[activities.HintChunkResult](t, w, do.HintChunk, in).Chunk)
	}
	slices.Reverse(chunks) // they end in any order
	in.From, in.To = 0, 0
	var detours hints.Recovery
	if in.Recovery != nil {
		detours = *in.Recovery
	}
	return must[activities.DatasetResult](t, w, do.AssembleDataset, activities.AssembleInput{
		Key: key(fmt.Sprint(in.Games, in.Previous, in.Limits, detours)), Input: in, Chunks: chunks,
	})
}

// manifest reads one.
func (w *world) manifest(t *testing.T, d artifacts.Digest) *artifacts.Manifest {
	t.Helper()
	m, err := artifacts.GetManifest(t.Context(), w.Store, d)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// file reads an artifact's file.
func (w *world) file(t *testing.T, d artifacts.Digest, name string) []byte {
	t.Helper()
	for _, out := range w.manifest(t, d).Outputs {
		if out.Name == name {
			raw, err := artifacts.ReadAll(t.Context(), w.Store, out.Digest, out.Size)
			if err != nil {
				t.Fatal(err)
			}
			return raw
		}
	}
	t.Fatalf("%s has no %s", d, name)
	return nil
}

func newStore() artifacts.Store { return mem.New() }

var _ gpu.Runner = (*gputest.Runner)(nil)
