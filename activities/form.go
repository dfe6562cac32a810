package activities

import (
	"context"
	"fmt"

	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/tokenizer"
	"github.com/hone-rl/hone/tokenizer/chat"
)

// ChatParameters have prompts stand in the model's own chat template, as its user's messages. Without them a prompt is its
// text alone, and EndOfText ends an answer.
type ChatParameters struct {
	Thinking bool `json:"thinking,omitempty" yaml:"thinking"` // the template's enable_thinking
}

// formOf is how a model whose folder is dir is given prompts, and the token that ends its answers.
func formOf(ctx context.Context, dir string, tokens *tokenizer.Tokenizer, how *ChatParameters) (rollout.Form, int32, error) {
	if how == nil {
		stop, ok := tokens.ID(EndOfText)
		if !ok {
			return nil, 0, wrong{fmt.Errorf("its tokenizer has no %s to end answers with: a model with a chat template takes prompts in it", EndOfText), ErrTypeBadInput}
		}
		return rollout.Plain{Tokens: tokens}, stop, nil
	}
	template, err := chat.Load(dir)
	if err != nil {
		return nil, 0, wrong{err, ErrTypeBadInput}
	}
	form, err := rollout.NewChat(ctx, template, tokens.Encode, tokens, map[string]any{"enable_thinking": how.Thinking})
	if err != nil {
		return nil, 0, wrong{err, ErrTypeBadInput}
	}
	stop, err := form.End()
	if err != nil {
		return nil, 0, wrong{err, ErrTypeBadInput}
	}
	return form, stop, nil
}
