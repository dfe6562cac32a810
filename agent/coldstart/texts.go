package coldstart

import (
	"context"

	"github.com/hone-rl/hone/agent/rollout"
)

// Texts are what the examples of an episode are encoded from: prompts, answers and what the game says between them, each
// apart as it is encoded, without the tokens that end answers. A tokenizer learns from them. MaxTokens leaves none out.
func (c Config) Texts(ctx context.Context, e Episode, pool *Pool) ([]string, error) {
	heard := &listener{}
	c.Form, c.Answers, c.MaxTokens = rollout.Plain{Tokens: heard}, heard, 0
	_, err := c.Examples(ctx, e, pool)
	return heard.texts, err
}

// listener is an encoder that keeps what it is given.
type listener struct{ texts []string }

// EncodePlain implements agent.Encoder: every text is one token.
func (l *listener) EncodePlain(text string) []int32 {
	l.texts = append(l.texts, text)
	return []int32{0}
}
