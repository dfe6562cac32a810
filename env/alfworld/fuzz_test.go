package alfworld_test

import (
	"errors"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
)

// fuzzLimits keep one input quick.
var fuzzLimits = env.Limits{Operators: 500, Objects: 100, States: 20, Work: 20_000}

// tryGame reads a game and plays its first commands: no panic, and what is refused while reading is a bad game.
func tryGame(t *testing.T, data []byte) {
	game, err := alfworld.Parse("fuzz", data)
	if err != nil {
		if !errors.Is(err, env.ErrBadGame) {
			t.Errorf("got %v, want %v", err, env.ErrBadGame)
		}
		return
	}
	ep, err := game.Start(t.Context(), fuzzLimits)
	if err != nil {
		return
	}
	for range 3 {
		commands := ep.Now().Actions.Commands
		if len(commands) == 0 {
			break
		}
		moves := ep.Now().Moves
		obs, err := ep.Step(t.Context(), commands[0])
		if err != nil {
			return
		}
		if obs.Moves != moves+1 && commands[0] != "" && commands[0][0] > ' ' && commands[0][len(commands[0])-1] > ' ' && commands[0][len(commands[0])-1] < 0x80 {
			t.Errorf("%q is on offer and refused", commands[0])
		}
	}
	for _, kind := range env.PlanKinds {
		_, _ = ep.(env.Expert).Plan(t.Context(), kind) // a budget may end it
	}
}

// FuzzGame reads any game file.
func FuzzGame(f *testing.F) {
	f.Add(gameFile(f, tinyDomain, tinyProblem, tinyGrammar))
	f.Add([]byte(`{"pddl_domain": "", "pddl_problem": "", "grammar": "", "walkthrough": [1]}`))
	f.Fuzz(tryGame)
}

// FuzzGrammar reads any grammar for a small domain.
func FuzzGrammar(f *testing.F) {
	f.Add(tinyGrammar)
	f.Add(`grammar :: """{"intro": [{"condition": "on(x:thing) & not_on(y)", "rhs": "#a#\t {x.name + ' ' + y.id or 'z' | pair(x, y)} [{#a# | on(x:thing)}]"}, {"rhs": "\"q\""}], "a": [{"rhs": "{x.indefinite}"}], "list_empty": [{"rhs": ""}]}""";
action flip { template :: "flip [{x.name | pair(x:thing, y:thing)}]"; feedback :: "#intro#"; }`)
	f.Fuzz(func(t *testing.T, grammar string) { tryGame(t, gameFile(t, tinyDomain, tinyProblem, grammar)) })
}

// FuzzCommand says anything to a game: what is not on offer is refused and changes nothing.
func FuzzCommand(f *testing.F) {
	game, err := alfworld.Parse("tiny", gameFile(f, tinyDomain, tinyProblem, tinyGrammar))
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{"flip a 1", " flip a 1\n", "Flip a 1", "\x00", "\u3000flip a 1\x1c"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ep, err := game.Start(t.Context(), env.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		obs, err := ep.Step(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		if (obs.Text == alfworld.Refused) != (obs.Moves == 0) || obs.Won != (obs.Moves == 1) {
			t.Errorf("%q: %+v", text, obs)
		}
	})
}
