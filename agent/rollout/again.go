package rollout

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/internal/differ"
	"github.com/hone-rl/hone/skills"
)

// DifferenceError says where an episode is not what follows from its answers.
type DifferenceError struct {
	Game    string
	Rollout int
	Field   string // "steps[2].command": places count from 0, as in the episode's JSON
	Want    string // what the episode says
	Got     string // what its answers, prompts and game come to
}

// Error implements error.
func (e *DifferenceError) Error() string {
	return fmt.Sprintf("rollout %d of %s played again: %s: the episode has %s, the replay %s", e.Rollout, e.Game, e.Field, e.Want, e.Got)
}

// Again plays an episode anew on its game, with the answers that it recorded in place of a policy's, and compares all that
// follows from them: prompts, token for token; what the answers' tokens say, as queries, orders, commands and lessons; what the
// game says to the commands, and how it ends. The error is a *DifferenceError where the two part.
//
// Cfg is as for Play, without a policy and skills: library, nil for none, has those that the episode found, and tells what they
// say and their utilities. Which skills a query finds, and how likely a token was, is not asked: that takes a model.
func Again(ctx context.Context, cfg Config, library *skills.Library, game env.Game, e Episode) error {
	told := &teller{said: e.Said, stop: cfg.Stop}
	cfg.Policy, cfg.Skills, cfg.Times = told, nil, nil
	if library != nil {
		cfg.Skills = finder{library, e.Found}
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return err
	}
	again := newEpisode(&cfg, Task{Game: game, Rollout: e.Rollout, Seed: e.Seed, Bare: e.Bare})
	err = again.play(ctx)
	var broken *DifferenceError // where it could not go on
	if err != nil && !errors.As(err, &broken) {
		return err
	}
	if err == nil && told.at < len(e.Said) {
		broken = &DifferenceError{Field: "said", Want: fmt.Sprintf("%d answers", len(e.Said)), Got: fmt.Sprint(told.at)}
	}
	differs, err := compare(e, again.record, broken != nil)
	if err != nil {
		return fmt.Errorf("rollout %d of %s: %w", e.Rollout, e.Game, err)
	}
	if differs == nil {
		differs = broken
	}
	if differs == nil {
		return nil
	}
	differs.Game, differs.Rollout = e.Game, e.Rollout
	return differs
}

// teller is a policy that answers as an episode says, where it is asked as the episode says.
type teller struct {
	said []Said
	stop []int32
	at   int
	last []int32 // the prompt before, and its answer
}

var _ gpu.Policy = (*teller)(nil)

// Sample implements gpu.Policy.
func (t *teller) Sample(_ context.Context, requests []gpu.Sampling) ([]gpu.Sampled, error) {
	if len(requests) != 1 {
		return nil, fmt.Errorf("%d requests, expected 1", len(requests))
	}
	asked := requests[0].Prompt
	if t.at == len(t.said) {
		return nil, &DifferenceError{Field: "said", Want: fmt.Sprintf("%d answers", t.at), Got: "another prompt behind them"}
	}
	s, field := t.said[t.at], fmt.Sprintf("said[%d].", t.at)
	same := alike(t.last, asked)
	if s.Same != same || !slices.Equal(s.Prompt, asked[same:]) {
		return nil, t.otherPrompt(field, s, asked)
	}
	if what := t.wrong(s, requests[0].MaxTokens); what != nil {
		what.Field = field + what.Field
		return nil, what
	}
	t.at++
	t.last = append(asked[:len(asked):len(asked)], s.Tokens...)
	return []gpu.Sampled{{Tokens: s.Tokens, LogProbs: s.LogProbs, Drawn: s.LogProbs, Stopped: s.Stopped}}, nil
}

// otherPrompt is where the recorded prompt parts from the one that is asked.
func (t *teller) otherPrompt(field string, s Said, asked []int32) error {
	if s.Same < 0 || s.Same > len(t.last) {
		return &DifferenceError{Field: field + "same", Want: fmt.Sprint(s.Same), Got: fmt.Sprintf("%d tokens before it", len(t.last))}
	}
	recorded := slices.Concat(t.last[:s.Same], s.Prompt)
	at := alike(recorded, asked)
	if at == len(recorded) && at == len(asked) {
		return &DifferenceError{Field: field + "same", Want: fmt.Sprint(s.Same), Got: fmt.Sprint(alike(t.last, asked))}
	}
	show := func(ids []int32) string {
		if at == len(ids) {
			return fmt.Sprintf("%d tokens", at)
		}
		return fmt.Sprintf("token %d of %d: %d", at+1, len(ids), ids[at])
	}
	return &DifferenceError{Field: field + "prompt", Want: show(recorded), Got: show(asked)}
}

// wrong is why an answer is none that a policy gives which may write so many tokens.
func (t *teller) wrong(s Said, most int) *DifferenceError {
	n := len(s.Tokens)
	ends := slices.IndexFunc(s.Tokens, func(id int32) bool { return slices.Contains(t.stop, id) })
	switch {
	case n == 0 || n > most:
		return &DifferenceError{Field: "tokens", Want: fmt.Sprint(n), Got: fmt.Sprintf("1 to %d", most)}
	case len(s.LogProbs) != n:
		return &DifferenceError{Field: "logprobs", Want: fmt.Sprint(len(s.LogProbs)), Got: fmt.Sprintf("%d, one a token", n)}
	case s.Stopped && ends != n-1 || !s.Stopped && (ends >= 0 || n != most):
		got := fmt.Sprintf("%d tokens of at most %d, none that ends an answer", n, most)
		if ends >= 0 {
			got = fmt.Sprintf("%d tokens of at most %d, ended by number %d", n, most, ends+1)
		}
		return &DifferenceError{Field: "stopped", Want: fmt.Sprint(s.Stopped), Got: got}
	}
	for i, p := range s.LogProbs {
		if math.IsNaN(float64(p)) || math.IsInf(float64(p), 0) {
			return &DifferenceError{Field: fmt.Sprintf("logprobs[%d]", i), Want: fmt.Sprint(p), Got: "a number"}
		}
	}
	return nil
}

// Choose implements gpu.Policy.
func (t *teller) Choose(context.Context, []gpu.Choice) ([]gpu.Chosen, error) {
	return nil, errors.New("an episode has no choices")
}

// Close implements gpu.Policy.
func (t *teller) Close() error { return nil }

// finder finds what an episode says that it found.
type finder struct {
	library *skills.Library
	found   []Found
}

// Find implements Finder.
func (f finder) Find(context.Context, string, uint64) ([]Found, error) {
	var all []Found
	for i, one := range f.found {
		s, there := f.library.Skill(skills.ID(one.ID))
		if !there {
			return nil, &DifferenceError{Field: fmt.Sprintf("found[%d].id", i), Want: one.ID, Got: "no such skill in its library"}
		}
		all = append(all, Found{ID: one.ID, Utility: s.Utility, Relevance: one.Relevance, Head: s.Key(), Strategy: s.Strategy})
	}
	return all, nil
}

// compare is the first difference of two episodes as JSON says them, nil for none. Of one that broke off, what there is.
func compare(want, got Episode, broken bool) (*DifferenceError, error) {
	if broken {
		steps, said := min(len(want.Steps), len(got.Steps)), min(len(want.Said), len(got.Said))
		want.Steps, got.Steps, want.Said, got.Said = want.Steps[:steps], got.Steps[:steps], want.Said[:said], got.Said[:said]
		want.Last, want.Outcome, want.Lesson = got.Last, got.Outcome, got.Lesson
		if got.Found == nil && got.Order == nil { // not come so far
			want.Found, want.Order, want.Ranked, want.Shown = nil, nil, false, nil
		}
	}
	d, err := differ.How{Order: order}.First(want, got)
	if d == nil || err != nil {
		return nil, err
	}
	return &DifferenceError{Field: d.Field, Want: d.A, Got: d.B}, nil
}

// order is that of an episode: where several fields differ, the first is what the others follow from.
var order = []string{"game", "family", "task", "found", "order", "ranked", "shown", "steps", "said", "last", "outcome", "lesson"}
