package rollout

import (
	"context"
	"fmt"
	"strings"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/tokenizer/chat"
)

// Plain gives a prompt as it is.
type Plain struct{ Tokens agent.Encoder }

// Prompt implements Form.
func (p Plain) Prompt(_ context.Context, text string) ([]int32, error) {
	return p.Tokens.EncodePlain(text), nil
}

// Chat gives a prompt as a user's message in a chat template, before the answer. What the text says counts as text, even
// where it spells a special token.
type Chat struct {
	tokens        agent.Encoder
	before, after []int32
}

// mark stands for a text in a template. No template changes or holds it.
const mark = "hone\u2060prompt"

// NewChat asks the template what stands around a message. Special encodes the template's own text, special tokens among
// it, and tokens the message. Variables are the template's, such as enable_thinking. A template that changes the message
// or repeats it is refused.
func NewChat(ctx context.Context, template *chat.Template, special func(text string) []int32, tokens agent.Encoder, variables map[string]any) (*Chat, error) {
	text, err := template.Render(ctx, chat.Conversation{
		Messages: []chat.Message{chat.Text("user", mark)}, AddGenerationPrompt: true, Variables: variables,
	})
	if err != nil {
		return nil, fmt.Errorf("form of prompts: %w", err)
	}
	before, after, ok := strings.Cut(text, mark)
	if !ok || strings.Contains(after, mark) {
		return nil, fmt.Errorf("form of prompts: expected a chat template that shows a message once and as it is, got %.200q", text)
	}
	return &Chat{tokens: tokens, before: special(before), after: special(after)}, nil
}

// Prompt implements Form.
func (c *Chat) Prompt(_ context.Context, text string) ([]int32, error) {
	message := c.tokens.EncodePlain(text)
	ids := make([]int32, 0, len(c.before)+len(message)+len(c.after))
	return append(append(append(ids, c.before...), message...), c.after...), nil
}
