package activities

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/checkpoint"
)

// Asked is what a training asks of the model that it starts from.
type Asked struct {
	Field     string   `json:"field"` // of the spec: "teacher"
	MaxTokens int      `json:"maxTokens"`
	Adapter   bool     `json:"adapter,omitempty"`
	Targets   []string `json:"targets,omitempty"` // of the adapter
	// Answers are the most tokens of answers, by the field below Field that says so. The model reads a prompt before each.
	Answers map[string]int `json:"answers,omitempty"`
}

// Unfit is all that trainings ask of a model and it has not. Each error begins with the spec's field.
func Unfit(m checkpoint.Model, asked []Asked) (wrong []error) {
	_, positions := m.Limits()
	for _, a := range asked {
		if a.MaxTokens > positions {
			wrong = append(wrong, fmt.Errorf("%s.max_tokens %d: expected at most the model's positions, %d", a.Field, a.MaxTokens, positions))
		}
		for _, field := range slices.Sorted(maps.Keys(a.Answers)) {
			if n := a.Answers[field]; n >= positions {
				wrong = append(wrong, fmt.Errorf("%s.%s %d: expected below the model's positions, %d", a.Field, field, n, positions))
			}
		}
		if !a.Adapter {
			continue
		}
		if _, err := checkpoint.Targets(m, a.Targets); err != nil {
			wrong = append(wrong, fmt.Errorf("%s.lora.targets: %w", a.Field, err))
		}
	}
	return wrong
}

// ReadBase reads what the stored model that a spec names as model.base is. Of its weights nothing is read.
func ReadBase(ctx context.Context, store artifacts.Store, d artifacts.Digest) (checkpoint.Model, error) {
	m, err := artifacts.GetManifest(ctx, store, d)
	switch {
	case errors.Is(err, artifacts.ErrNotFound):
		return nil, wrong{fmt.Errorf("model.base %s: the store has no such model: hone model list shows those it has, hone model pull and import bring others", d), ErrTypeBadInput}
	case err != nil:
		return nil, fmt.Errorf("model.base %s: %w", d, err)
	case m.Kind != artifacts.KindModel:
		return nil, wrong{fmt.Errorf("model.base %s: it is of kind %s, expected a model", d, m.Kind), ErrTypeBadInput}
	}
	text, err := readOf(ctx, store, d, m, checkpoint.ConfigName)
	if err != nil {
		return nil, fmt.Errorf("model.base %s: %w", d, err)
	}
	described, err := checkpoint.Parse(text)
	if err != nil {
		return nil, wrong{fmt.Errorf("model.base %s: %s: %w", d, checkpoint.ConfigName, err), ErrTypeBadInput}
	}
	return described, nil
}

// CheckBase says why no run with these trainings can start from the stored model, nil if nothing speaks against it. All
// that is known from the model's configuration is looked at.
func CheckBase(ctx context.Context, store artifacts.Store, base artifacts.Digest, asked []Asked) error {
	m, err := ReadBase(ctx, store, base)
	if err != nil {
		return err
	}
	if err := errors.Join(Unfit(m, asked)...); err != nil {
		return wrong{err, ErrTypeBadInput}
	}
	return nil
}
