package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hone-rl/hone/env"
)

// taskMark begins the sentence of an opening text that says what to do.
const taskMark = "Your task is to:"

// Tracker turns what a game says and what is said to it into X.
type Tracker struct {
	goal    string
	keep    int
	history []Turn
	now     env.Observation
}

// Track begins at the episode's current state, which must be its first. Keep is how many turns X remembers. The
// goal is the expert's sentence or, where the game has none, the one in the opening text.
func Track(episode env.Episode, keep int) (*Tracker, error) {
	t := &Tracker{keep: keep, now: episode.Now()}
	if expert, ok := episode.(env.Expert); ok {
		t.goal = expert.Goal().Text
	}
	if t.goal == "" {
		var ok bool
		if t.goal, ok = GoalIn(t.now.Text); !ok {
			return nil, fmt.Errorf("opening text %q: expected a sentence beginning with %q", clip(t.now.Text), taskMark)
		}
	}
	return t, nil
}

// Add takes in that command was said and the game answered.
func (t *Tracker) Add(command string, answer env.Observation) {
	t.history = append(t.history, Turn{Observation: t.now.Text, Command: command})
	if len(t.history) > t.keep {
		t.history = t.history[len(t.history)-t.keep:]
	}
	t.now = answer
}

// X is what the player knows now. It shares nothing that Add changes.
func (t *Tracker) X() X {
	return X{
		Goal:        t.goal,
		History:     append([]Turn{}, t.history...),
		Observation: t.now.Text,
		Admissible:  append([]string{}, t.now.Actions.Commands...),
		Forms:       slices.Clone(t.now.Actions.Forms),
	}
}

// GoalIn finds the goal sentence in an opening text: what follows "Your task is to:" up to the end of the line,
// without the full stop.
func GoalIn(opening string) (string, bool) {
	_, rest, ok := strings.Cut(opening, taskMark)
	if !ok {
		return "", false
	}
	line, _, _ := strings.Cut(rest, "\n")
	goal := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "."))
	return goal, goal != ""
}

// clip is enough of a text for an error.
func clip(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
