package alfworld

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/hone-rl/hone/env"
)

const (
	libraryDomain = `(define (domain d) (:types thing) (:predicates (on ?x - thing) (off ?x - thing))
(:action flip :parameters (?x - thing) :precondition (off ?x) :effect (and (on ?x) (not (off ?x)))))`
	libraryProblem = `(define (problem p) (:domain d) (:objects a_bar_1 a_bar_2 - thing)
(:init (off a_bar_1) (off a_bar_2)) (:goal (on a_bar_1)))`
	libraryGrammar = `grammar :: """{"intro": [{"rhs": "#task#"}], "task": [{"rhs": "TASK"}], "list_empty": [{"rhs": "nothing"}]}""";
# a comment
action flip { template :: "flip {x}"; feedback :: "You flip {x}. #task#"; }`
)

func libraryFile(t *testing.T, domain, grammar, task string) []byte {
	t.Helper()
	return gameOf(t, domain, libraryProblem, strings.Replace(grammar, "TASK", task, 1))
}

func gameOf(t *testing.T, domain, problem, grammar string) []byte {
	t.Helper()
	data, err := json.Marshal(map[string]any{
		"pddl_domain": domain, "pddl_problem": problem, "grammar": grammar, "solvable": true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestLibrary reads grammars that differ a little or a lot: each game is what it is when read alone, and those that
// differ in a plain task sentence share their language.
func TestLibrary(t *testing.T) {
	l := &Library{}
	first, err := l.Parse("first", libraryFile(t, libraryDomain, libraryGrammar, "Your task is to: put it away."))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, domain, grammar, task string
		shared                      bool
	}{
		{"same", libraryDomain, libraryGrammar, "Your task is to: put it away.", true},
		{"other task", libraryDomain, libraryGrammar, "Your task is to: put \\u0061 pen, away.", true},
		{"blanks", libraryDomain, libraryGrammar, "  ", true},
		{"nothing", libraryDomain, libraryGrammar, "", true},
		{"cut", libraryDomain, libraryGrammar, "Your task is to: stop; now.", false},
		{"quotes", libraryDomain, libraryGrammar, `Say \"hello\" now.`, false},
		{"a symbol", libraryDomain, libraryGrammar, "Do #list_empty#.", false},
		{"a query", libraryDomain, libraryGrammar, "Do {x.name | off(x:thing)}.", false},
		{"another symbol", libraryDomain, libraryGrammar, `a"}], "b": [{"rhs": "c`, false},
		{"broken", libraryDomain, libraryGrammar, `a\q`, false},
		{"other rule", libraryDomain, strings.Replace(libraryGrammar, "flip {x}", "turn {x}", 1), "Your task is to: put it away.", false},
		{"other domain", strings.Replace(libraryDomain, "(off ?x)", "(and (off ?x))", 1), libraryGrammar, "Your task is to: put it away.", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := libraryFile(t, c.domain, c.grammar, c.task)
			got, err := l.Parse("g", data)
			want, wantErr := Parse("g", data)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Fatalf("got %v, want %v", err, wantErr)
			}
			if err != nil {
				return
			}
			if shared := got.language == first.language; shared != c.shared {
				t.Errorf("shares the language: %v, want %v", shared, c.shared)
			}
			if got.Goal() != want.Goal() || !reflect.DeepEqual(got.Warnings(), want.Warnings()) {
				t.Errorf("got %v, %q, want %v, %q", got.Goal(), got.Warnings(), want.Goal(), want.Warnings())
			}
			if a, b := walked(t, got), walked(t, want); a != b {
				t.Errorf("got %q, want %q", a, b)
			}
		})
	}
}

// walked is what is told on the way through a game's first commands.
func walked(t *testing.T, game *Game) string {
	t.Helper()
	ep, err := game.Start(t.Context(), env.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	told := fmt.Sprintf("%+v", ep.Now())
	for range 3 {
		if c := ep.Now().Actions.Commands; len(c) > 0 {
			obs, err := ep.Step(t.Context(), c[0])
			if err != nil {
				t.Fatal(err)
			}
			told += fmt.Sprintf("\n%+v", obs)
		}
	}
	return told
}

// TestLibraryTellsTasksApart: tasks that cannot be told from the rest of their grammar are not shared.
func TestLibraryTellsTasksApart(t *testing.T) {
	for name, grammar := range map[string]string{
		"no task":        strings.NewReplacer("#task#", "", `"task"`, `"job"`).Replace(libraryGrammar),
		"twice":          strings.Replace(libraryGrammar, "a comment", `"TASK"`, 1),
		"escaped, twice": strings.NewReplacer("TASK", `\u0054ASK`, "a comment", `"TASK"`).Replace(libraryGrammar),
		"conditions":     strings.Replace(libraryGrammar, `"rhs": "TASK"`, `"rhs": "TASK", "condition": "off(x:thing)"`, 1),
		"two rules":      strings.Replace(libraryGrammar, `{"rhs": "TASK"}`, `{"rhs": "TASK"}, {"rhs": "x"}`, 1),
		"upper case":     strings.Replace(libraryGrammar, `"rhs": "TASK"`, `"RHS": "TASK"`, 1),
	} {
		l := &Library{}
		var games [2]*Game
		for i := range games {
			var err error
			if games[i], err = l.Parse("g", libraryFile(t, libraryDomain, grammar, "TASK")); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		shared := games[0].language == games[1].language
		if want := name == "escaped, twice"; shared != want || shared && !strings.HasSuffix(l.languages[0].before, `"rhs": `) {
			t.Errorf("%s: the language is shared: %v, want %v", name, shared, want)
		}
	}
}

// TestLibraryIsBounded reads many domains and grammars from many goroutines, and none of the early ones is kept.
func TestLibraryIsBounded(t *testing.T) {
	l := &Library{}
	var all sync.WaitGroup
	for i := range 4 * remembered {
		data := libraryFile(t, strings.Replace(libraryDomain, "thing)", fmt.Sprintf("thing t%d)", i), 1),
			strings.Replace(libraryGrammar, "a comment", fmt.Sprintf("comment %d", i), 1), "a")
		all.Go(func() {
			if _, err := l.Parse("g", data); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(l.domains) != remembered || len(l.languages) != remembered {
		t.Errorf("%d domains and %d languages are kept, want %d of each", len(l.domains), len(l.languages), remembered)
	}
}
