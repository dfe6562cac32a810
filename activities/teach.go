package activities

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/learn"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/hints"
	"github.com/hone-rl/hone/tokenizer"
)

// DistilRule is how a policy learns, on its own play without the hint, from a teacher who reads it: privileged
// distillation. It stands in the place of rewards.
type DistilRule struct {
	learn.DistilConfig
	Prompt    agent.Format   `json:"prompt,omitempty"` // "" is "lite/1"
	History   int            `json:"history"`
	MaxTokens int            `json:"maxTokens"` // of prompt and answer; longer ones are left out and counted
	Plans     []env.PlanKind `json:"plans"`     // of the hint
	Limits    env.Limits     `json:"limits"`
}

// DistilFigures are the figures of a step of it.
type DistilFigures struct {
	Episodes int                 `json:"episodes"`
	Won      int                 `json:"won"`
	Unhinted int                 `json:"unhinted,omitempty"` // games without a hint, left out
	Over     int                 `json:"over,omitempty"`     // decisions over MaxTokens, left out
	Report   *learn.DistilReport `json:"report"`
}

// note is the figures in short.
func (f *DistilFigures) note() string {
	n := fmt.Sprintf("%d of %d won, %d texts", f.Won, f.Episodes, f.Report.Lessons)
	if last := len(f.Report.Steps) - 1; last >= 0 {
		s := f.Report.Steps[last]
		n += fmt.Sprintf(", teacher ahead by %.3f, gate %.2f, gradient %.2f", s.Delta, s.Gate, s.GradNorm)
	}
	return n
}

// distil takes the steps of the trajectories on the policy in training.
func (a *Activities) distil(ctx context.Context, in UpdateInput, lines []byte, by meter) (*DistilFigures, error) {
	l := a.learners.current()
	tokens, err := tokenizer.Load(filepath.Join(l.base, "tokenizer.json"))
	if err != nil {
		return nil, final(ErrTypeBadInput, fmt.Errorf("model %s: %w", l.start.Short(), err))
	}
	listed, err := ReadGameList(ctx, a.Store, in.Games)
	if err != nil {
		return nil, err
	}
	place := map[string]int{}
	for i, g := range listed {
		place[g.ID] = i
	}
	cfg := hints.EncodeConfig{Tokens: tokens, Format: in.Distil.Prompt, MaxTokens: in.Distil.MaxTokens}
	f := &DistilFigures{}
	var lessons []learn.Lesson
	for t, err := range agent.Trajectories(bytes.NewReader(lines)) {
		if err != nil {
			return nil, final(ErrTypeCorrupt, err)
		}
		i, there := place[t.Game]
		if !there {
			return nil, final(ErrTypeBadInput, fmt.Errorf("trajectory %d is of %s, which is not in %s", f.Episodes+1, t.Game, in.Games.Short()))
		}
		f.Episodes++
		if t.Outcome.Won {
			f.Won++
		}
		goal, hint, err := a.told(ctx, listed[i], in.Distil)
		if err != nil {
			return nil, err
		}
		if hint == "" {
			f.Unhinted++
			continue
		}
		taught, over, err := hints.Teach(cfg, goal, in.Distil.History, t, hint)
		if err != nil {
			return nil, final(ErrTypeBadInput, err)
		}
		f.Over += over
		for _, one := range taught {
			lessons = append(lessons, learn.Lesson{Student: one.Student, Teacher: one.Teacher, Episode: f.Episodes - 1})
		}
	}
	teacher, err := a.teacher(ctx, in.Teacher, in.Train)
	if err != nil {
		return nil, err
	}
	l.at = "" // whatever happens now, it is no longer what it was
	f.Report, err = learn.Distil(ctx, timedTrainer{l.trainer, by}, timed(teacher, by), in.Distil.DistilConfig, lessons)
	return f, err
}

// told is a game's goal and its hint, "" where there is none.
func (a *Activities) told(ctx context.Context, listed ListedGame, rule *DistilRule) (goal, hint string, err error) {
	game, err := a.openGame(ctx, listed)
	if err != nil {
		return "", "", err
	}
	episode, err := game.Start(ctx, rule.Limits)
	if err == nil {
		var tracker *agent.Tracker
		if tracker, err = agent.Track(episode, rule.History); err == nil {
			goal = tracker.X().Goal
			hint, err = hints.Hinter(hints.GenerateConfig{Plans: rule.Plans, Limits: rule.Limits, History: rule.History})(ctx, game, episode)
		}
	}
	if err != nil && ctx.Err() != nil {
		return "", "", ctx.Err()
	}
	if err != nil {
		return goal, "", nil //nolint:nilerr // the game has no hint, which is counted
	}
	return goal, hint, nil
}

// teacher is a model that is asked, loaded when it is first.
func (a *Activities) teacher(ctx context.Context, d artifacts.Digest, train gpu.TrainConfig) (learn.Reference, error) {
	l := a.learners.current()
	if l.taughtBy == d && l.reference != nil {
		return l.reference, nil
	}
	if l.reference != nil {
		if err := l.reference.Close(); err != nil {
			return nil, err
		}
		l.reference = nil
	}
	base, adapter, err := a.modelFolders(ctx, d)
	if err != nil {
		return nil, err
	}
	scorer, err := a.Runner.Scorer(ctx, gpu.PolicyConfig{Model: base, Adapter: adapter, DType: train.DType, Eager: train.Eager()})
	if err != nil {
		return nil, unusable(ctx, fmt.Errorf("load model %s as the teacher: %w", d.Short(), err))
	}
	l.reference, l.taughtBy = scorer, d
	return scorer, nil
}

// check says what is wrong with how an update is asked for.
func (in UpdateInput) check() error {
	if in.Distil == nil {
		return in.Learn.Validate()
	}
	err := in.Distil.Validate()
	if in.Teacher == "" || in.Games == "" {
		err = errors.Join(err, errors.New("distillation: expected a teacher and the list of the games"))
	}
	return err
}
