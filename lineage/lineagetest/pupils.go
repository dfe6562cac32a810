package lineagetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/gputest"
	"github.com/hone-rl/hone/tokenizer"
)

// Pupils are models that play in words, each answer by its prompt and its seed.
type Pupils struct {
	gputest.Runner
	Plans map[string][]string // by goal: what the expert would do, which they mostly do too
}

// Policy implements gpu.Runner.
func (p *Pupils) Policy(_ context.Context, config gpu.PolicyConfig) (gpu.Policy, error) {
	tokens, err := tokenizer.Load(filepath.Join(config.Model, "tokenizer.json"))
	return pupil{tokens, p.Plans}, err
}

// Planned are the expert's commands in the games of LearnSpec.
func Planned(t testing.TB) map[string][]string {
	t.Helper()
	plans := map[string][]string{}
	for g, err := range Homes(activities.HouseholdGames{Seed: 3, Train: 6, ValidUnseen: 6}) {
		if err != nil {
			t.Fatal(err)
		}
		game, err := OpenGame(t.Context(), g.ID, g.Data)
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
		if plans[tracker.X().Goal], err = episode.(env.Expert).Plan(t.Context(), env.Straight); err != nil {
			t.Fatal(err)
		}
	}
	return plans
}

type pupil struct {
	tokens *tokenizer.Tokenizer
	plans  map[string][]string
}

var goals = regexp.MustCompile(`\ngoal: (.*)\n`)

var actions = regexp.MustCompile(`<action>([^<]*)</action>`)

var things = regexp.MustCompile(`an? ([a-z]+ [0-9]+)`)

func (p pupil) answer(prompt string, rng *rand.Rand) string {
	last := prompt[strings.LastIndex(prompt, "\nnow: ")+1:]
	switch {
	case strings.HasPrefix(prompt, "query\n"):
		return "what is it about?</query>"
	case strings.HasPrefix(prompt, "rank\n"):
		return "<rank>2,1</rank>"
	case strings.HasSuffix(prompt, "\nlearn\n"):
		done := []string{"completed", "incomplete"}[rng.IntN(2)]
		return fmt.Sprintf(`{"subtasks":[{"name":"navigate","description":"","status":%q}],"task_success":%t,"action_lesson":"Look at number %d.","navigation_lesson":null,"description_head":%q}`,
			done, strings.Contains(last, "\ngame: won\n"), rng.IntN(4), goals.FindStringSubmatch(prompt)[1])
	case rng.IntN(20) == 0:
		return "go on"
	}
	if plan := p.plans[goals.FindStringSubmatch(prompt)[1]]; rng.IntN(20) > 0 {
		given := actions.FindAllStringSubmatch(prompt, -1)
		for len(given) > 0 && len(plan) > 0 && given[0][1] == plan[0] {
			given, plan = given[1:], plan[1:]
		}
		if len(given) == 0 && len(plan) > 0 {
			return "<think>so</think><action>" + plan[0] + "</action>"
		}
	}
	seen := things.FindAllStringSubmatch(last, -1)
	if len(seen) == 0 {
		return "<think>so</think><action>look</action>"
	}
	return "<think>so</think><action>go to " + seen[rng.IntN(len(seen))][1] + "</action>"
}

func (p pupil) Sample(ctx context.Context, requests []gpu.Sampling) ([]gpu.Sampled, error) {
	all := make([]gpu.Sampled, len(requests))
	for i, r := range requests {
		ids := p.tokens.EncodePlain(p.answer(p.tokens.DecodePlain(r.Prompt), rand.New(rand.NewPCG(r.Seed, 0))))
		ids = append(ids, r.Stop[0])
		ids = ids[:min(len(ids), r.MaxTokens)]
		all[i] = gpu.Sampled{Tokens: ids, LogProbs: make([]float32, len(ids)), Drawn: make([]float32, len(ids)), Stopped: ids[len(ids)-1] == r.Stop[0]}
		for k := range ids {
			all[i].Drawn[k] = -float32(k) / 16
		}
	}
	return all, ctx.Err()
}

func (pupil) Choose(context.Context, []gpu.Choice) ([]gpu.Chosen, error) {
	return nil, errors.New("not asked for here")
}
func (pupil) Close() error { return nil }

// LearnSpec is a run of three steps of reinforcement; a method, max_steps and a group follow.
const LearnSpec = `name: learn
stages: [grpo]
games:
  household: {seed: 3, train: 6, valid_unseen: 6}
hints: {chunk: 6, validation_per_mille: 300}
tokenizer: {vocabulary: 400, games: 0}
model:
  qwen2: {hidden: 8, layers: 1, heads: 2, kv_heads: 1, intermediate: 8, vocabulary: 400, positions: 4096,
          rope_theta: 10000, init_std: 0.06, tie_embedding: true}
evaluation:
  panels:
    - {name: unseen, splits: [valid_unseen], games: 2}
grpo:
  start: model
  prompts: skill-turns/1
  steps: 3
  tasks: 2
  checkpoint: 2
  shard: 1
  answer: {query: 40, rank: 40, act: 60, distil: 200}
  validate: {panel: unseen, every: 2, samples: 2}
`
