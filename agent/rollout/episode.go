package rollout

import (
	"context"
	"fmt"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/agent/internal/net"
	"github.com/hone-rl/hone/env"
)

// episode plays one game. Its methods return only errors that end the whole of Play.
type episode struct {
	cfg    *Config
	task   Task
	record Episode

	clock   net.Clock
	game    env.Episode
	tracker *agent.Tracker
	turns   []agent.Turn // all
	answers [][]int32    // of the turns, as they were sampled
	skills  []ask.Skill  // shown
	last    []int32      // the prompt before, and its answer
}

func newEpisode(cfg *Config, task Task) *episode {
	return &episode{cfg: cfg, task: task, clock: net.Clock{Net: cfg.Clock}, record: Episode{
		Rollout: task.Rollout, Seed: task.Seed, Bare: task.Bare, Said: []Said{},
		Trajectory: agent.Trajectory{Free: true, Game: task.Game.ID(), Family: task.Game.Family(), Steps: []agent.Step{}},
	}}
}

// play is an episode from the first look at the game to the lesson (Skill1, algorithm 1, lines 4 to 11).
func (e *episode) play(ctx context.Context) error {
	if err := e.begin(ctx); err != nil || e.over() {
		return err
	}
	if e.cfg.Skills != nil && !e.task.Bare {
		if err := e.choose(ctx); err != nil || e.over() {
			return err
		}
	}
	for !e.over() {
		if err := e.step(ctx); err != nil {
			return err
		}
	}
	if !e.cfg.Distil || e.broken() {
		return nil
	}
	return e.distil(ctx)
}

// begin starts the game.
func (e *episode) begin(ctx context.Context) error {
	type opened struct {
		game    env.Episode
		tracker *agent.Tracker
	}
	ended := e.cfg.Times.begin(TimeGame)
	begun, err := net.Do(ctx, &e.clock, func(ctx context.Context) (o opened, err error) {
		if o.game, err = e.task.Game.Start(ctx, e.cfg.Limits); err != nil {
			return opened{}, err // a game's nil is not always nil
		}
		o.tracker, err = agent.Track(o.game, e.cfg.History)
		return o, err
	})
	ended()
	if begun.game != nil {
		e.record.Last = agent.StateOf(begun.game.Now())
	}
	if err != nil {
		return e.fail(ctx, err)
	}
	e.game, e.tracker, e.record.Task = begun.game, begun.tracker, begun.tracker.X().Goal
	e.settle(e.game.Now())
	return nil
}

// step gives a command.
func (e *episode) step(ctx context.Context) error {
	x := e.tracker.X()
	scene := ask.Scene{World: e.cfg.World, X: x, Taken: len(e.record.Steps), Skills: e.skills}
	parts, prompt := len(x.History), e.text(func(left int) string {
		scene.X.History = x.History[len(x.History)-left:]
		return e.cfg.Prompts.Act(scene)
	})
	if e.cfg.Prompts.Grows() {
		talk := Talk{e.cfg.Form, e.cfg.Prompts, scene}
		parts, prompt = len(e.turns), func(ctx context.Context, left int) ([]int32, error) {
			return talk.Prompt(ctx, e.turns[len(e.turns)-left:], e.answers[len(e.turns)-left:], x.Observation)
		}
	}
	text, ok, err := e.ask(ctx, Act, parts, prompt)
	if err != nil || !ok {
		return err
	}
	action := e.cfg.Projection.Action(text)
	e.fault(string(action.Fault))
	e.record.Steps = append(e.record.Steps, agent.Step{Observation: x.Observation, Admissible: x.Admissible, Forms: x.Forms, Command: action.Command})
	e.record.Last = nil
	game := e.game
	ended := e.cfg.Times.begin(TimeGame)
	now, err := net.Do(ctx, &e.clock, func(ctx context.Context) (env.Observation, error) { return game.Step(ctx, action.Command) })
	ended()
	if err != nil {
		return e.fail(ctx, err)
	}
	e.record.Outcome.Steps++
	e.turns = append(e.turns, agent.Turn{Observation: x.Observation, Command: action.Command})
	e.answers = append(e.answers, e.record.Said[len(e.record.Said)-1].Tokens)
	e.tracker.Add(action.Command, now)
	e.record.Last = agent.StateOf(now)
	e.settle(now)
	return nil
}

// settle ends the episode if the game is over in the state now.
func (e *episode) settle(now env.Observation) {
	switch {
	case now.Won:
		e.end(agent.ReasonWon)
	case now.Done:
		e.end(agent.ReasonLost)
	case e.record.Outcome.Steps >= e.cfg.MaxSteps:
		e.end(agent.ReasonSteps)
	}
}

func (e *episode) over() bool { return e.record.Outcome.Reason != "" }

// broken says whether the game is to blame for the end, so that there is nothing to be learnt.
func (e *episode) broken() bool {
	switch e.record.Outcome.Cause() {
	case agent.ReasonLimit, agent.ReasonClock, agent.ReasonError:
		return true
	}
	return false
}

func (e *episode) end(reason string) {
	e.record.Outcome.Reason = reason
	e.record.Outcome.Won = reason == agent.ReasonWon
}

// fail ends the episode for what the game did, unless ctx itself is over.
func (e *episode) fail(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("rollout %d of %s: %w", e.task.Rollout, e.task.Game.ID(), ctx.Err())
	}
	e.end(agent.Failure(err))
	return nil
}
