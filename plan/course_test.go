package plan_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hone-rl/hone/plan"
)

const courseSpec = `name: small
games:
  household: {seed: 3, train: 60, valid_seen: 6, valid_unseen: 12}
tokenizer: {split: word, vocabulary: 512, games: 0}
model:
  qwen2: {hidden: 32, layers: 1, heads: 2, kv_heads: 1, intermediate: 64, vocabulary: 512, positions: 1024,
          rope_theta: 10000, init_std: 0.06, tie_embedding: true}
evaluation:
  max_steps: 10
  panels:
    - {name: unseen, splits: [valid_unseen], per_family: 1}
`

const rewards = `stages: [cold_start, grpo]
cold_start: {steps: 10, batch: 8, max_tokens: 1024}
grpo:
  method: skill1-released
  start: cold_start
  prompts: skill-turns/1
  steps: 5
  tasks: 4
  group: 2
  max_steps: 10
  answer: {query: 8, rank: 4, act: 6, distil: 20}
  checkpoint: 2
  shard: 2
  learn: {mini_batch: 7}
  validate: {panel: unseen, every: 2, samples: 3}
`

// Five steps of 4 games, 2 episodes each, are 40. An episode's answers have at most 10 · 6 + 8 + 4 + 20 = 92 tokens and are at
// most 13, so that a step's 104 make 15 optimiser steps of 7. The panel's 6 games are played 3 times each, before step 1 and
// after 2, 4 and 5, with skills and without: 144 episodes.
func TestCourse(t *testing.T) {
	p := planned(t, ask(parse(t, "small.yaml", courseSpec+rewards)))
	s := stage(t, p, "grpo")
	if s.Course == nil {
		t.Fatalf("stage %+v", s)
	}
	got := *s.Course
	for _, n := range []struct {
		what      string
		got, want int64
	}{
		{"trainable", got.Trainable, p.Model.Parameters},
		{"episodes", int64(got.Episodes), 40},
		{"optimiser steps", int64(got.Updates), 75},
		{"tokens", got.Generated, 3680},
		{"plays of the panel", int64(got.Panels), 8},
		{"episodes of them", int64(got.Validated), 144},
		{"checkpoints", int64(got.Checkpoints), 3},
		{"skills", int64(got.Library), 5000},
		{"bytes", s.Stored, 3*16*p.Model.Parameters + (40+144)*16_000 + 3680*20},
	} {
		if n.got != n.want {
			t.Errorf("%s: got %d, want %d", n.what, n.got, n.want)
		}
	}
	var text bytes.Buffer
	if err := p.Text(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"4 games × 2 episodes a step", "grpo: at most 75 optimiser steps", "grpo: its panel is played 8 times, 144 episodes.",
		"grpo, update", "grpo, play", "115, 220, 307 and 114 tokens",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
	// All weights are trained in fp32 on a CPU: the reference is one more copy, and in play the policy another.
	memory := map[string]plan.Memory{}
	for _, m := range p.Memory {
		memory[m.Name] = m
	}
	bytes := 4 * p.Model.Parameters
	if u, v := memory["grpo, update"], memory["grpo, play"]; u.Weights != bytes || u.Trained != bytes || u.Moments != 2*bytes || v.Weights != 2*bytes || v.Trained != bytes || v.Cache == 0 {
		t.Errorf("update %+v, play %+v, want weights of %d and %d", u, v, bytes, 2*bytes)
	}
}

// A cold start of 10 games has a query, an order and a conversation of each, at whose end the lesson is; where these are
// taught of a fifth of the games, 10 conversations and 2 · 2 others. In prompts that do not grow an example is an answer.
func TestColdStartOfFewGames(t *testing.T) {
	for fields, want := range map[string]int{"games: 10": 30, "games: 10, beside: 0.2": 14} {
		few := strings.Replace(rewards, "cold_start: {", "cold_start: {"+fields+", ", 1)
		if s := stage(t, planned(t, ask(parse(t, "small.yaml", courseSpec+few))), "cold_start"); s.Training == nil || s.Training.Records != want {
			t.Errorf("%s: stage %+v, want %d examples", fields, s, want)
		}
	}
}

const taught = `stages: [teacher, student, distilled]
teacher: &sft {steps: 10, batch: 8, max_tokens: 1024}
student: *sft
distilled: {steps: 6, tasks: 100, checkpoint: 4, learn: {mini_batch: 64}}
`

// A distillation plays each of 60 games a step at most, 10 commands each.
func TestDistilledCourse(t *testing.T) {
	s := stage(t, planned(t, ask(parse(t, "small.yaml", courseSpec+taught))), "distilled")
	if c := s.Course; c == nil || c.Tasks != 60 || c.Episodes != 360 || c.Updates != 60 || c.Checkpoints != 2 || c.Generated != 0 {
		t.Errorf("course %+v", c)
	}
}

// The published sizes, from the files alone. Skill1 with Qwen2.5-7B: 150 steps of 16 × 16 episodes; at most 50 commands, a query, an order
// and a lesson of 2,048 tokens each are 108,544 tokens and 53 answers an episode, so that 256 × 53 answers make 53 steps of
// 256. The panel's 64 games are played before step 1, after 20, 40, … 140 and after 150, with skills and without: 18 times.
// Selection alone with Qwen3.5-4B: 40 steps of 16 × 8, 27 optimiser steps each (26.5), the panel at 0, 10, … 40: 10 times.
func TestPublishedCourses(t *testing.T) {
	for _, c := range []struct {
		file                                              string
		parameters, generated, stored                     int64
		episodes, updates, panels, validated, checkpoints int
	}{
		{"skill1.yaml", 7_615_616_512, 38_400 * 108_544, 3*14*7_615_616_512 + (38_400+1_152)*16_000 + 38_400*108_544*20, 38_400, 7_950, 18, 1_152, 3},
		{"skill-only.yaml", 4_205_751_296, 5_120 * 108_544, 4*14*4_205_751_296 + (5_120+640)*16_000 + 5_120*108_544*20, 5_120, 1_080, 10, 640, 4},
	} {
		q := ask(shipped(t, c.file))
		q.CUDA = true
		p := planned(t, q)
		s := stage(t, p, "grpo")
		got := *s.Course
		if got.Trainable != c.parameters || got.Generated != c.generated || s.Stored != c.stored || got.Episodes != c.episodes || got.Updates != c.updates ||
			got.Panels != c.panels || got.Validated != c.validated || got.Checkpoints != c.checkpoints {
			t.Errorf("%s: %+v, stored %d, want %+v", c.file, got, s.Stored, c)
		}
		for _, s := range p.Stages {
			if s.Name == "hints" {
				t.Errorf("%s makes records for nothing", c.file)
			}
		}
		// bf16 copies of what is trained, of the reference and, in play, of the policy; fp32 for what is trained, its
		// gradient and two moments.
		for _, m := range p.Memory {
			copies := map[string]int64{"grpo, update": 2, "grpo, play": 3}[m.Name]
			if m.Weights != copies*2*c.parameters || m.Trained != 4*c.parameters || m.Gradients != 4*c.parameters || m.Moments != 8*c.parameters {
				t.Errorf("%s: %+v", c.file, m)
			}
		}
	}
}
