package rollout

import (
	"context"
	"fmt"

	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/agent/reply"
)

// choose finds skills by the task's text, then by the policy's query, has the policy put them in order and keeps those
// that are shown. A query that finds nothing leaves what the task's text found.
func (e *episode) choose(ctx context.Context) error {
	x := e.tracker.X()
	scene := ask.Scene{World: e.cfg.World, X: x}
	found, err := e.find(ctx, x.Goal, 0)
	if err != nil {
		return err
	}
	if e.cfg.Query {
		text, ok, err := e.ask(ctx, Query, 0, e.text(func(int) string { return e.cfg.Prompts.Query(scene) }))
		if err != nil || !ok {
			return err
		}
		query := reply.Query(text)
		if query == "" {
			e.fault("empty query")
		} else if again, err := e.find(ctx, query, 1); err != nil {
			return err
		} else if len(again) > 0 {
			found = again
		}
	}
	e.record.Found = found
	order := reply.Rank("", len(found))
	if e.cfg.Rank && len(found) > 1 {
		text, ok, err := e.ask(ctx, Rank, 0, e.text(func(int) string { return e.cfg.Prompts.Rank(scene, shown(found)) }))
		if err != nil || !ok {
			return err
		}
		if order = reply.Rank(text, len(found)); !order.Parsed {
			e.fault("no order")
		}
	}
	e.record.Order, e.record.Ranked = order.Order, order.Parsed
	for _, i := range order.Order[:min(e.cfg.Show, len(found))] {
		e.record.Shown = append(e.record.Shown, found[i].ID)
		e.skills = append(e.skills, ask.Skill{Head: found[i].Head, Strategy: found[i].Strategy})
	}
	return nil
}

func (e *episode) find(ctx context.Context, query string, draw uint64) ([]Found, error) {
	defer e.cfg.Times.begin(TimeRetrieve)()
	found, err := e.cfg.Skills.Find(ctx, query, seed(e.task.Seed, "find", draw))
	if err != nil {
		return nil, fmt.Errorf("skills for rollout %d of %s: %w", e.task.Rollout, e.task.Game.ID(), err)
	}
	return found, nil
}

func shown(found []Found) []ask.Skill {
	all := make([]ask.Skill, len(found))
	for i, f := range found {
		all[i] = ask.Skill{Head: f.Head, Strategy: f.Strategy}
	}
	return all
}

// distil has the policy draw a lesson from the whole episode and, where there is one, another of the same task that
// ended the other way. Prompts that grow ask behind the last command, unless another is shown.
func (e *episode) distil(ctx context.Context) error {
	own := ask.Episode{World: e.cfg.World, Task: e.tracker.X().Goal, Won: e.record.Outcome.Won, Last: e.record.Last.Observation}
	other := e.other()
	// What does not fit is left out from its beginning on: of the other episode all, of this one turn after turn.
	parts := len(e.turns)
	if other != nil {
		parts++
	}
	prompt := e.text(func(left int) string {
		own.Other = nil
		if left > len(e.turns) {
			own.Other = other
		}
		own.Turns = e.turns[len(e.turns)-min(left, len(e.turns)):]
		return e.cfg.Prompts.Distil(own)
	})
	if e.cfg.Prompts.Grows() && other == nil {
		talk := Talk{e.cfg.Form, e.cfg.Prompts, ask.Scene{World: e.cfg.World, X: e.tracker.X(), Skills: e.skills}}
		prompt = func(ctx context.Context, left int) ([]int32, error) {
			from := len(e.turns) - left
			return talk.Lesson(ctx, e.turns[from:], e.answers[from:], own.Won, own.Last)
		}
	}
	text, ok, err := e.ask(ctx, Distil, parts, prompt)
	if err != nil || !ok {
		return err
	}
	lesson, err := reply.Distilled(text)
	if err != nil {
		e.fault(err.Error())
		return nil
	}
	e.record.Lesson = &lesson
	return nil
}

// other is the last of the task's other episodes that ended the other way.
func (e *episode) other() *ask.Episode {
	for i := len(e.task.Other) - 1; i >= 0; i-- {
		if o := &e.task.Other[i]; o.Won != e.record.Outcome.Won {
			return o
		}
	}
	return nil
}
