package alfworld

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/household"
	"github.com/hone-rl/hone/env/pddl"
)

// odd is a game with what ALFWorld's do without: forall, or, conditional and universal effects, a quantified goal, and
// templates that read what changes, bind objects of their own (which may not be another argument), and come to the
// same text for several operators.
const (
	oddDomain = `(define (domain odd) (:types thing place)
(:predicates (on ?x - thing) (at ?x - thing ?p - place) (next ?p ?q - place) (hot ?x - thing) (kin ?x ?y - thing))
(:action flip :parameters (?x - thing) :precondition ()
 :effect (and (when (on ?x) (not (on ?x))) (when (not (on ?x)) (on ?x))))
(:action push :parameters (?x - thing ?p ?q - place) :precondition (and (at ?x ?p) (or (next ?p ?q) (next ?q ?p) (hot ?x)))
 :effect (and (not (at ?x ?p)) (at ?x ?q)))
(:action cook :parameters (?p - place) :precondition (forall (?x - thing) (imply (at ?x ?p) (on ?x)))
 :effect (forall (?x - thing) (when (at ?x ?p) (hot ?x))))
(:action cool :parameters (?x ?y - thing) :precondition (and (hot ?x) (not (hot ?y)) (exists (?p - place) (and (at ?x ?p) (at ?y ?p))))
 :effect (and (not (hot ?x)) (hot ?y)))
(:action wait :parameters (?p - place) :precondition (not (exists (?x - thing) (at ?x ?p))) :effect (when (next ?p ?p) (next ?p ?p))))`
	oddProblem = `(define (problem p) (:domain odd)
(:objects a_bar_1 a_bar_2 a_bar_3 b_bar_1 b_bar_2 - thing p_bar_1 p_bar_2 p_bar_3 q_bar_1 - place)
(:init (at a_bar_1 p_bar_1) (at a_bar_2 p_bar_1) (at a_bar_3 p_bar_2) (at b_bar_1 p_bar_3) (at b_bar_2 p_bar_3) (on b_bar_1)
 (kin a_bar_1 a_bar_2) (kin a_bar_1 b_bar_1) (kin b_bar_1 b_bar_2) (kin b_bar_1 a_bar_1)
 (next p_bar_1 p_bar_2) (next p_bar_2 p_bar_3) (next q_bar_1 q_bar_1))
(:goal (forall (?x - thing) (or (hot ?x) (at ?x p_bar_3)))))`
	oddGrammar = `grammar :: """{"intro": [{"rhs": "#all#"}], "all": [{"rhs": "[{x.name | at(x:thing, p:place)}]"}], "task": [{"rhs": "Go."}],
"state": [{"condition": "on(x:thing)", "rhs": "off"}, {"rhs": "on"}],
"list_empty": [{"rhs": "nothing"}], "list_separator": [{"rhs": ", "}], "list_last_separator": [{"rhs": " and "}]}""";
action flip { template :: "turn {x} #state#"; feedback :: "#all#"; }
action push { template :: "push {x} to {q}"; feedback :: "#all#"; }
action cook { template :: "cook [{x.name | at(x:thing, p:place)}]"; feedback :: "#all#"; }
action cool { template :: "cool {x} among [{z.name | kin(x:thing, z:thing)}]"; feedback :: "#all#"; }
action wait { template :: "wait"; feedback :: "#all#"; }`
)

// TestCommandsFollow walks at random. After every step operators and commands are those that a look at the state
// without any memory finds, in the same order, and every command means the first operator that is said so.
func TestCommandsFollow(t *testing.T) {
	for name, game := range followed(t) {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, uint64(len(name))))
			for range 3 {
				ep, err := game.start(t.Context(), env.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				for step := range 60 {
					sameAsAnew(t, ep)
					if t.Failed() {
						t.Fatalf("after %d steps", step)
					}
					if r.IntN(8) == 0 {
						ep.commands.forget(ep)
						sameAsAnew(t, ep)
					}
					commands := ep.Now().Actions.Commands
					if len(commands) == 0 {
						break
					}
					if _, err := ep.Step(t.Context(), commands[r.IntN(len(commands))]); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

func followed(t *testing.T) map[string]*Game {
	t.Helper()
	games := map[string]*Game{}
	read := func(id string, data []byte) {
		game, err := Parse(id, data)
		if err != nil {
			t.Fatal(err)
		}
		games[id] = game
	}
	read("odd", gameOf(t, oddDomain, oddProblem, oddGrammar))
	for g, err := range household.Generate(household.Config{Train: 6, Mix: household.EvenMix}) {
		if err != nil {
			t.Fatal(err)
		}
		read(g.ID, g.Data)
	}
	if golden, err := filepath.Glob("../../../shared/alfworld-golden/*json_2.1.1/*/*/*/" + gameName); err == nil {
		for i := 0; i < len(golden); i += 10 {
			data, err := readFile(golden[i])
			if err != nil {
				t.Fatal(err)
			}
			read(filepath.Base(filepath.Dir(golden[i])), data)
		}
	}
	return games
}

func sameAsAnew(t *testing.T, e *Episode) {
	t.Helper()
	m := pddl.NewMeter(t.Context(), DefaultLimits.Work)
	var ops pddl.Applicable
	if err := ops.Update(e.state, DefaultLimits.Operators, m); err != nil {
		t.Fatal(err)
	}
	tell := teller{game: e.game, state: e.state, told: e.teller.told, meter: m}
	meant := map[string]string{}
	var commands []string
	for a := range e.game.actions {
		if !slices.Equal(e.ops.Rows(a), ops.Rows(a)) || e.ops.Count(a) != ops.Count(a) {
			t.Errorf("%s: operators %d, want %d", e.game.problem.Domain.Actions[a].Name, e.ops.Rows(a), ops.Rows(a))
			return
		}
		for i := range ops.Count(a) {
			op := ops.At(a, i)
			text, err := tell.tell(e.game.actions[a].template, &e.game.actions[a], op.Args)
			if err != nil {
				t.Fatal(err)
			}
			commands = append(commands, text)
			if meant[text] == "" {
				meant[text] = fmt.Sprint(op)
			}
		}
	}
	slices.Sort(commands)
	if want := slices.Compact(commands); !slices.Equal(e.Now().Actions.Commands, want) {
		t.Errorf("commands %q, want %q", e.Now().Actions.Commands, want)
	}
	for text, want := range meant {
		if op, ok := e.find(text); !ok || fmt.Sprint(op) != want {
			t.Errorf("%q means %v, %v, want %s", text, op, ok, want)
		}
	}
}

// TestEpisodesShareNothing: what one player does, or writes into the list it was given, no other sees; nor does a
// game that is opened again.
func TestEpisodesShareNothing(t *testing.T) {
	game, err := Parse("odd", gameOf(t, oddDomain, oddProblem, oddGrammar))
	if err != nil {
		t.Fatal(err)
	}
	first, err := game.start(t.Context(), env.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(first.Now().Actions.Commands)
	for i := range 50 {
		commands := first.Now().Actions.Commands
		if _, err := first.Step(t.Context(), commands[i%len(commands)]); err != nil {
			t.Fatal(err)
		}
		clear(commands)
	}
	second, err := game.start(t.Context(), env.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got := second.Now().Actions.Commands; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	sameAsAnew(t, first)
	sameAsAnew(t, second)
}
