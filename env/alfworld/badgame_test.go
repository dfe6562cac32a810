package alfworld_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
)

const (
	tinyDomain = `(define (domain d) (:types thing) (:predicates (on ?x - thing) (pair ?x ?y - thing))
(:action flip :parameters (?x - thing) :precondition (not (on ?x)) :effect (on ?x))
)`
	tinyProblem = `(define (problem p) (:domain d)
(:objects a_bar_1 - thing)
(:init (pair a_bar_1 a_bar_1))
(:goal (on a_bar_1)))`
	tinyGrammar = `grammar :: """{"intro": [{"rhs": "Flip it."}]}""";
action flip { template :: "flip {x}"; feedback :: "#done#"; grammar :: """{
# a comment
"done": [{"rhs": "{x} is flipped."}]}"""; }`
)

func gameFile(t testing.TB, domain, problem, grammar string) []byte {
	t.Helper()
	data, err := json.Marshal(map[string]any{"pddl_domain": domain, "pddl_problem": problem, "grammar": grammar, "solvable": true})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestTinyGame plays a game of another domain altogether.
func TestTinyGame(t *testing.T) {
	game, err := alfworld.Parse("tiny", gameFile(t, tinyDomain, tinyProblem, tinyGrammar))
	if err != nil {
		t.Fatal(err)
	}
	p := play(t, game)
	if got := p.ep.Now(); got.Text != "Flip it." || fmt.Sprint(got.Actions.Commands) != "[flip a 1]" || got.Won {
		t.Errorf("at first: %+v", got)
	}
	if got := plan(t, p.ep, env.Planner); fmt.Sprint(got) != "[flip a 1]" {
		t.Errorf("plan %q", got)
	}
	if got := p.do("flip a 1"); got.Text != "a 1 is flipped." || !got.Won || len(got.Actions.Commands) != 0 {
		t.Errorf("after it: %+v", got)
	}
	if got := game.Goal(); got.Family != alfworld.FamilyOther || got.Target != "" || got.Text != "" {
		t.Errorf("goal %+v", got)
	}
}

type badGame struct {
	name string
	data []byte
	want string // in the error
}

// badGames are refused while reading, with the part, the line and what was expected.
func badGames(t testing.TB) []badGame {
	whole := gameFile(t, tinyDomain, tinyProblem, tinyGrammar)
	change := func(part *[3]string, i int, old, new string) []byte {
		if !strings.Contains(part[i], old) {
			t.Fatalf("%q is not in %q", old, part[i])
		}
		part[i] = strings.Replace(part[i], old, new, 1)
		return gameFile(t, part[0], part[1], part[2])
	}
	parts := func() *[3]string { return &[3]string{tinyDomain, tinyProblem, tinyGrammar} }
	return []badGame{
		{"empty", nil, "line 1, byte 0: unexpected end of JSON input"},
		{"truncated", whole[:len(whole)-10], "unexpected end of JSON input, expected the JSON of a game file"},
		{"no JSON", []byte("{\n\n?"), "line 3, byte 4"},
		{"wrong kind", []byte(`{"grammar": 7}`), "grammar is a number, expected a string"},
		{"no problem", []byte(`{"pddl_domain": "x"}`), `no "pddl_problem", expected a text`},
		{"domain ends", change(parts(), 0, ")\n)", ")\n"), `pddl_domain:3: the text ends within define, expected ")"`},
		{"unknown predicate in an action", change(parts(), 0, "(not (on", "(not (off"), `pddl_domain:2: unknown predicate "off"`},
		{"unknown variable", change(parts(), 0, "(on ?x))\n", "(on ?z))\n"), "pddl_domain:2: unknown variable ?z"},
		{"wrong arity", change(parts(), 0, "(on ?x))\n", "(on ?x ?x))\n"), "pddl_domain:2: predicate on has 2 arguments, expected 1"},
		{"derived by nothing", change(parts(), 0, "(:action", "(:derived (on ?x)) (:action"), `pddl_domain:2: got ")", expected a condition`},
		{"effect on what is derived", change(parts(), 0, "(:action", "(:derived (on ?x) (pair ?x ?x))\n(:action"), "pddl_domain:3: action flip changes on, which is derived"},
		{"derived without a name", change(parts(), 0, "(:action", "(:derived (off ?x) (pair ?x ?x))\n(:action"), `pddl_domain:2: unknown predicate "off"`},
		{"derived with too few arguments", change(parts(), 0, "(:action", "(:derived (pair ?x) (on ?x))\n(:action"), "pddl_domain:2: derived predicate pair has 1 arguments, expected 2"},
		{"derived from its own denial", change(parts(), 0, "(:action", "(:derived (pair ?x ?y) (and (on ?x) (not (pair ?y ?x))))\n(:action"), "pddl_domain:2: derived predicate pair denies what it leads to itself"},
		{"fact of what is derived", change(parts(), 0, "(:action", "(:derived (pair ?x ?y) (on ?x))\n(:action"), "pddl_problem:3: pair is derived, expected no first facts of it"},
		{"effect on a type", change(parts(), 0, ":effect (on ?x)", ":effect (thing ?x)"), "pddl_domain:2: an effect changes a type"},
		{"numeric effect", change(parts(), 0, "(on ?x))\n", "(assign (cost) 1))\n"), `pddl_domain:2: numeric effect "assign" is not supported`},
		{"unknown section", change(parts(), 0, "(:types", "(:kinds"), `pddl_domain:1: unknown section ":kinds"`},
		{"outside ASCII", change(parts(), 1, "a_bar_1 - thing", "ä - thing"), "pddl_problem:2:"},
		{"unknown object", change(parts(), 1, "(pair a_bar_1", "(pair b"), `pddl_problem:3: unknown object "b", expected one that :objects declares`},
		{"unknown fact", change(parts(), 1, "(pair a_bar_1", "(trio a_bar_1"), `pddl_problem:3: unknown predicate "trio"`},
		{"unknown type", change(parts(), 1, "- thing", "- thong"), `pddl_problem:2: unknown type "thong"`},
		{"object twice", change(parts(), 1, "a_bar_1 - thing", "a_bar_1 A_bar_1 - thing"), `pddl_problem:2: object "a_bar_1" is declared twice`},
		{"unknown object in the goal", change(parts(), 1, "(on a_bar_1)", "(on c)"), `pddl_problem:4: unknown object "c" in the goal`},
		{"no goal", change(parts(), 1, "(:goal (on a_bar_1))", ""), "pddl_problem:4: the problem has no :goal"},
		{"deep nesting", change(parts(), 1, "(on a_bar_1)", strings.Repeat("(not ", 100_000)), "pddl_problem:4: expressions nest deeper than 100"},
		{"grammar of something else", change(parts(), 2, "action flip", "\nverb flip"), `grammar:3: got " flip`},
		{"broken table", change(parts(), 2, `{"rhs": "Flip it."}`, `{"rhs": }`), "grammar:1: invalid character"},
		{"no text", change(parts(), 2, `{"rhs": "Flip it."}`, `{}`), `grammar:1: rule 1 of symbol "intro" has no "rhs"`},
		{"open quotation", change(parts(), 2, `"flip {x}";`, `"flip {x};`), "grammar:4: got"},
		{"no opening", change(parts(), 2, "intro", "outro"), `no symbol "intro"`},
		{"action without words", change(parts(), 2, "action flip", "action flop"), `no template for action "flip"`},
	}
}

func TestBadGames(t *testing.T) {
	for _, c := range badGames(t) {
		t.Run(c.name, func(t *testing.T) {
			_, err := alfworld.Parse("id", c.data)
			if !errors.Is(err, env.ErrBadGame) || !strings.Contains(fmt.Sprint(err), c.want) {
				t.Errorf("got %v, want %v with %q", err, env.ErrBadGame, c.want)
			}
		})
	}
}

// TestBadTexts are grammars that fail where they are told.
func TestBadTexts(t *testing.T) {
	for _, c := range []struct{ name, rhs, want string }{
		{"broken condition", "#broken#", `a condition of symbol broken: got "on(x", expected p(x:type, …) & q(…)`},
		{"broken query", "{x | on(x:thing) on(y:thing)}", `got "on(y:thing)", expected &`},
		{"expression in Python", "{x.name.upper() | pair(x:thing, x:thing)}", `expression "x.name.upper() " is not understood at ".upper() "`},
		{"unknown symbol", "#nothing#", `symbol "nothing" has no rule`},
		{"circle", "#intro#", `symbol "intro" expands through itself without end`},
		{"unbound", "{y}", `variable "y" is not bound`},
		{"bomb", "#b1#", "a text becomes longer than"},
		{"no rule applies", "#never#", `no rule of symbol "never" applies`},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := `"intro": [{"rhs": "` + c.rhs + `"}], "never": [{"condition": "on(x:thing)", "rhs": ""}], "broken": [{"condition": "on(x", "rhs": ""}]`
			for i := 1; i < 40; i++ {
				table += fmt.Sprintf(`, "b%d": [{"rhs": "text #b%d##b%d#"}]`, i, i+1, i+1)
			}
			grammar := strings.Replace(tinyGrammar, `"intro": [{"rhs": "Flip it."}]`, table+`, "b40": [{"rhs": "."}]`, 1)
			game, err := alfworld.Parse("id", gameFile(t, tinyDomain, tinyProblem, grammar))
			if err != nil {
				t.Fatal(err)
			}
			_, err = game.Start(t.Context(), env.Limits{})
			if !errors.Is(err, env.ErrBadGame) || !strings.Contains(fmt.Sprint(err), c.want) {
				t.Errorf("got %v, want %v with %q", err, env.ErrBadGame, c.want)
			}
		})
	}
}

// exploding is a game whose one action has operators in the power of its objects.
func exploding(t *testing.T, objects, params int) []byte {
	var names, vars strings.Builder
	for i := range objects {
		fmt.Fprintf(&names, " o_bar_%d", i)
	}
	for i := range params {
		fmt.Fprintf(&vars, " ?p%d", i)
	}
	domain := strings.Replace(tinyDomain, "(:action flip", "(:action boom :parameters ("+vars.String()+" - thing) :precondition (not (pair ?p0 ?p1)) :effect (on ?p0))\n(:action flip", 1)
	problem := strings.Replace(tinyProblem, "(:objects", "(:objects"+names.String()+" - thing", 1)
	return gameFile(t, domain, problem, tinyGrammar+"\naction boom { template :: \"boom {p0} {p1}\"; feedback :: \"Boom.\"; }")
}

// TestBudgets stops games that are too large, by count and by the clock.
func TestBudgets(t *testing.T) {
	boom, err := alfworld.Parse("boom", exploding(t, 200, 8))
	if err != nil {
		t.Fatal(err)
	}
	many, err := alfworld.Parse("many", exploding(t, 10_000, 2))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		game   *alfworld.Game
		limits env.Limits
		want   env.BudgetError
	}{
		{"operators", boom, env.Limits{}, env.BudgetError{What: "operators", Limit: alfworld.DefaultLimits.Operators}},
		{"work", boom, env.Limits{Work: 3000}, env.BudgetError{What: "work", Limit: 3000}},
		{"objects", many, env.Limits{}, env.BudgetError{What: "objects", Limit: alfworld.DefaultLimits.Objects}},
		{"operators of many objects", many, env.Limits{Objects: 20_000, Operators: 1000}, env.BudgetError{What: "operators", Limit: 1000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.game.Start(t.Context(), c.limits)
			var got *env.BudgetError
			if !errors.As(err, &got) || *got != c.want {
				t.Errorf("got %v, want %v", err, &c.want)
			}
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	huge := env.Limits{Operators: 1 << 30, Work: 1 << 50}
	begun := time.Now()
	if _, err := boom.Start(ctx, huge); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
	if took := time.Since(begun); took > time.Minute { // the machine may be busy
		t.Errorf("a deadline of 20 ms was honoured after %v", took)
	}
}

// TestStoppedEpisode does not go on after its context ended in the middle.
func TestStoppedEpisode(t *testing.T) {
	p := play(t, build(t, kitchen, coolApple))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.ep.Step(ctx, "look"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if _, err := p.ep.Step(t.Context(), "look"); !errors.Is(err, context.Canceled) {
		t.Errorf("afterwards got %v, want %v again", err, context.Canceled)
	}
}
