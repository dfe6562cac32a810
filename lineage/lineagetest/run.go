package lineagetest

import (
	"context"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/household"
	"github.com/hone-rl/hone/games"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/workflows"
)

// SmallSpec is a whole run of hints, teacher, student and evaluation that takes a second.
const SmallSpec = `name: small
games:
  household: {seed: 3, train: 12, valid_unseen: 6}
hints: {chunk: 6, validation_per_mille: 300, recovery: {per_game: 2}}
tokenizer: {vocabulary: 300, games: 0}
model:
  qwen2: {hidden: 8, layers: 1, heads: 2, kv_heads: 1, intermediate: 8, vocabulary: 300, positions: 4096,
          rope_theta: 10000, init_std: 0.06, tie_embedding: true}
teacher: {steps: 4, warmup: 1, rate: 0.1, batch: 8, max_tokens: 4096, checkpoint: 2}
student: {steps: 2, warmup: 1, rate: 0.1, batch: 8, max_tokens: 4096, checkpoint: 2, lora: {rank: 4, alpha: 8}}
evaluation:
  shard: 1
  max_steps: 4
  panels:
    - {name: unseen, splits: [valid_unseen], families: [pick_and_place_simple]}
`

// quiet drops the test environment's log.
type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}

// OpenGame parses a game file once: the tests audit the same games hundreds of times.
var OpenGame = func() func(context.Context, string, []byte) (env.Game, error) {
	var mu sync.Mutex
	open := map[string]env.Game{}
	return func(_ context.Context, id string, data []byte) (env.Game, error) {
		mu.Lock()
		defer mu.Unlock()
		key := id + string(artifacts.Of(data))
		if g := open[key]; g != nil {
			return g, nil
		}
		g, err := alfworld.Parse(id, data)
		if err != nil {
			return nil, err
		}
		open[key] = g
		return g, nil
	}
}()

// Homes are household games.
func Homes(in activities.HouseholdGames) iter.Seq2[activities.GameFile, error] {
	return func(yield func(activities.GameFile, error) bool) {
		for g, err := range household.Generate(household.Config{Seed: in.Seed, Train: in.Train, ValidUnseen: in.ValidUnseen, Mix: household.EvenMix}) {
			if !yield(activities.GameFile{ID: g.ID, Split: g.Split, Family: g.Family, Data: g.Data}, err) || err != nil {
				return
			}
		}
	}
}

// Run runs a spec in a store by the real workflows and activities, on a device, with the folder of a sentence encoder where the
// spec asks for one.
func Run(t testing.TB, store artifacts.Store, run, text string, runner gpu.Runner, encoder string) *workflows.PipelineResult {
	t.Helper()
	return Pipeline(t, store, workflows.PipelineInput{Run: run, Spec: *SpecOf(t, text)}, runner, encoder)
}

// patient takes no workflow for one that hangs because the machine is busy: a second, the default, is soon over there.
var patient = worker.Options{DeadlockDetectionTimeout: time.Minute}

// SpecOf reads a spec.
func SpecOf(t testing.TB, text string) *workflows.Spec {
	t.Helper()
	spec, err := workflows.ParseSpec("small.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// Pipeline is Run of whatever input.
func Pipeline(t testing.TB, store artifacts.Store, in workflows.PipelineInput, runner gpu.Runner, encoder string) *workflows.PipelineResult {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quiet{})
	flows := suite.NewTestWorkflowEnvironment()
	flows.SetWorkerOptions(patient)
	flows.SetTestTimeout(time.Minute)
	flows.RegisterWorkflow(workflows.HintGeneration)
	flows.RegisterWorkflow(workflows.SFT)
	flows.RegisterWorkflow(workflows.Evaluation)
	flows.RegisterWorkflow(workflows.GRPO)
	flows.RegisterWorkflow(workflows.Distilled)
	shops := games.New(games.Config{Store: store})
	flows.RegisterActivityWithOptions(&activities.Activities{
		Store: store, Cache: t.TempDir(), Scratch: t.TempDir(), Host: "here", Now: clock(), Runner: runner, MiniLM: encoder,
		Producer: artifacts.Producer{Name: "hone", Version: "test"}, OpenGame: Opener(store), Household: Homes, Shop: shops.Shop,
	}, activity.RegisterOptions{SkipInvalidStructFunctions: true})
	flows.ExecuteWorkflow(workflows.Pipeline, in)
	if err := flows.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	var res workflows.PipelineResult
	if err := flows.GetWorkflowResult(&res); err != nil {
		t.Fatal(err)
	}
	return &res
}

// clock is a time that stands still: records are the same each time.
func clock() func() time.Time {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return func() time.Time { return at }
}

// Opener opens the goals of shops in a store, and other games as OpenGame.
func Opener(store artifacts.Store) func(context.Context, string, []byte) (env.Game, error) {
	shops := games.New(games.Config{Store: store})
	return func(ctx context.Context, id string, data []byte) (env.Game, error) {
		if strings.HasPrefix(id, "webshop") {
			return shops.Open(ctx, id, data)
		}
		return OpenGame(ctx, id, data)
	}
}
