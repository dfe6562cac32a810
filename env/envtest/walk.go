package envtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"unicode/utf8"

	"github.com/hone-rl/hone/env"
)

// steps is how long a walk is. Most walks meet what a game does within it.
const steps = 15

// line is what was said and what came back, "" and the opening first.
type line struct {
	said string
	obs  env.Observation
}

// draw is something that obs allows to say, false if it allows nothing.
func (s *Suite) draw(obs env.Observation, r *rand.Rand) (string, bool) {
	commands, forms := obs.Actions.Commands, obs.Actions.Forms
	if len(commands)+len(forms) == 0 {
		return "", false
	}
	i := r.IntN(len(commands) + len(forms))
	if i < len(commands) {
		return commands[i], true
	}
	return s.fill(forms[i-len(commands)], r), true
}

func (s *Suite) fill(f env.Form, r *rand.Rand) string {
	words := []string{"red", "shoes", "table", "women", "size", "lamp"}
	text := words[r.IntN(len(words))]
	if r.IntN(2) == 0 {
		text += " " + words[r.IntN(len(words))]
	}
	if s.Fill != nil {
		text = s.Fill(f, r)
	}
	return f.Prefix + text + f.Suffix
}

// walk says what is drawn by seed, n times or until nothing can be said. Every answer is sound and everything on
// offer is accepted.
func (s *Suite) walk(ctx context.Context, ep env.Episode, seed uint64, n int) ([]line, error) {
	r := rand.New(rand.NewPCG(seed, 1))
	lines := []line{{"", ep.Now()}}
	for range n {
		text, ok := s.draw(ep.Now(), r)
		if !ok {
			break
		}
		if err := take(ctx, ep, text); err != nil {
			return nil, fmt.Errorf("walk %d, step %d: %w", seed, len(lines), err)
		}
		lines = append(lines, line{text, ep.Now()})
	}
	return lines, nil
}

// take says text, which must be accepted and answered soundly.
func take(ctx context.Context, ep env.Episode, text string) error {
	moves := ep.Now().Moves
	obs, err := ep.Step(ctx, text)
	if err != nil {
		return fmt.Errorf("%q: %w", text, err)
	}
	if obs.Moves != moves+1 {
		return fmt.Errorf("%q was on offer and is refused (%d moves, want %d): %q", text, obs.Moves, moves+1, obs.Text)
	}
	if err := sound(obs); err != nil {
		return fmt.Errorf("%q: %w", text, err)
	}
	return equal("Now after Step", ep.Now(), obs)
}

// follow says the same as lines and gives the same.
func follow(ctx context.Context, ep env.Episode, lines []line) error {
	for i, l := range lines {
		obs := ep.Now()
		if i > 0 {
			var err error
			if obs, err = ep.Step(ctx, l.said); err != nil {
				return fmt.Errorf("step %d, %q: %w", i, l.said, err)
			}
		}
		if err := equal(fmt.Sprintf("step %d, %q", i, l.said), obs, l.obs); err != nil {
			return err
		}
	}
	return nil
}

// sound checks what holds of every observation.
func sound(obs env.Observation) error {
	c := obs.Actions.Commands
	for i := range c {
		switch {
		case i > 0 && c[i-1] >= c[i]:
			return fmt.Errorf("commands %q, %q: expected sorted by code point and distinct", c[i-1], c[i])
		case c[i] == "" || !utf8.ValidString(c[i]):
			return fmt.Errorf("command %q, expected some UTF-8", c[i])
		}
	}
	for _, f := range obs.Actions.Forms {
		if f.Prefix+f.Suffix == "" || f.Parameter == "" {
			return fmt.Errorf("form %+v, expected a prefix or suffix and a name for what stands between", f)
		}
	}
	if !utf8.ValidString(obs.Text) || obs.Moves < 0 {
		return fmt.Errorf("text %q after %d moves, expected UTF-8 and no negative number", obs.Text, obs.Moves)
	}
	return nil
}

// equal compares two observations.
func equal(where string, got, want env.Observation) error {
	switch {
	case got.Text != want.Text:
		return fmt.Errorf("%s: text %q, want %q", where, got.Text, want.Text)
	case !sameActions(got, want):
		return fmt.Errorf("%s: actions %+v, want %+v", where, got.Actions, want.Actions)
	case got.Score != want.Score || got.Won != want.Won || got.Done != want.Done || got.Moves != want.Moves:
		return fmt.Errorf("%s: score %v, won %v, done %v, moves %d, want %v, %v, %v, %d", where,
			got.Score, got.Won, got.Done, got.Moves, want.Score, want.Won, want.Done, want.Moves)
	}
	return nil
}

func sameActions(a, b env.Observation) bool {
	return slices.Equal(a.Actions.Commands, b.Actions.Commands) && slices.Equal(a.Actions.Forms, b.Actions.Forms)
}

// clone is a copy that shares nothing with obs.
func clone(obs env.Observation) env.Observation {
	obs.Actions.Commands = slices.Clone(obs.Actions.Commands)
	obs.Actions.Forms = slices.Clone(obs.Actions.Forms)
	return obs
}

// key is the episode's state key, "" if it has none.
func key(ep env.Episode) string {
	if s, ok := ep.(env.Stateful); ok {
		return s.StateKey()
	}
	return ""
}

// noPlan reports whether err is an expert's regular way of saying that it has no plan.
func noPlan(err error) bool { return errors.Is(err, env.ErrNoPlan) }
