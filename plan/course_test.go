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
		"grpo, update", "grpo, play", "112, 208, 295 and 360 tokens",
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
