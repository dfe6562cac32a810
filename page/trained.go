package page

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/skills"
)

// speaker turns the tokens of a training's answers into text.
type speaker struct {
	speech activities.Speech
	err    error
	expect credit.Expect
	run    *run
}

// trained are a training's episodes: of its first and last panels, and of its last step. Left counts the episodes of the steps
// and panels between.
func (r *run) trained(ctx context.Context, t *training) (all []source, left int, err error) {
	if t.at == nil {
		return nil, 0, nil
	}
	said := &speaker{run: r, expect: credit.ByMax}
	var chat *activities.ChatParameters
	first, last := map[string]int{}, map[string]int{} // places of panels
	for i, v := range t.panels {
		kind := fmt.Sprint(v.Panel, v.With)
		if _, there := first[kind]; !there {
			first[kind] = i
		}
		last[kind] = i
	}
	for i, v := range t.panels {
		m, err := artifacts.GetManifest(ctx, r.store, v.Digest)
		if err != nil {
			return nil, 0, fmt.Errorf("%s %s: %w", v.Role(), v.Digest.Short(), err)
		}
		var how activities.RolloutParameters
		if err := json.Unmarshal(m.Parameters, &how); err != nil {
			return nil, 0, fmt.Errorf("parameters of %s: %w", v.Role(), err)
		}
		chat = how.Chat
		file, ok := output(m, activities.EpisodesFile)
		kind := fmt.Sprint(v.Panel, v.With)
		if !ok || i != first[kind] && i != last[kind] {
			left += v.Count
			continue
		}
		all = append(all, said.source(t.label(v.Step, v.With, v.Panel), v.Count, file.Digest, 0))
	}
	for i, u := range t.updates {
		count := 0
		if u.Figures != nil {
			count = u.Figures.Episodes
		}
		if i < len(t.updates)-1 {
			left += count
			continue
		}
		m, err := artifacts.GetManifest(ctx, r.store, u.Policy)
		if err != nil {
			return nil, 0, fmt.Errorf("update %s: %w", u.Policy.Short(), err)
		}
		in, err := activities.UpdateOf(u.Policy, m)
		if err != nil {
			return nil, 0, err
		}
		said.expect = cmp.Or(in.Learn.Expect, credit.ByMax)
		if file, ok := output(m, activities.EpisodesFile); ok && in.Distil == nil {
			all = append(all, said.source(fmt.Sprintf("%s, training step %d", t.Title, u.Step), count, file.Digest, u.Step))
		} else {
			left += count
		}
	}
	born, earlier, err := said.born(ctx, t)
	if err != nil {
		return nil, 0, fmt.Errorf("where skills come from: %w", err)
	}
	if born.total > 0 {
		all, left = append([]source{born}, all...), left-earlier
	}
	if len(all) > 0 {
		if said.speech, said.err = activities.ReadSpeech(ctx, r.store, t.at.Policy, chat); ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
	}
	return all, left, nil
}

// keyOf is how a skill names the episode of a training's step that it was born of.
func keyOf(step int, e rollout.Episode) string {
	return fmt.Sprintf("train/%d/%s/%d", step, e.Game, e.Rollout)
}

// born are the episodes that the most useful skills were born of, as far as they are stored, and how many are not of the last step.
func (s *speaker) born(ctx context.Context, t *training) (all source, earlier int, err error) {
	wanted := map[artifacts.Digest][]skills.Skill{}
	var files []artifacts.Digest
	n := 0
	for _, one := range t.best {
		if one.Born == 0 || n == mostOrigins {
			continue // of no step
		}
		if wanted[one.Source] == nil {
			files = append(files, one.Source)
		}
		wanted[one.Source] = append(wanted[one.Source], one)
		n++
	}
	var found []candidate
	for _, file := range files {
		for e, err := range lineage.Episodes(ctx, s.run.store, file) {
			if errors.Is(err, artifacts.ErrNotFound) {
				break // not kept
			}
			if err != nil {
				return source{}, 0, err
			}
			if slices.ContainsFunc(wanted[file], func(one skills.Skill) bool { return one.Episode == keyOf(one.Born, e) }) {
				step := wanted[file][0].Born
				found = append(found, s.candidate(e, step))
				if step < len(t.updates) {
					earlier++
				}
			}
		}
	}
	return source{label: t.Title + ", where the most useful skills come from", total: len(found), each: func(context.Context) iter.Seq2[candidate, error] {
		return func(yield func(candidate, error) bool) {
			for _, c := range found {
				if !yield(c, nil) {
					return
				}
			}
		}
	}}, earlier, nil
}

// candidate is an episode, of a training's step where there is one.
func (s *speaker) candidate(e rollout.Episode, step int) candidate {
	c := candidate{won: e.Outcome.Won, view: func(b *budget) *episode { return s.told(e, b) }}
	if step > 0 {
		c.key = keyOf(step, e)
	}
	return c
}

// mostOrigins is of how many skills the episodes are shown that they were born of.
const mostOrigins = 3

// source is a file of episodes, of a training's step where there is one.
func (s *speaker) source(label string, total int, file artifacts.Digest, step int) source {
	return source{label: label, total: total, each: func(ctx context.Context) iter.Seq2[candidate, error] {
		return func(yield func(candidate, error) bool) {
			for e, err := range lineage.Episodes(ctx, s.run.store, file) {
				if !yield(s.candidate(e, step), err) || err != nil {
					return
				}
			}
		}
	}}
}

// told is an episode with its answers in the order in which they were asked for.
func (s *speaker) told(e rollout.Episode, b *budget) *episode {
	one := outline(e.Trajectory, b)
	one.Task = b.text(e.Task)
	if s.err != nil {
		one.Note = "Prompts and answers cannot be told: " + b.text(s.err.Error())
	}
	for _, id := range e.Shown {
		one.Skills = append(one.Skills, s.run.shown(id))
	}
	texts, act := s.texts(e), 0
	for i, said := range e.Said {
		if i == mostTurns {
			one.Cut = len(e.Said) - i
			break
		}
		var t turn
		if said.Phase == rollout.Act && act < len(e.Steps) {
			t = stepTurn(e.Steps[act], b)
			act++
		}
		t.Phase, t.Fault = string(said.Phase), b.text(said.Fault)
		if s.err == nil {
			t.Prompt, t.Before = b.text(texts[i].prompt), texts[i].before
			t.Reasoning, t.Answer = b.text(texts[i].reasoning), b.text(texts[i].answer)
		}
		t.Drawn = likely(said)
		t.Reward = s.reward(e, said)
		if said.Phase == rollout.Act && act == len(e.Steps) {
			t.Reward = one.Score
		}
		one.Turns = append(one.Turns, t)
	}
	return one
}

// text is an answer's prompt and what was said.
type text struct{ before, prompt, reasoning, answer string }

// texts are the episode's answers. Of a prompt that begins with the prompt and answer before it only what follows is told.
func (s *speaker) texts(e rollout.Episode) []text {
	if s.err != nil {
		return nil
	}
	all := make([]text, len(e.Said))
	for i, prompt := range e.Prompts() {
		said := e.Said[i]
		tokens := said.Tokens
		if said.Stopped && len(tokens) > 0 {
			tokens = tokens[:len(tokens)-1]
		}
		one := &all[i]
		one.prompt, one.answer = s.speech.Tokens.DecodePlain(prompt), s.speech.Tokens.DecodePlain(tokens)
		if rest, is := strings.CutPrefix(one.prompt, s.speech.Tokens.DecodePlain(prompt[:said.Same])); is && i > 0 && said.Same > 0 {
			one.prompt, one.before = rest, fmt.Sprintf("the first %d tokens are those of the turn before, prompt and answer", said.Same)
		}
		if thought, rest, is := strings.Cut(one.answer, endOfThought); is {
			one.reasoning, one.answer = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(thought), "<think>")), strings.TrimSpace(rest)
		}
	}
	return all
}

// endOfThought ends a model's reasoning.
const endOfThought = "</think>"

// likely is how likely an answer was, and how long it is.
func likely(said rollout.Said) string {
	if len(said.LogProbs) == 0 {
		return ""
	}
	sum := 0.0
	for _, l := range said.LogProbs {
		sum += float64(l)
	}
	return fmt.Sprintf("%s, mean log-probability %.3f", counted(len(said.Tokens), "token"), sum/float64(len(said.LogProbs)))
}

// reward is what an answer earns of its own: an order its NDCG, a lesson what the episode gave beyond what was expected. "" where
// it has none, or its group has to be known.
func (s *speaker) reward(e rollout.Episode, said rollout.Said) string {
	utilities := make([]float64, len(e.Found))
	for i, f := range e.Found {
		utilities[i] = f.Utility
	}
	switch said.Phase {
	case rollout.Rank:
		order := e.Order
		if !e.Ranked {
			order = nil
		}
		if r, err := credit.NDCG(utilities, order); err == nil {
			return fmt.Sprintf("%.4f, NDCG of its order by utility", r)
		}
	case rollout.Distil:
		if r, err := credit.DistilReward(e.Outcome.Won, utilities, s.expect); err == nil {
			return fmt.Sprintf("%.4f, outcome beyond what the skills promised", r)
		}
	}
	return ""
}
