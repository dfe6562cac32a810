// Package coldstart makes the examples that teach a model the forms of an episode with skills before it learns from
// rewards (SkillRL, section 3: a cold start by supervised learning): a query, an order of skills, commands with a thought
// before each, and a lesson, all of an expert's episode. What they say is plain and told by types; it is the forms that
// are to be learnt. Skills of a library are never made here: those the model draws itself.
package coldstart

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/gpu"
)

// Episode is a game that an expert won.
type Episode struct {
	Game      string
	Family    string
	Decisions []Decision
	Last      string // what the game said to the last command
}

// Decision is a state and the expert's command.
type Decision struct {
	X       agent.X // History: the turns just before, as many as are shown; for a conversation all
	Command string
}

// Config says in what forms.
type Config struct {
	Form    rollout.Form  // of prompts
	Answers agent.Encoder // of answers
	Stop    int32         // the token that ends an answer
	Prompts ask.Set
	World   ask.World
	// Query, Rank and Distil are the phases that are taught beside commands.
	Query, Rank, Distil bool
	Beside              float64 // share of the episodes that teach these beside commands; 0: all
	Skilled             float64 // share of the episodes that play with a skill shown
	MaxTokens           int     // of prompt and answer; longer ones are left out; 0: no limit
	Seed                uint64  // of what is shown to whom
}

// Made is what came of an episode.
type Made struct {
	Examples []gpu.Example
	Over     int // examples and answers longer than MaxTokens, left out
	Shortest int // tokens of the shortest example, those left out too; of a conversation up to its first answer
}

// Examples are those of one episode. Pool is lessons of others to be shown and put in order.
func (c Config) Examples(ctx context.Context, e Episode, pool *Pool) (Made, error) {
	if len(e.Decisions) == 0 {
		return Made{}, fmt.Errorf("cold start: %s: expected an episode with commands", e.Game)
	}
	if c.World == ask.Shop {
		e.Decisions = lowered(e.Decisions, c.Prompts != ask.Full)
	}
	m := maker{Config: c, episode: e, draw: source(c.Seed, e.Game)}
	first := ask.Scene{World: c.World, X: e.Decisions[0].X}
	beside := c.Beside == 0 || m.draw.Float64() < c.Beside
	if c.Query && beside {
		m.one(ctx, c.Prompts.Query(first), queryFor(first.X.Goal)+"</query>")
	}
	if candidates, order := pool.candidates(e, m.draw); c.Rank && beside && len(candidates) > 1 {
		m.one(ctx, c.Prompts.Rank(first, candidates), order)
	}
	var shown []ask.Skill
	if lesson, ok := pool.like(e, m.draw, anyLesson); ok && m.draw.Float64() < c.Skilled {
		shown = []ask.Skill{lesson.skill}
	}
	lesson := ""
	if c.Distil && beside {
		lesson = lessonOf(c.World, e).text()
	}
	if c.Prompts.Grows() {
		m.conversation(ctx, shown, lesson)
	} else if m.commands(ctx, shown); lesson != "" {
		own := ask.Episode{World: c.World, Task: first.X.Goal, Won: true, Last: e.Last}
		for _, d := range e.Decisions {
			own.Turns = append(own.Turns, agent.Turn{Observation: d.X.Observation, Command: d.Command})
		}
		m.one(ctx, c.Prompts.Distil(own), lesson)
	}
	if m.err != nil {
		return Made{}, fmt.Errorf("cold start: %s: %w", e.Game, m.err)
	}
	return m.made, nil
}

// lowered are decisions in a shop with their commands, now and in what is shown of them, in lower case: so they come out of
// an answer in play. With goals, too, where that is how prompts have them.
func lowered(decisions []Decision, goals bool) []Decision {
	all := slices.Clone(decisions)
	for i := range all {
		all[i].Command = strings.ToLower(all[i].Command)
		if goals {
			all[i].X.Goal = strings.ToLower(all[i].X.Goal)
		}
		all[i].X.History = slices.Clone(all[i].X.History)
		for k := range all[i].X.History {
			all[i].X.History[k].Command = strings.ToLower(all[i].X.History[k].Command)
		}
	}
	return all
}

// Answer is how an expert's command is said: the same by types as the thought.
func Answer(world ask.World, command string) string {
	return "<think>" + world.Deed(command).Name + "</think><action>" + command + "</action>"
}

// maker writes the examples of an episode. After an error nothing more is written.
type maker struct {
	Config
	episode Episode
	draw    *draw
	made    Made
	err     error
}

// answer is text as it is sampled, with its end.
func (m *maker) answer(text string) []int32 { return append(m.Answers.EncodePlain(text), m.Stop) }

// one is an example of a prompt and its answer.
func (m *maker) one(ctx context.Context, prompt, answer string) {
	if m.err != nil {
		return
	}
	ids, err := m.Form.Prompt(ctx, prompt)
	if err == nil && len(ids) == 0 {
		err = errors.New("a prompt of no token")
	}
	if err != nil {
		m.err = err
		return
	}
	m.add(gpu.Example{Tokens: append(ids, m.answer(answer)...), Answer: len(ids)})
}

func (m *maker) add(x gpu.Example) {
	m.sized(len(x.Tokens))
	if m.MaxTokens > 0 && len(x.Tokens) > m.MaxTokens {
		m.made.Over++
		return
	}
	m.made.Examples = append(m.made.Examples, x)
}

// sized notes the length of an example.
func (m *maker) sized(n int) {
	if m.made.Shortest == 0 || n < m.made.Shortest {
		m.made.Shortest = n
	}
}

// commands are an example for each command.
func (m *maker) commands(ctx context.Context, skills []ask.Skill) {
	for i, d := range m.episode.Decisions {
		m.one(ctx, m.Prompts.Act(ask.Scene{World: m.World, X: d.X, Taken: i, Skills: skills}), Answer(m.World, d.Command))
	}
}

// conversation is one example with an answer for each command and, unless it is "", the lesson behind them; the last of
// them are left out where it grows too long.
func (m *maker) conversation(ctx context.Context, skills []ask.Skill, lesson string) {
	talk := rollout.Talk{Form: m.Form, Prompts: m.Prompts, Scene: ask.Scene{World: m.World, X: m.episode.Decisions[0].X, Skills: skills}}
	if m.err != nil {
		return
	}
	answers := make([]string, 0, len(m.episode.Decisions)+1)
	for _, d := range m.episode.Decisions {
		answers = append(answers, Answer(m.World, d.Command))
	}
	if lesson != "" {
		answers = append(answers, lesson)
	}
	var x gpu.Example
	for i, answer := range answers {
		var ids []int32
		switch {
		case i == 0:
			ids, m.err = talk.Begin(ctx, m.episode.Decisions[0].X.Observation)
			x.Answer = len(ids)
		case i == len(m.episode.Decisions):
			ids, m.err = talk.End(ctx, x.Tokens, true, m.episode.Last)
		default:
			ids, m.err = talk.Next(ctx, x.Tokens, m.episode.Decisions[i].X.Observation)
		}
		if m.err != nil {
			return
		}
		said := m.answer(answer)
		if i == 0 {
			m.sized(len(ids) + len(said))
		}
		if m.MaxTokens > 0 && len(ids)+len(said) > m.MaxTokens {
			m.made.Over += len(answers) - i
			break
		}
		if i > 0 {
			x.Read = append(x.Read, gpu.Span{From: len(x.Tokens), To: len(ids)})
		}
		x.Tokens = append(ids, said...)
	}
	if len(x.Tokens) > 0 {
		m.made.Examples = append(m.made.Examples, x)
	}
}
