package lineage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/games"
	"github.com/hone-rl/hone/hints"
	"github.com/hone-rl/hone/internal/outside"
	"github.com/hone-rl/hone/lineage"
)

// shopSpec is learnSpec in a shop, with a cold start.
const shopSpec = `name: shop
stages: [cold_start, grpo]
games:
  shop: {products: 60, train: 12, validation: 8}
hints: {chunk: 6, validation_per_mille: 300, history: 60}
tokenizer: {vocabulary: 400, games: 0}
model:
  qwen2: {hidden: 8, layers: 1, heads: 2, kv_heads: 1, intermediate: 8, vocabulary: 400, positions: 8192,
          rope_theta: 10000, init_std: 0.06, tie_embedding: true}
cold_start: {steps: 2, batch: 4, rate: 0.1, max_tokens: 8192, checkpoint: 2, validate: 4}
evaluation:
  panels:
    - {name: unseen, splits: [validation], games: 2}
grpo:
  method: skill1-paper
  start: cold_start
  prompts: skill-turns/1
  steps: 3
  tasks: 2
  group: 4
  checkpoint: 2
  shard: 1
  answer: {query: 40, rank: 40, act: 200, distil: 400}
  validate: {panel: unseen, every: 2, samples: 2}
`

var bought learnt

// bargains are the buyer's commands for the goals of shopSpec, both in lower case as the prompts have them.
func bargains(t *testing.T) map[string][]string {
	t.Helper()
	opener := games.New(games.Config{Store: mem.New()})
	_, files, err := opener.Shop(t.Context(), activities.ShopGames{Products: 60, Train: 12, Validation: 8})
	if err != nil {
		t.Fatal(err)
	}
	plans := map[string][]string{}
	for f, err := range files {
		if err != nil {
			t.Fatal(err)
		}
		game, err := opener.Open(t.Context(), f.ID, f.Data)
		if err != nil {
			t.Fatal(err)
		}
		episode, err := game.Start(t.Context(), env.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		tracker, err := agent.Track(episode, 0)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := episode.(env.Expert).Plan(t.Context(), env.Search)
		if err != nil {
			t.Fatal(err)
		}
		for i := range plan {
			plan[i] = strings.ToLower(plan[i])
		}
		plans[strings.ToLower(tracker.X().Goal)] = plan
	}
	return plans
}

func shopRun(t *testing.T) *mem.Store {
	t.Helper()
	encoder := outside.MiniLM(t)
	bought.once.Do(func() {
		bought.store = mem.New()
		bought.run = runSpecBy(t, bought.store, runID, shopSpec, &pupils{Plans: bargains(t)}, encoder)
	})
	return bought.copy(t)
}

// TestAuditShop: a run in a shop is without fault, byte by byte, record by record and episode by episode; its lineage leads
// to a catalogue, which stands in the store once.
func TestAuditShop(t *testing.T) {
	store := shopRun(t)
	const replays = 3*2*4 + 2*3*2*2 // three steps of two games, four times each; panels of two, twice each, with skills and without
	for name, audit := range audits(store) {
		res, err := audit(t.Context())
		if err != nil || len(res.Findings) != 0 || res.Replays != replays || res.Played != 12 {
			t.Errorf("%s: %d replays, records of %d games, %+v, %v, want %d, 12 and no finding", name, res.Replays, res.Played, res.Findings, err, replays)
		}
		names, err := store.Names(t.Context(), "")
		if err != nil || res.Names != len(names) {
			t.Errorf("%s: looked at %d names, want all %d", name, res.Names, len(names))
		}
	}
	f := forging(t, store, "grpo")
	list := f.manifest(t, f.resolve(t, activities.RunName(runID, "games")))
	if len(list.Inputs) != 1 || list.Inputs[0].Role != activities.CatalogueRole || f.manifest(t, list.Inputs[0].Digest).Kind != artifacts.KindCatalogue {
		t.Errorf("the games' inputs are %+v, want a catalogue", list.Inputs)
	}
	if names := f.names(t, "catalogues/"); len(names) != 1 || names[0] != activities.CatalogueName(list.Inputs[0].Digest) {
		t.Errorf("catalogues %v, want the games' alone", names)
	}
	won, lost, searched := 0, 0, 0
	for step := range 3 {
		for _, e := range f.episodes(t, f.manifest(t, f.update(t, step+1))) {
			for _, s := range e.Steps {
				if strings.HasPrefix(s.Command, "search[") {
					searched++
				}
			}
			if e.Outcome.Won {
				won++
			} else {
				lost++
			}
		}
	}
	if won == 0 || lost == 0 || searched == 0 { // or nothing of a shop was checked
		t.Errorf("%d episodes won, %d lost, %d searches: expected some of each", won, lost, searched)
	}
}

// TestAuditFindsForgedShop: where all digests are right, what is not true of an episode, a record or a game is found.
func TestAuditFindsForgedShop(t *testing.T) {
	score := at(1, func(e *rollout.Episode) { e.Last.Score = 0.25 })
	for name, tt := range map[string]struct {
		of     string
		change func([]rollout.Episode) []rollout.Episode
		want   string
	}{
		"score":     {ofPanel, score, "last.score: the episode has 0.25"},
		"form":      {ofPanel, at(1, func(e *rollout.Episode) { e.Steps[0].Forms = nil }), "steps[0].forms: the episode has nothing"},
		"search":    {ofPanel, at(1, func(e *rollout.Episode) { e.Steps[0].Command = "search[anything]" }), `steps[0].command: the episode has "search[anything]"`},
		"page":      {ofPanel, at(1, func(e *rollout.Episode) { e.Steps[1].Observation = "Thank you" }), `steps[1].observation: the episode has "Thank you"`},
		"won":       {ofPanel, at(1, func(e *rollout.Episode) { e.Outcome.Won, e.Outcome.Reason = false, "lost" }), `outcome.reason: the episode has "lost"`},
		"of update": {ofUpdate, score, "has learnt from other episodes than its episodes.jsonl"},
	} {
		t.Run(name, func(t *testing.T) {
			f := forging(t, shopRun(t), "grpo")
			f.retell(t, f.find(t, tt.of), tt.change)
			found := f.audit(t, false)
			if len(found) == 0 || !slices.ContainsFunc(found, func(f lineage.Finding) bool { return strings.Contains(f.Problem, tt.want) }) {
				t.Errorf("got %+v, want %q", found, tt.want)
			}
		})
	}
	for name, tt := range map[string]struct {
		stage, file string
		change      func(*testing.T, []byte, *artifacts.Manifest) []byte
		want        string
	}{
		"record":  {"hints", "hints.jsonl", records(func(all []hints.Record) { all[0].Y = "search[lamp]" }), "x.history: the record has"},
		"no form": {"hints", "hints.jsonl", records(func(all []hints.Record) { all[0].X.Forms = nil }), "command_not_admissible"},
		"catalogue": {"games", "games.jsonl", func(t *testing.T, raw []byte, m *artifacts.Manifest) []byte {
			t.Helper()
			other, err := shopRun(t).Resolve(t.Context(), activities.RunName(runID, "hints"))
			if err != nil {
				t.Fatal(err)
			}
			m.Inputs[0].Digest = other
			return raw
		}, "is of another catalogue than its list, sha256:"},
		"family": {"games", "games.jsonl", func(t *testing.T, raw []byte, _ *artifacts.Manifest) []byte {
			t.Helper()
			return bytes.Replace(raw, []byte(`"family":"`), []byte(`"family":"x`), 1)
		}, "its list says x"},
	} {
		t.Run(name, func(t *testing.T) {
			store := shopRun(t)
			forge(t, store, tt.stage, tt.file, tt.change)
			res, err := auditor(store).Run(t.Context(), "forged")
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(res.Findings, func(f lineage.Finding) bool { return strings.Contains(f.Problem, tt.want) }) {
				t.Errorf("got %+v, want %q", res.Findings, tt.want)
			}
		})
	}
}

// TestShopResumes: a run whose worker fails in the middle of play, and once more in the middle of an update, goes on from
// there and gives the digest of one that nothing disturbed.
func TestShopResumes(t *testing.T) {
	shopRun(t)
	torn := &tornStore{Store: mem.New(), at: 5}
	steps := 0
	runner := &pupils{Plans: bargains(t)}
	runner.OnStep = func(int) error {
		if steps++; steps == 4 { // two are the cold start's
			return fmt.Errorf("keep the step: %w", syscall.ENOSPC)
		}
		return nil
	}
	again := runSpecBy(t, torn, runID, shopSpec, runner, outside.MiniLM(t))
	if steps < 5 || torn.at > 0 {
		t.Fatalf("%d optimiser steps, %d episodes before the store fails: expected both to have failed", steps, torn.at)
	}
	if again.Digest != bought.run.Digest {
		t.Errorf("got %+v, want %+v", again.Stages, bought.run.Stages)
	}
}

// tornStore fails once, when so many episodes have been named.
type tornStore struct {
	*mem.Store
	mu sync.Mutex
	at int
}

func (s *tornStore) Name(ctx context.Context, name string, d artifacts.Digest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.HasPrefix(name, "episodes/") && s.at > 0 {
		if s.at--; s.at == 0 {
			return errors.New("the store is away")
		}
	}
	return s.Store.Name(ctx, name, d)
}
