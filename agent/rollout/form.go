package rollout

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// More implements Form.
func (p Plain) More(ctx context.Context, text string, _ int32) ([]int32, error) {
	return p.Prompt(ctx, text)
}

// Chat gives a prompt as a user's message in a chat template, before the answer. What the text says counts as text, even
// where it spells a special token.
type Chat struct {
	tokens        agent.Encoder
	before, after []int32
	between       []int32 // behind an answer, before the next message
}

// mark stands for a text in a template. No template changes or holds it.
const mark = "hone\u2060prompt"

// NewChat asks the template what stands around a message. Special encodes the template's own text, special tokens among
// it, and tokens the message. Variables are the template's, such as enable_thinking. A template that changes the message
// or repeats it is refused.
func NewChat(ctx context.Context, template *chat.Template, special func(text string) []int32, tokens agent.Encoder, variables map[string]any) (*Chat, error) {
	message, answer := chat.Text("user", mark), chat.Text("assistant", mark)
	one, err := around(ctx, template, variables, message)
	if err != nil {
		return nil, err
	}
	two, err := around(ctx, template, variables, message, answer, message)
	if err != nil {
		return nil, err
	}
	return &Chat{tokens: tokens, before: special(one[0]), between: special(two[2]), after: special(one[1])}, nil
}

// around is what a template writes before, between and behind messages.
func around(ctx context.Context, template *chat.Template, variables map[string]any, messages ...chat.Message) ([]string, error) {
	text, err := template.Render(ctx, chat.Conversation{Messages: messages, AddGenerationPrompt: true, Variables: variables})
	if err != nil {
		return nil, fmt.Errorf("form of prompts: %w", err)
	}
	parts := strings.Split(text, mark)
	if len(parts) != len(messages)+1 {
		return nil, fmt.Errorf("form of prompts: expected a chat template that shows a message once and as it is, got %.200q", text)
	}
	return parts, nil
}

// End is the token that ends an answer: the first that the template writes behind one.
func (c *Chat) End() (int32, error) {
	if len(c.between) == 0 {
		return 0, errors.New("form of prompts: expected a chat template that writes a token behind an answer")
	}
	return c.between[0], nil
}

// Prompt implements Form.
func (c *Chat) Prompt(_ context.Context, text string) ([]int32, error) {
	return slices.Concat(c.before, c.tokens.EncodePlain(text), c.after), nil
}

// More implements Form. An answer that ended itself has written the token that ends a message.
func (c *Chat) More(_ context.Context, text string, last int32) ([]int32, error) {
	between := c.between
	if len(between) > 0 && between[0] == last {
		between = between[1:]
	}
	return slices.Concat(between, c.tokens.EncodePlain(text), c.after), nil
}
