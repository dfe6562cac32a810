package envtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/hone-rl/hone/env"
)

// checkOffers: everything on offer is accepted. Of a long list some are drawn.
func checkOffers(ctx context.Context, s *Suite, g Game) error {
	const states, most = 5, 12
	game, ep, err := begin(ctx, g)
	if err != nil {
		return err
	}
	lines, err := s.walk(ctx, ep, 3, states)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(3, 3))
	for i := range lines {
		var texts []string
		commands := lines[i].obs.Actions.Commands
		for _, k := range r.Perm(len(commands))[:min(most, len(commands))] {
			texts = append(texts, commands[k])
		}
		for _, f := range lines[i].obs.Actions.Forms {
			texts = append(texts, s.fill(f, r))
		}
		for _, text := range texts {
			ep, err := game.Start(ctx, env.Limits{})
			if err != nil {
				return err
			}
			if err := follow(ctx, ep, lines[:i+1]); err != nil {
				return err
			}
			if err := take(ctx, ep, text); err != nil {
				return fmt.Errorf("after %d steps: %w", i, err)
			}
		}
	}
	return nil
}

// nonsense is never a command.
var nonsense = []string{
	"", " ", "\n", "\t \r\n", "\x00", "\x00\x00", "xyzzy", "42", "-", ".", ";", "()", "{}", "[]", "#x#", "%s%n%d",
	"'; drop table", "\xff\xfe", "\xed\xa0\x80", "\ufeff", "\u2028", "日本語", "🙂", "null", `{"action": "look"}`,
	"<action>look</action>", "../../etc/passwd", strings.Repeat("go ", 400_000), strings.Repeat("(", 100_000),
}

// variants are texts that are like a command; a game may understand them or not.
func variants(obs env.Observation) []string {
	var list []string
	for i, c := range obs.Actions.Commands {
		if i == 4 {
			break
		}
		list = append(list, strings.ToUpper(c), c+".", c+" "+c, c[:len(c)/2], c+"\x00", "  "+strings.ReplaceAll(c, " ", "  "), c+" 999999999999999999999")
	}
	for _, f := range obs.Actions.Forms {
		list = append(list, f.Prefix, f.Suffix, f.Prefix+f.Suffix, f.Prefix+"x", "x"+f.Suffix, f.Prefix+f.Prefix+f.Suffix+f.Suffix,
			f.Prefix+"\xff\x00"+f.Suffix, f.Prefix+strings.Repeat("x ", 100_000)+f.Suffix)
	}
	return list
}

// checkJunk: text that is not understood is answered and changes nothing. What is like a command is either that or
// a move.
func checkJunk(ctx context.Context, s *Suite, g Game) error {
	game, ep, err := begin(ctx, g)
	if err != nil {
		return err
	}
	lines, err := s.walk(ctx, ep, 4, steps)
	if err != nil {
		return err
	}
	noisy, err := game.Start(ctx, env.Limits{})
	if err != nil {
		return err
	}
	for i, l := range lines {
		if i > 0 {
			if err := followOne(ctx, noisy, lines, i); err != nil {
				return fmt.Errorf("after nonsense: %w", err)
			}
		}
		for k, text := range nonsense {
			if i > 2 && k%len(lines) != i { // everything in the first states, the rest a part each
				continue
			}
			obs, err := refuse(ctx, noisy, text)
			if err != nil {
				return fmt.Errorf("after %d steps: %w", i, err)
			}
			if obs.Moves != l.obs.Moves {
				return fmt.Errorf("after %d steps: %q is accepted, expected it to be refused", i, short(text))
			}
		}
		for _, text := range variants(l.obs)[:min(len(variants(l.obs)), 20)] {
			ep, err := game.Start(ctx, env.Limits{})
			if err != nil {
				return err
			}
			if err := follow(ctx, ep, lines[:i+1]); err != nil {
				return err
			}
			if _, err := refuse(ctx, ep, text); err != nil {
				return fmt.Errorf("after %d steps: %w", i, err)
			}
		}
		if i == 3 {
			break
		}
	}
	return nil
}

// refuse says text, which either is a move or changes nothing.
func refuse(ctx context.Context, ep env.Episode, text string) (env.Observation, error) {
	before, at := ep.Now(), key(ep)
	obs, err := ep.Step(ctx, text)
	if err != nil {
		return obs, fmt.Errorf("%q: %w, expected an answer", short(text), err)
	}
	if err := sound(obs); err != nil {
		return obs, fmt.Errorf("%q: %w", short(text), err)
	}
	switch {
	case obs.Moves == before.Moves+1:
		return obs, nil
	case obs.Moves != before.Moves || obs.Won != before.Won || !sameActions(obs, before) || key(ep) != at:
		return obs, fmt.Errorf("%q is refused, but changes the state: %+v, want %+v", short(text), obs, before)
	case obs.Text == "":
		return obs, fmt.Errorf("%q is not answered", short(text))
	}
	return obs, nil
}

func short(text string) string { return text[:min(len(text), 60)] }
