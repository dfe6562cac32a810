package page

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
)

// evaluated is a row of an evaluation as a source of episodes.
func (r *run) evaluated(ctx context.Context, p played) (source, error) {
	m, err := artifacts.GetManifest(ctx, r.store, p.trajectories)
	if err != nil {
		return source{}, err
	}
	if m.Kind != artifacts.KindTrajectories || len(m.Outputs) != 1 {
		return source{}, fmt.Errorf("artifact %s is of kind %s with %s, expected trajectories", p.trajectories.Short(), m.Kind, counted(len(m.Outputs), "file"))
	}
	var how activities.PlayParameters
	if err := json.Unmarshal(m.Parameters, &how); err != nil {
		return source{}, fmt.Errorf("parameters of trajectories %s: %w", p.trajectories.Short(), err)
	}
	return source{label: p.name(), total: p.cell.All.Games, each: func(ctx context.Context) iter.Seq2[candidate, error] {
		return func(yield func(candidate, error) bool) {
			for t, err := range trajectoriesOf(ctx, r.store, m.Outputs[0].Digest) {
				c := candidate{won: t.Outcome.Won, view: func(b *budget) *episode { return told(t, how, b) }}
				if !yield(c, err) || err != nil {
					return
				}
			}
		}
	}}, nil
}

// told is a trajectory of an evaluation, whose answers are commands.
func told(t agent.Trajectory, how activities.PlayParameters, b *budget) *episode {
	e := outline(t, b)
	e.Hint = b.text(t.Hint)
	prompts, known := t.Prompts(how.Prompt, how.History)
	if known && len(t.Steps) > 0 {
		e.Task, _ = agent.GoalIn(t.Steps[0].Observation)
		e.Task = b.text(e.Task)
	} else if !known {
		e.Note = "Its opening text does not say the goal, so that its prompts cannot be told again."
	}
	for i, s := range t.Steps[:min(len(t.Steps), mostTurns)] {
		one := stepTurn(s, b)
		if known {
			one.Prompt = b.text(prompts[i])
		}
		one.Answer = one.Command
		switch {
		case s.Oracle != "" && s.Exact:
			one.Expert = "the same"
		case s.Oracle != "" && s.Template:
			one.Expert = b.text(s.Oracle) + " (the same but for instance numbers)"
		case s.Oracle != "":
			one.Expert = b.text(s.Oracle)
		case s.NoOracle != "":
			one.Expert = b.text("knew nothing: " + s.NoOracle)
		}
		e.Turns = append(e.Turns, one)
	}
	e.Cut = len(t.Steps) - len(e.Turns)
	if e.Cut == 0 && len(e.Turns) > 0 {
		e.Turns[len(e.Turns)-1].Reward = e.Score
	}
	return e
}

// outline is what all episodes have.
func outline(t agent.Trajectory, b *budget) *episode {
	e := &episode{Game: b.text(t.Game), Family: b.text(t.Family), Outcome: t.Outcome, Score: "0: the game was lost"}
	e.Outcome.Reason = b.text(t.Outcome.Reason)
	if t.Outcome.Won {
		e.Score = "1: the game was won"
	}
	if t.Last != nil {
		e.End = b.text(t.Last.Observation)
		if t.Last.Score != 0 && t.Last.Score != 1 {
			e.Score += fmt.Sprintf(", with a score of %.3f", t.Last.Score)
		}
	}
	return e
}

// stepTurn is what a step says of its turn.
func stepTurn(s agent.Step, b *budget) turn {
	one := turn{Observation: b.text(s.Observation), Command: b.text(s.Command)}
	for _, f := range s.Forms {
		one.Commands = append(one.Commands, b.text(f.String()))
	}
	for i, c := range s.Admissible {
		if i == mostCommands {
			one.More = len(s.Admissible) - i
			break
		}
		one.Commands = append(one.Commands, b.text(c))
	}
	return one
}
