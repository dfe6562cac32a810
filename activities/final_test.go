package activities

import (
	"errors"
	"fmt"
	"testing"

	"go.temporal.io/sdk/temporal"

	"github.com/hone-rl/hone/artifacts"
)

// TestFinalToldOnce: an error that is made final again on its way keeps its one text.
func TestFinalToldOnce(t *testing.T) {
	const text = "train teacher: read model ab: blob cd: not found"
	err := classify(fmt.Errorf("read model ab: blob cd: %w", artifacts.ErrNotFound))
	err = classify(fmt.Errorf("train teacher: %w", err))
	for range 2 {
		var app *temporal.ApplicationError
		if !errors.As(err, &app) || app.Message() != text || !app.NonRetryable() || app.Type() != ErrTypeBadInput || !errors.Is(err, artifacts.ErrNotFound) {
			t.Errorf("got %#v, want %q", err, text)
		}
		err = classify(err)
	}
	if got := (plain{err}).Error(); got != text {
		t.Errorf("for a command: got %q, want %q", got, text)
	}
}
