package activities_test

import (
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/gpu/gputest"
)

// TestReadSpeech: a model, and an update of it, speak alike; of the folder that its files are read from nobody is told.
func TestReadSpeech(t *testing.T) {
	w := newWorld(t, newStore(), &gputest.Runner{})
	c := w.course(t, nil)
	done := c.walk(t, func() *world { return w }, nil, 2)
	for name, d := range map[string]artifacts.Digest{"model": c.in.Model, "update": done[0].Policy, "checkpoint": done[1].Model} {
		s, err := activities.ReadSpeech(t.Context(), w.Store, d, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ids, err := s.Form.Prompt(t.Context(), "go to desk 1")
		if stop, _ := s.Tokens.ID(activities.EndOfText); err != nil || s.Tokens.Decode(ids) != "go to desk 1" || s.Stop != stop || s.Positions != 4096 {
			t.Errorf("%s: got %v, %v, stop %d, positions %d", name, ids, err, s.Stop, s.Positions)
		}
	}
	_, err := activities.ReadSpeech(t.Context(), w.Store, c.in.Model, &activities.ChatParameters{})
	if err == nil || !strings.Contains(err.Error(), "no chat_template") || strings.Contains(err.Error(), "hone-speech") {
		t.Errorf("a chat: %v", err)
	}
	if _, err := activities.ReadSpeech(t.Context(), w.Store, c.in.Games, nil); err == nil {
		t.Error("a list of games speaks")
	}
}
