package rollout

import (
	"context"
	"errors"
	"fmt"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/ask"
)

// Talk writes an episode's commands as a conversation, for sets of prompts that grow: in play, and in the examples that
// teach a model to play so.
type Talk struct {
	Form    Form
	Prompts ask.Set
	Scene   ask.Scene // of the episode: world, task and skills
}

// Prompt is the conversation of turns, with the answers in which their commands were given, up to the observation that
// is answered next. Answers are tokens as they were sampled, the one that ended each with them.
func (t Talk) Prompt(ctx context.Context, turns []agent.Turn, answers [][]int32, observation string) ([]int32, error) {
	return t.all(ctx, turns, answers, t.Prompts.Turn(t.Scene.World, observation))
}

// Lesson is the conversation of turns up to the question what can be learnt from it.
func (t Talk) Lesson(ctx context.Context, turns []agent.Turn, answers [][]int32, won bool, last string) ([]int32, error) {
	return t.all(ctx, turns, answers, t.Prompts.End(t.Scene.World, won, last))
}

// all is the conversation of turns up to the text that is answered next.
func (t Talk) all(ctx context.Context, turns []agent.Turn, answers [][]int32, next string) ([]int32, error) {
	if len(turns) != len(answers) {
		return nil, fmt.Errorf("conversation: %d answers to %d turns", len(answers), len(turns))
	}
	said := func(i int) string {
		if i < len(turns) {
			return t.Prompts.Turn(t.Scene.World, turns[i].Observation)
		}
		return next
	}
	ids, err := t.Form.Prompt(ctx, t.Prompts.Start(t.Scene)+said(0))
	if err != nil {
		return nil, err
	}
	for i, answer := range answers {
		if len(answer) == 0 {
			return nil, fmt.Errorf("conversation: answer %d of no token", i)
		}
		if ids, err = t.more(ctx, append(ids, answer...), said(i+1)); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// Begin is the conversation up to its first observation.
func (t Talk) Begin(ctx context.Context, observation string) ([]int32, error) {
	return t.Form.Prompt(ctx, t.Prompts.Start(t.Scene)+t.Prompts.Turn(t.Scene.World, observation))
}

// Next is the conversation said, which ends with an answer, up to the observation after it. It writes behind said.
func (t Talk) Next(ctx context.Context, said []int32, observation string) ([]int32, error) {
	return t.more(ctx, said, t.Prompts.Turn(t.Scene.World, observation))
}

// End is the conversation said, which ends with an answer, up to the question what can be learnt from it. It writes
// behind said.
func (t Talk) End(ctx context.Context, said []int32, won bool, last string) ([]int32, error) {
	return t.more(ctx, said, t.Prompts.End(t.Scene.World, won, last))
}

func (t Talk) more(ctx context.Context, said []int32, text string) ([]int32, error) {
	if len(said) == 0 {
		return nil, errors.New("conversation: expected an answer before what is said next")
	}
	more, err := t.Form.More(ctx, text, said[len(said)-1])
	return append(said, more...), err
}
