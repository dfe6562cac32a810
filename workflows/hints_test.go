package workflows_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/hints"
	"github.com/hone-rl/hone/workflows"
)

// hintWorld answers the activities of a hint generation and remembers what was asked of it.
type hintWorld struct {
	games    int
	slow     map[int]int  // games that time out, by how many attempts
	deadly   map[int]bool // games that take their worker down
	fault    func() error // of a chunk; may be nil
	found    artifacts.Digest
	chunks   []activities.HintChunkInput // that were answered
	hints    workflows.HintsSpec         // the plan, if another than search, and detours
	assembly activities.AssembleInput
	finished activities.Finished
}

func (w *hintWorld) register(env *testsuite.TestWorkflowEnvironment) {
	env.RegisterActivity(&activities.Activities{})
	var do *activities.Activities
	env.OnActivity(do.Begin, anything, anything).Return(func(context.Context, activities.StageInput) (*activities.Begun, error) {
		return &activities.Begun{Key: artifacts.Of([]byte("key")), Found: w.found}, nil
	})
	env.OnActivity(do.CountGames, anything, anything).Return(w.games, nil)
	env.OnActivity(do.HintChunk, anything, anything).Return(w.chunk)
	env.OnActivity(do.AssembleDataset, anything, anything).Return(func(_ context.Context, in activities.AssembleInput) (*activities.DatasetResult, error) {
		w.assembly = in
		return &activities.DatasetResult{Digest: artifacts.Of([]byte("dataset")), Note: "made"}, nil
	})
	env.OnActivity(do.Finish, anything, anything).Return(func(_ context.Context, in activities.Finished) error {
		w.finished = in
		return nil
	})
}

func (w *hintWorld) chunk(_ context.Context, in activities.HintChunkInput) (*activities.HintChunkResult, error) {
	if w.fault != nil {
		if err := w.fault(); err != nil {
			return nil, err
		}
	}
	res := &activities.HintChunkResult{}
	games := make([]int, 0, in.To-in.From)
	for i := in.From; i < in.To; i++ {
		games = append(games, i)
	}
	for _, id := range in.Only {
		i, err := strconv.Atoi(id)
		if err != nil {
			return nil, err
		}
		games = append(games, i)
	}
	for _, i := range games {
		switch {
		case in.Exclude != "":
			res.Played++
		case w.deadly[i]:
			return nil, temporal.NewTimeoutError(enums.TIMEOUT_TYPE_HEARTBEAT, errors.New("lost"))
		case w.slow[i] >= max(in.Attempt, 1) && max(in.Attempt, 1) < in.Attempts:
			res.TimedOut = append(res.TimedOut, strconv.Itoa(i))
		default:
			res.Played++
		}
	}
	w.chunks = append(w.chunks, in)
	return res, nil
}

func (w *hintWorld) execute(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(silent{})
	flows := suite.NewTestWorkflowEnvironment()
	flows.SetWorkerOptions(patient)
	flows.SetTestTimeout(time.Minute)
	w.register(flows)
	in := w.hints
	in.Split, in.Chunk, in.Parallel, in.Attempts, in.Deadline = "train", 10, 2, 3, workflows.Duration(time.Second)
	in.Plan = cmp.Or(in.Plan, "search")
	flows.ExecuteWorkflow(workflows.HintGeneration, workflows.HintInput{
		Run: "r", Name: "hints", Games: artifacts.Of([]byte("games")), Hints: in,
	})
	return flows
}

func (w *hintWorld) run(t *testing.T) workflows.StageResult {
	t.Helper()
	env := w.execute(t)
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	var res workflows.StageResult
	if err := env.GetWorkflowResult(&res); err != nil {
		t.Fatal(err)
	}
	return res
}

func TestHintGenerationChunks(t *testing.T) {
	w := &hintWorld{games: 25}
	res := w.run(t)
	if res.Digest != artifacts.Of([]byte("dataset")) || res.Reused || res.Note != "made" {
		t.Errorf("got %+v", res)
	}
	if got, want := len(w.assembly.Chunks), 3; got != want {
		t.Errorf("chunks of 10, 10 and 5 games: got %d, want %d", got, want)
	}
	if w.finished.Digest != res.Digest || w.finished.Run != "r" || w.finished.Name != "hints" {
		t.Errorf("the record is of %+v", w.finished)
	}
}

// TestHintGenerationPlans: where an expert that goes by rules has no plan the planner follows; whoever asks for
// walkthroughs gets nothing else. Detours are asked for in every chunk, or nowhere.
func TestHintGenerationPlans(t *testing.T) {
	for name, c := range map[string]struct {
		hints workflows.HintsSpec
		want  []env.PlanKind
	}{
		"search":                      {workflows.HintsSpec{Plan: env.Search}, []env.PlanKind{env.Search, env.Planner}},
		"straight, walkthrough first": {workflows.HintsSpec{Plan: env.Straight, Prefer: true}, []env.PlanKind{env.Walkthrough, env.Straight, env.Planner}},
		"explore":                     {workflows.HintsSpec{Plan: env.Explore}, []env.PlanKind{env.Explore, env.Planner}},
		"planner":                     {workflows.HintsSpec{Plan: env.Planner}, []env.PlanKind{env.Planner}},
		"planner, walkthrough first":  {workflows.HintsSpec{Plan: env.Planner, Prefer: true}, []env.PlanKind{env.Walkthrough, env.Planner}},
		"walkthrough":                 {workflows.HintsSpec{Plan: env.Walkthrough, Prefer: true}, []env.PlanKind{env.Walkthrough}},
		"with detours":                {workflows.HintsSpec{Plan: env.Search, Recovery: hints.Recovery{PerGame: 2, Seed: 3}}, []env.PlanKind{env.Search, env.Planner}},
	} {
		t.Run(name, func(t *testing.T) {
			w := &hintWorld{games: 5, hints: c.hints}
			w.run(t)
			for _, in := range []activities.HintChunkInput{w.chunks[0], w.assembly.Input} {
				if !slices.Equal(in.Plans, c.want) {
					t.Errorf("plans: got %v, want %v", in.Plans, c.want)
				}
				if r := c.hints.Recovery; (in.Recovery != nil) != (r.PerGame > 0) || in.Recovery != nil && *in.Recovery != r {
					t.Errorf("detours: got %+v, want %+v", in.Recovery, r)
				}
			}
		})
	}
}

func TestHintGenerationReuses(t *testing.T) {
	w := &hintWorld{games: 25, found: artifacts.Of([]byte("before"))}
	res := w.run(t)
	if !res.Reused || res.Digest != w.found || len(w.chunks) != 0 {
		t.Errorf("got %+v after %d chunks, want what was found and no work", res, len(w.chunks))
	}
}

// TestHintGenerationRetriesSlowGames: a game that meets its deadline is played again by itself, at most Attempts
// times in all.
func TestHintGenerationRetriesSlowGames(t *testing.T) {
	w := &hintWorld{games: 10, slow: map[int]int{3: 1, 7: 9}} // 3 answers the second time, 7 never
	w.run(t)
	var again [][]string
	for _, c := range w.chunks {
		if len(c.Only) > 0 {
			again = append(again, c.Only)
		}
	}
	want := [][]string{{"3", "7"}, {"7"}}
	if !slices.EqualFunc(again, want, slices.Equal) {
		t.Errorf("played again: got %v, want %v", again, want)
	}
	if last := w.chunks[len(w.chunks)-1]; last.Attempt != 3 {
		t.Errorf("last attempt: got %d, want 3", last.Attempt)
	}
}

// TestHintGenerationFindsDeadlyGame: a game that takes its worker down is found by halving and excluded; all
// others are played.
func TestHintGenerationFindsDeadlyGame(t *testing.T) {
	w := &hintWorld{games: 10, deadly: map[int]bool{6: true}}
	w.run(t)
	played := map[int]int{}
	excluded := -1
	for _, c := range w.chunks {
		for i := c.From; i < c.To; i++ {
			played[i]++
		}
		if c.Exclude != "" {
			excluded = c.From
		}
	}
	if excluded != 6 {
		t.Errorf("excluded: got game %d, want 6", excluded)
	}
	for i := range 10 {
		if played[i] != 1 {
			t.Errorf("game %d was answered %d times, want once", i, played[i])
		}
	}
}
