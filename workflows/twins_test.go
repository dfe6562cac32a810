package workflows_test

import (
	"bytes"
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/env/household"
	"github.com/hone-rl/hone/games"
	"github.com/hone-rl/hone/gpu/gputest"
	"github.com/hone-rl/hone/internal/outside"
	"github.com/hone-rl/hone/skills"
	"github.com/hone-rl/hone/version"
	"github.com/hone-rl/hone/workflows"
)

// learning are the phases whose tokens are in the gradient, by experiment; what is not asked for has none.
var learning = map[string][]rollout.Phase{
	"skill1":          {rollout.Query, rollout.Rank, rollout.Act, rollout.Distil},
	"skill1-released": {rollout.Query, rollout.Rank, rollout.Act},
	"skill-only":      {rollout.Query, rollout.Rank},
	"grpo":            {rollout.Act},
	"gigpo":           {rollout.Act},
	"skillrl":         {rollout.Act},
	"retroagent":      {rollout.Act, rollout.Distil},
	"no-library":      {rollout.Act},
	"no-selection":    {rollout.Act, rollout.Distil},
	"no-distillation": {rollout.Query, rollout.Rank, rollout.Act},
	"lambda1-zero":    {rollout.Query, rollout.Act, rollout.Distil},
	"lambda2-zero":    {rollout.Query, rollout.Rank, rollout.Act},
	"cap-50":          {rollout.Query, rollout.Rank, rollout.Act, rollout.Distil},
	"cap-500":         {rollout.Query, rollout.Rank, rollout.Act, rollout.Distil},
	"cap-5000":        {rollout.Query, rollout.Rank, rollout.Act, rollout.Distil},

	"skill1-webshop":                {rollout.Query, rollout.Rank, rollout.Act, rollout.Distil},
	"grpo-webshop":                  {rollout.Act},
	"gigpo-webshop":                 {rollout.Act},
	"skillrl-webshop":               {rollout.Act},
	"retroagent-webshop":            {rollout.Act, rollout.Distil},
	"retroagent-in-context-webshop": {rollout.Act},
}

// generated are embedded games as the worker makes them.
func generated(h activities.HouseholdGames) iter.Seq2[activities.GameFile, error] {
	return func(yield func(activities.GameFile, error) bool) {
		cfg := household.Config{Seed: h.Seed, Train: h.Train, ValidSeen: h.ValidSeen, ValidUnseen: h.ValidUnseen, Mix: household.EvenMix}
		for g, err := range household.Generate(cfg) {
			if !yield(activities.GameFile{ID: g.ID, Split: g.Split, Family: g.Family, Data: g.Data}, err) {
				return
			}
		}
	}
}

// run goes through the whole of a spec on real games, with models that are tables, and returns the store.
func run(t *testing.T, spec *workflows.Spec) artifacts.Store {
	t.Helper()
	store := mem.New()
	if spec.GRPO != nil && spec.GRPO.Bank != "" {
		importHousehold(t, store)
	}
	opener := games.New(games.Config{Store: store})
	acts := &activities.Activities{
		Store: store, Cache: t.TempDir(), Scratch: t.TempDir(), Host: "here", Now: time.Now, Runner: &gputest.Runner{}, MiniLM: outside.MiniLM(t),
		Producer:  artifacts.Producer{Name: "hone", Version: "test"},
		OpenGame:  opener.Open,
		Household: generated, Shop: opener.Shop,
	}
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(silent{})
	e := suite.NewTestWorkflowEnvironment()
	e.SetWorkerOptions(patient)
	e.SetTestTimeout(time.Minute)
	e.RegisterActivityWithOptions(acts, activity.RegisterOptions{SkipInvalidStructFunctions: true})
	for _, w := range []any{workflows.HintGeneration, workflows.SFT, workflows.Evaluation, workflows.Distilled, workflows.GRPO} {
		e.RegisterWorkflow(w)
	}
	e.ExecuteWorkflow(workflows.Pipeline, workflows.PipelineInput{Run: spec.Name, Spec: *spec})
	if err := e.GetWorkflowError(); err != nil {
		t.Fatal(workflows.Reason(err))
	}
	return store
}

// small makes a twin smaller still: two steps of two games, two episodes each.
func small(spec *workflows.Spec) {
	if spec.Games.Shop != nil {
		spec.Games.Shop = &activities.ShopGames{Products: 60, Train: 24, Validation: 6}
	} else {
		spec.Games.Household = &activities.HouseholdGames{Seed: 7, Train: 24, ValidUnseen: 6}
	}
	spec.Tokenizer.Vocabulary, spec.Model.Qwen2.Vocabulary = 300, 300
	spec.Tokenizer.Split = "phrase"
	spec.Hints.Validation = 300
	spec.Evaluation.Panels[0].Games = 2
	if c := spec.ColdStart; c != nil {
		c.Steps, c.Checkpoint, c.Validate, c.Batch, c.Warmup = 2, 2, 8, 4, 0
	}
	if g := spec.GRPO; g != nil {
		g.Steps, g.Tasks, g.Group, g.MaxSteps, g.Checkpoint, g.Shard, g.Validate.Every = 2, 2, 2, 3, 2, 1, 2
		g.Answer = workflows.AnswerSpec{Query: 6, Rank: 6, Act: 6, Distil: 12}
	}
}

// TestTwinsRun: each twin is gone through, and exactly the tokens that are to learn are in its gradient.
func TestTwinsRun(t *testing.T) {
	for _, name := range trainings {
		t.Run(name, func(t *testing.T) {
			spec := experiment(t, name+"-tiny")
			small(spec)
			if err := spec.Validate(); err != nil {
				t.Fatal(err)
			}
			store := run(t, spec)
			names, err := store.Names(t.Context(), "updates/")
			if err != nil || len(names) != 2 {
				t.Fatalf("updates %q, %v, want 2", names, err)
			}
			for _, name := range names {
				learned, said := learnedOf(t, store, name)
				want := 0
				for _, phase := range learning[strings.TrimSuffix(spec.Name, "-tiny")] {
					want += said[phase]
				}
				if learned != want || want == 0 {
					t.Errorf("%s: %d tokens in the gradient, want %d of %v", name, learned, want, said)
				}
				if g := spec.GRPO; g.Query != (said[rollout.Query] > 0) || g.Distil != (said[rollout.Distil] > 0) {
					t.Errorf("%s: answers of %v", name, said)
				}
			}
		})
	}
}

// importHousehold stores the bank of the household games and returns its digest.
func importHousehold(t *testing.T, store artifacts.Store) artifacts.Digest {
	t.Helper()
	file := filepath.Join("..", "experiments", "banks", "household.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bank, err := skills.ReadBank(file, text)
	if err != nil {
		t.Fatal(err)
	}
	d, err := activities.StoreBank(t.Context(), store, artifacts.Producer{Name: "hone", Version: version.Import}, bank)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestTwinWithBank: SkillRL with a bank shows six general skills, those of the task's type and its four mistakes in every
// prompt, learns the same tokens, and its lineage leads to the bank.
func TestTwinWithBank(t *testing.T) {
	spec := experiment(t, "skillrl-tiny")
	small(spec)
	spec.GRPO.Bank = importHousehold(t, mem.New())
	if err := spec.Validate(); err != nil {
		t.Fatal(err)
	}
	store := run(t, spec)
	names, err := store.Names(t.Context(), "updates/")
	if err != nil || len(names) != 2 {
		t.Fatalf("updates %q, %v, want 2", names, err)
	}
	if learned, said := learnedOf(t, store, names[1]); learned == 0 || learned != said[rollout.Act] {
		t.Errorf("%d tokens in the gradient, want those of %v", learned, said)
	}
	d, err := store.Resolve(t.Context(), names[1])
	if err != nil {
		t.Fatal(err)
	}
	walk := func(d artifacts.Digest, role string) artifacts.Digest {
		t.Helper()
		m, err := artifacts.GetManifest(t.Context(), store, d)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(m.Inputs, func(in artifacts.Input) bool { return in.Role == role })
		if i < 0 {
			t.Fatalf("%s %s has no %s", m.Kind, d, role)
		}
		return m.Inputs[i].Digest
	}
	library := walk(d, "library")
	if got := walk(walk(library, "library"), "bank"); got != spec.GRPO.Bank { // one step, and the beginning
		t.Errorf("the library began with %s, want %s", got, spec.GRPO.Bank)
	}
	l, err := activities.ReadLibrary(t.Context(), store, library)
	if err != nil || l.Len() != 25 {
		t.Fatalf("library of step 1: %v", err)
	}
	for _, e := range episodesOf(t, store, d) {
		kinds := map[string]int{}
		for _, id := range e.Shown {
			s, _ := l.Skill(skills.ID(id))
			switch {
			case s.Type != "":
				kinds["typed"]++
			case s.Outcome == skills.Failure:
				kinds["mistakes"]++
			default:
				kinds["general"]++
			}
		}
		if kinds["general"] != 6 || kinds["mistakes"] != 4 || kinds["typed"] < 2 {
			t.Errorf("%s: shown %v of %q", e.Game, kinds, e.Task)
		}
	}
}

// episodesOf are the episodes of an update.
func episodesOf(t *testing.T, store artifacts.Store, update artifacts.Digest) (all []rollout.Episode) {
	t.Helper()
	m, err := artifacts.GetManifest(t.Context(), store, update)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(m.Outputs, func(o artifacts.Output) bool { return o.Name == activities.EpisodesFile })
	raw, err := artifacts.ReadAll(t.Context(), store, m.Outputs[i].Digest, m.Outputs[i].Size)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(raw) {
		var e rollout.Episode
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// learnedOf is how many tokens of an update were in its gradient, and how many there were of each phase.
func learnedOf(t *testing.T, store artifacts.Store, name string) (learned int, said map[rollout.Phase]int) {
	t.Helper()
	d, err := store.Resolve(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := artifacts.GetManifest(t.Context(), store, d)
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string) []byte {
		i := slices.IndexFunc(m.Outputs, func(o artifacts.Output) bool { return o.Name == name })
		raw, err := artifacts.ReadAll(t.Context(), store, m.Outputs[i].Digest, m.Outputs[i].Size)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	var figures activities.UpdateFigures
	if err := json.Unmarshal(file(activities.UpdateFile), &figures); err != nil {
		t.Fatal(err)
	}
	for _, step := range figures.Report.Steps {
		learned += step.Tokens
	}
	said = map[rollout.Phase]int{}
	for line := range bytes.Lines(file(activities.EpisodesFile)) {
		var e rollout.Episode
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		for _, s := range e.Said {
			said[s.Phase] += len(s.Tokens)
		}
	}
	return learned, said
}
