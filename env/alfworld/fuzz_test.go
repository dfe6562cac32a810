package alfworld_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
)

// fuzzLimits keep one input quick.
var fuzzLimits = env.Limits{Operators: 500, Objects: 100, States: 20, Work: 20_000}

// tryGame reads a game and plays its first commands. There is no panic, what is refused while reading is a bad game,
// and what can be played follows from the commands alone.
func tryGame(t *testing.T, data []byte, limits env.Limits) {
	game, err := alfworld.Parse("fuzz", data)
	library := &alfworld.Library{}
	_, _ = library.Parse("first", data) // remembers what it can
	shared, errShared := library.Parse("fuzz", data)
	if (err == nil) != (errShared == nil) {
		t.Fatalf("read alone: %v, by a library: %v", err, errShared)
	}
	if err != nil {
		if !errors.Is(err, env.ErrBadGame) {
			t.Errorf("got %v, want %v", err, env.ErrBadGame)
		}
		return
	}
	var eps [3]env.Episode // the last two say the same as the first
	for i, g := range []*alfworld.Game{game, game, shared} {
		if eps[i], err = g.Start(t.Context(), limits); err != nil {
			return
		}
	}
	for range 3 {
		obs := eps[0].Now()
		for i, ep := range eps {
			if !same(ep.Now(), obs) {
				t.Fatalf("episode %d: %+v, want %+v", i, ep.Now(), obs)
			}
		}
		refuse(t, eps[1], "no command at all\x7f")
		if len(obs.Actions.Commands) == 0 {
			break
		}
		command := obs.Actions.Commands[len(obs.Actions.Commands)/2]
		var errs [len(eps)]error
		for i, ep := range eps {
			_, errs[i] = ep.Step(t.Context(), command)
		}
		if errs[0] != nil {
			return // a budget, or a text that fails
		}
		if errs[1] != nil || errs[2] != nil {
			t.Fatalf("%q: %v", command, errs)
		}
		if eps[0].Now().Moves != obs.Moves+1 && plain(command) {
			t.Errorf("%q is on offer and refused", command)
		}
	}
	for _, kind := range env.PlanKinds {
		tryPlan(t, game, eps[2], kind, limits)
	}
}

func same(a, b env.Observation) bool {
	return a.Text == b.Text && slices.Equal(a.Actions.Commands, b.Actions.Commands) && a.Won == b.Won && a.Moves == b.Moves
}

// plain reports whether nothing is stripped from the ends of a command.
func plain(command string) bool {
	return command != "" && command[0] > ' ' && command[0] < 0x80 && command[len(command)-1] > ' ' && command[len(command)-1] < 0x80
}

// refuse says what is no command: it changes nothing but the text, for which the next command makes up.
func refuse(t *testing.T, ep env.Episode, text string) {
	before, key := ep.Now(), ep.(env.Stateful).StateKey()
	obs, err := ep.Step(t.Context(), text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if obs.Moves == before.Moves && (obs.Text != alfworld.Refused || !slices.Equal(obs.Actions.Commands, before.Actions.Commands) || key != ep.(env.Stateful).StateKey()) {
		t.Errorf("%q is refused and answered %+v", text, obs)
	}
}

// tryPlan asks for a plan, which changes nothing and wins.
func tryPlan(t *testing.T, game *alfworld.Game, ep env.Episode, kind env.PlanKind, limits env.Limits) {
	before, key := ep.Now(), ep.(env.Stateful).StateKey()
	plan, err := ep.(env.Expert).Plan(t.Context(), kind)
	if !same(ep.Now(), before) || key != ep.(env.Stateful).StateKey() {
		t.Errorf("a %s plan changes the state", kind)
	}
	if err != nil || before.Moves > 0 {
		return // a budget may end it
	}
	ep, err = game.Start(t.Context(), limits)
	for i := 0; err == nil && i < len(plan); i++ {
		_, err = ep.Step(t.Context(), plan[i])
	}
	if err == nil && !ep.Now().Won && !slices.ContainsFunc(plan, func(c string) bool { return !plain(c) }) {
		t.Errorf("the %s plan %q does not win", kind, plan)
	}
}

// FuzzGame reads any game file.
func FuzzGame(f *testing.F) {
	f.Add(gameFile(f, tinyDomain, tinyProblem, tinyGrammar))
	f.Add([]byte(`{"pddl_domain": "", "pddl_problem": "", "grammar": "", "walkthrough": [1]}`))
	for _, g := range badGames(f) {
		if len(g.data) < 5000 {
			f.Add(g.data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) { tryGame(t, data, fuzzLimits) })
}

// FuzzGrammar reads any grammar for a small domain.
func FuzzGrammar(f *testing.F) {
	f.Add(tinyGrammar)
	f.Add(`grammar :: """{"intro": [{"condition": "on(x:thing) & not_on(y)", "rhs": "#a#\t {x.name + ' ' + y.id or 'z' | pair(x, y)} [{#a# | on(x:thing)}]"}, {"rhs": "\"q\""}], "a": [{"rhs": "{x.indefinite}"}], "list_empty": [{"rhs": ""}]}""";
action flip { template :: "flip [{x.name | pair(x:thing, y:thing)}]"; feedback :: "#intro#"; }`)
	f.Fuzz(func(t *testing.T, grammar string) {
		tryGame(t, gameFile(t, tinyDomain, tinyProblem, grammar), fuzzLimits)
	})
}

// FuzzRules reads any domain and problem for a grammar that has words for an action called flip, and plays it with
// work that may end anywhere.
func FuzzRules(f *testing.F) {
	f.Add(tinyDomain, tinyProblem, uint16(20_000))
	f.Add(tinyDomain, tinyProblem, uint16(30))
	f.Add(`(define (domain d) (:types a - object b - a) (:constants c - b) (:predicates (p ?x - a) (q ?x ?y))
(:action flip :parameters (?x - a) :precondition (or (not (p ?x)) (exists (?z) (and (q ?x ?z) (not (= ?x ?z)))))
 :effect (and (p ?x) (forall (?y - b) (when (imply (p ?y) (q ?y ?x)) (and (not (p ?y)) (q ?x ?y)))) (increase (total-cost) 1))))`,
		`(define (problem p) (:domain d) (:objects o1 o2 - a o3 - b) (:init (p o1) (q o1 o2) (q o2 o3) (= (total-cost) 0))
(:goal (and (forall (?x - a) (p ?x)) (q o3 c))) (:metric minimize (total-cost)))`, uint16(5000))
	f.Fuzz(func(t *testing.T, domain, problem string, work uint16) {
		limits := fuzzLimits
		limits.Work = 1 + int(work)
		tryGame(t, gameFile(t, domain, problem, tinyGrammar), limits)
	})
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
