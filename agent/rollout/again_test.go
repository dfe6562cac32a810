package rollout_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/agent/reply"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/skills"
)

// shelved is a library of the two skills of shelf.
func shelved(t testing.TB) *skills.Library {
	t.Helper()
	bank := skills.Bank{
		{Task: "put a mug on desk", Head: "Anything.", Strategy: "look around", Outcome: skills.Success},
		{Task: "put a mug on desk", Head: "Mugs.", Strategy: "they are on shelf two", Outcome: skills.Success},
	}
	all, err := bank.Skills()
	if err != nil {
		t.Fatal(err)
	}
	l, err := skills.New(skills.Rules{}, 2, skills.Entry{Skill: all[0], Vector: []float32{0.8, 0.6}}, skills.Entry{Skill: all[1], Vector: []float32{0.6, 0.8}})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// recorded plays an episode with that library and reads it back, as it is stored.
func recorded(t testing.TB, cfg rollout.Config, l *skills.Library) rollout.Episode {
	t.Helper()
	embed := func(context.Context, string) ([]float32, error) { return []float32{1, 0}, nil }
	if l != nil {
		var err error
		if cfg.Skills, err = rollout.NewLibrary(l, skills.Retrieval{Mode: skills.ModeRelevance, TopK: 2}, embed); err != nil {
			t.Fatal(err)
		}
	} else {
		cfg.Skills = nil
	}
	raw, err := json.Marshal(play(t, cfg, task(2))[0])
	if err != nil {
		t.Fatal(err)
	}
	return read(t, raw)
}

func read(t testing.TB, raw []byte) (e rollout.Episode) {
	t.Helper()
	if err := json.Unmarshal(raw, &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// again plays it again.
func again(t *testing.T, cfg rollout.Config, l *skills.Library, e rollout.Episode) error {
	t.Helper()
	cfg.Policy, cfg.Skills = nil, nil
	return rollout.Again(t.Context(), cfg, l, task(2).Game, e)
}

// garbled answers with bytes that are no text, on and on.
func garbled(prompt string, seed uint64) string {
	if strings.HasPrefix(prompt, "query") || strings.HasPrefix(prompt, "rank") {
		return mover(prompt, seed)
	}
	return "<action>\xffgo\xfe to</action>" + strings.Repeat("\xf0", 400)
}

// An episode is played again whatever it was asked, and however it went.
func TestAgain(t *testing.T) {
	l := shelved(t)
	for name, tt := range map[string]struct {
		change  func(*rollout.Config)
		answer  func(string, uint64) string
		library *skills.Library
		ends    string
	}{
		"all phases":        {func(*rollout.Config) {}, mover, l, agent.ReasonWon},
		"no library":        {func(*rollout.Config) {}, mover, nil, agent.ReasonSteps},
		"conversation":      {func(c *rollout.Config) { c.Prompts = ask.Turns }, mover, l, agent.ReasonWon},
		"explained":         {func(c *rollout.Config) { c.Prompts, c.Positions, c.MaxSteps = ask.Full, 20000, 4 }, garbled, l, agent.ReasonSteps},
		"found by the task": {func(c *rollout.Config) { c.Query, c.Rank, c.Distil = false, false, false }, mover, l, agent.ReasonSteps},
		"faulty answers":    {func(c *rollout.Config) { c.MaxSteps = 3 }, garbled, l, agent.ReasonSteps},
		"no room":           {func(c *rollout.Config) { c.Positions, c.Prompts, c.Answer[rollout.Distil] = 600, ask.Turns, 100 }, garbled, l, agent.ReasonSteps},
		"no room at all":    {func(c *rollout.Config) { c.Positions, c.Distil = 150, false }, mover, l, agent.ReasonPositions},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config(&script{answer: tt.answer})
			tt.change(&cfg)
			e := recorded(t, cfg, tt.library)
			if e.Outcome.Cause() != tt.ends {
				t.Fatalf("it ended by %q, want %s", e.Outcome.Reason, tt.ends)
			}
			if err := again(t, cfg, tt.library, e); err != nil {
				t.Error(err)
			}
		})
	}
}

// Each change of an episode, by itself, is found where it is.
func TestAgainFinds(t *testing.T) {
	l := shelved(t)
	first := l.Skills()[0].ID
	cfg := config(&script{answer: mover})
	raw, err := json.Marshal(recorded(t, cfg, l))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		change          func(*rollout.Episode)
		field, want, is string
	}{
		"command":     {func(e *rollout.Episode) { e.Steps[1].Command = "look" }, "steps[1].command", `"look"`, `"take mug 1 from shelf 2"`},
		"observation": {func(e *rollout.Episode) { e.Steps[1].Observation = "You win." }, "steps[1].observation", `"You win."`, `"You arrive at`},
		"admissible":  {func(e *rollout.Episode) { e.Steps[0].Admissible = e.Steps[0].Admissible[1:] }, "steps[0].admissible[0]", `"go to shelf 1"`, `"go to desk 1"`},
		"lost step":   {func(e *rollout.Episode) { e.Steps = e.Steps[:3] }, "steps", "3 entries", "4 entries"},
		"outcome":     {func(e *rollout.Episode) { e.Outcome.Won = false }, "outcome.won", "false", "true"},
		"last":        {func(e *rollout.Episode) { e.Last.Score = 0.5 }, "last.score", "0.5", "1"},
		"no last":     {func(e *rollout.Episode) { e.Last = nil }, "last", "nothing", "{"},
		"task":        {func(e *rollout.Episode) { e.Task = "win" }, "task", `"win"`, `"put a mug on desk"`},
		"family":      {func(e *rollout.Episode) { e.Family = "cool" }, "family", `"cool"`, `"pick"`},
		"token":       {func(e *rollout.Episode) { e.Said[3].Tokens[len("<think>so</think><action>")] = 'w' }, "steps[1].command", `"take mug 1 from shelf 2"`, `"wake mug`},
		"prompt":      {func(e *rollout.Episode) { e.Said[3].Prompt[0]++ }, "said[3].prompt", "token ", "token "},
		"shorter":     {func(e *rollout.Episode) { e.Said[3].Prompt = nil }, "said[3].prompt", " tokens", "token "},
		"same":        {func(e *rollout.Episode) { e.Said[3].Same = 1 << 40 }, "said[3].same", fmt.Sprint(1 << 40), "tokens before it"},
		"below":       {func(e *rollout.Episode) { e.Said[3].Same = -1 }, "said[3].same", "-1", "tokens before it"},
		"said twice": {func(e *rollout.Episode) {
			s := &e.Said[3]
			s.Prompt = slices.Concat(e.Prompts()[3][s.Same-1:s.Same], s.Prompt)
			s.Same--
		}, "said[3].same", "", ""},
		"no token":      {func(e *rollout.Episode) { e.Said[3].Tokens = nil }, "said[3].tokens", "0", "1 to 100"},
		"no end":        {func(e *rollout.Episode) { e.Said[3].Stopped = false }, "said[3].stopped", "false", "ended by number"},
		"ends early":    {func(e *rollout.Episode) { e.Said[3].Tokens[2] = end }, "said[3].stopped", "true", "ended by number 3"},
		"probabilities": {func(e *rollout.Episode) { e.Said[3].LogProbs = e.Said[3].LogProbs[1:] }, "said[3].logprobs", "", "one a token"},
		"phase":         {func(e *rollout.Episode) { e.Said[3].Phase = rollout.Distil }, "said[3].phase", `"distil"`, `"act"`},
		"fault":         {func(e *rollout.Episode) { e.Said[3].Fault = "no action" }, "said[3].fault", `"no action"`, "nothing"},
		"lost answer":   {func(e *rollout.Episode) { e.Said = e.Said[:len(e.Said)-1] }, "said", "6 answers", "another prompt"},
		"more answers":  {func(e *rollout.Episode) { e.Said = append(e.Said, e.Said[0]) }, "said", "8 answers", "7"},
		"lesson":        {func(e *rollout.Episode) { e.Lesson.Actions = "Give up." }, "lesson.Actions", `"Give up."`, `"Take the mug."`},
		"no lesson":     {func(e *rollout.Episode) { e.Lesson = nil }, "lesson", "nothing", "{"},
		"order":         {func(e *rollout.Episode) { e.Order[0], e.Order[1] = 0, 1 }, "order[0]", "0", "1"},
		"ranked":        {func(e *rollout.Episode) { e.Ranked = false }, "ranked", "nothing", "true"},
		"shown":         {func(e *rollout.Episode) { e.Shown[0] = string(first) }, "shown[0]", string(first), "skill-"},
		"utility":       {func(e *rollout.Episode) { e.Found[0].Utility = 1 }, "found[0].utility", "1", "0.5"},
		"unknown skill": {func(e *rollout.Episode) { e.Found[0].ID = "skill-0" }, "found[0].id", "skill-0", "no such skill"},
		"bare":          {func(e *rollout.Episode) { e.Bare = true }, "said[0].prompt", "token ", "token "},
	} {
		t.Run(name, func(t *testing.T) {
			e := read(t, raw)
			tt.change(&e)
			err := again(t, cfg, l, e)
			var d *rollout.DifferenceError
			if !errors.As(err, &d) || d.Field != tt.field || !strings.Contains(d.Want, tt.want) || !strings.Contains(d.Got, tt.is) || d.Game != "g/2" {
				t.Errorf("got %v, want %s: %s, and %s", err, tt.field, tt.want, tt.is)
			}
		})
	}
	other := cfg
	other.Projection = reply.Projection{Tail: 5}
	other.Prompts = ask.Full
	if err := again(t, other, l, read(t, raw)); err == nil || !strings.Contains(err.Error(), "said[0].prompt") {
		t.Errorf("other prompts: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := rollout.Again(ctx, cfg, l, task(2).Game, read(t, raw)); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}
