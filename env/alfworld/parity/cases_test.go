package parity_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/alfworld/parity"
	"github.com/hone-rl/hone/env/pddl"
)

// update has ALFWorld's engine answer all cases again: go test ./env/alfworld/parity -run Cases -update. It needs
// .venv-bench (scripts/setup-bench.sh).
var update = flag.Bool("update", false, "play all cases on ALFWorld's engine and keep its answers")

// gameCase is a small game of our own that both engines play.
type gameCase struct {
	name    string
	domain  string // actions and predicates; "(define (domain d)" and the last parenthesis are added
	problem string // :objects, :init and :goal, likewise
	// grammar is a whole twl2 text, or symbols of one (JSON without its braces) to which standard wordings of all
	// actions and predicates are added.
	grammar string
	say     []string // a walk of its own beside the drawn ones
	steps   int      // of each drawn walk, 0 means caseSteps
	hidden  string   // a predicate that the standard wordings leave out
	// fault is what ALFWorld's engine ends with, and then ours what ours says instead: an error, or "" where it plays.
	fault, ours string
}

const (
	caseWalks = 2
	caseSteps = 24
)

// kept is the folder of ALFWorld's answers.
const kept = "../testdata/parity"

// TestCases replays what ALFWorld's engine said to all cases, and to what was found to differ before.
func TestCases(t *testing.T) {
	if *update {
		updateCases(t)
	}
	folders := map[string]bool{}
	for _, c := range allCases() {
		if folders[c.name] {
			t.Errorf("two cases are called %s", c.name)
		}
		folders[c.name] = true
		if c.fault != "" {
			continue
		}
		want := c.file(t)
		if got, err := os.ReadFile(filepath.Join(kept, c.name, "game.tw-pddl")); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not the game that ALFWorld's engine answered (-update asks it again): %v", c.name, err)
		}
	}
	got, err := alfworld.CheckGolden(t.Context(), kept, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range got.First {
		t.Error(d)
	}
	if got.Differences != 0 || got.Games < 60 || got.Rows < 2500 {
		t.Errorf("%d games, %d rows, %d differences", got.Games, got.Rows, got.Differences)
	}
}

// TestFaults has the games that ALFWorld's engine cannot play: ours says what is wrong, or plays them.
func TestFaults(t *testing.T) {
	for _, c := range allCases() {
		if c.fault == "" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			a, err := parity.Ours{}.Play(t.Context(), c.file(t), c.say)
			if err != nil {
				t.Fatal(err)
			}
			if c.ours == "" {
				if a.Fault != "" || len(a.Rows) != len(c.say)+1 {
					t.Errorf("got %d rows and %q, want it played", len(a.Rows), a.Fault)
				}
			} else if !strings.Contains(a.Fault, c.ours) {
				t.Errorf("got %q, want something about %q", a.Fault, c.ours)
			}
		})
	}
}

var only = flag.String("only", "", "with -update, cases whose names begin so")

func updateCases(t *testing.T) {
	t.Helper()
	python, err := parity.NewPython("../../..")
	if err != nil {
		t.Fatal(err)
	}
	python.Limit = 60 * time.Second // of its commands and its start
	defer func() { _ = python.Close() }()
	for _, c := range allCases() {
		if !strings.HasPrefix(c.name, *only) {
			continue
		}
		data := c.file(t)
		var walks []parity.Walk
		for _, w := range c.walks(t, data) {
			a, err := python.Play(t.Context(), data, w.Commands)
			if err != nil {
				t.Fatal(err)
			}
			ours, err := parity.Ours{}.Play(t.Context(), data, w.Commands)
			if err != nil {
				t.Fatal(err)
			}
			if d := parity.Compare(a, ours); d != nil && c.fault == "" {
				t.Errorf("%s, walk %s, after %q, %s:\n  ALFWorld's %s\n  ours       %s", c.name, w.Name, before(w.Commands, d.Step), d.Field, d.Want, d.Got)
			}
			if !strings.Contains(a.Fault, c.fault) || (a.Fault == "") != (c.fault == "") {
				t.Errorf("%s: ALFWorld's engine ends with %q, want %q", c.name, a.Fault, c.fault)
			}
			w.Rows = a.Rows
			walks = append(walks, w)
		}
		if c.fault == "" {
			if err := parity.Keep(filepath.Join(kept, c.name), data, walks); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func before(commands []string, step int) []string { return commands[:min(step, len(commands))] }

// walks draws what is said. Where our engine cannot read the game, the start alone is compared.
func (c gameCase) walks(t *testing.T, data []byte) []parity.Walk {
	t.Helper()
	var walks []parity.Walk
	if len(c.say) > 0 {
		walks = append(walks, parity.Walk{Name: "said", Commands: c.say})
	}
	game, err := alfworld.Parse(c.name, data)
	for i := range caseWalks {
		w := parity.Walk{Name: fmt.Sprintf("drawn%d", i)}
		if err == nil && c.fault == "" {
			steps := c.steps
			if steps == 0 {
				steps = caseSteps
			}
			w.Commands, _ = parity.Draw(t.Context(), uint64(i), c.name, game, steps) // what there is, is compared
		}
		walks = append(walks, w)
	}
	return walks
}

// file is the case as a game.tw-pddl.
func (c gameCase) file(t *testing.T) []byte {
	t.Helper()
	domain := "(define (domain d)\n" + c.domain + "\n)"
	grammar := c.grammar
	if !strings.Contains(grammar, "::") {
		grammar = standardGrammar(t, domain, grammar, c.hidden)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(map[string]any{
		"pddl_domain": domain, "pddl_problem": "(define (problem p) (:domain d)\n" + c.problem + "\n)",
		"grammar": grammar, "solvable": true, "walkthrough": nil,
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// standardGrammar says every action with its parameters; "look" and the opening text tell all facts that the grammar
// can see, with those that were deleted.
func standardGrammar(t *testing.T, domain, more, hidden string) string {
	t.Helper()
	d, err := pddl.ParseDomain("domain", domain)
	if err != nil {
		return `grammar :: """{"intro": [{"rhs": "unreadable"}]}""";`
	}
	symbols := []string{`"list_empty": [{"rhs": "-"}]`, `"list_separator": [{"rhs": ", "}]`, `"list_last_separator": [{"rhs": " and "}]`}
	facts := ""
	for _, p := range d.Predicates {
		if p.Name == hidden {
			continue
		}
		var vars, ids []string
		for i := range p.Arity() {
			vars = append(vars, fmt.Sprintf("q%d:object", i))
			ids = append(ids, fmt.Sprintf("q%d.id", i))
		}
		expr := "'yes'"
		if len(ids) > 0 {
			expr = strings.Join(ids, " + ' ' + ")
		}
		facts += fmt.Sprintf(" %s: [{%s | %s(%s)}] not: [{%s | not_%s(%s)}].", p.Name, expr, p.Name, strings.Join(vars, ", "), expr, p.Name, strings.Join(vars, ", "))
	}
	symbols = append(symbols, fmt.Sprintf(`"facts": [{"rhs": "Facts:%s"}]`, facts))
	if !strings.Contains(more, `"intro"`) {
		symbols = append(symbols, `"intro": [{"rhs": "Play. #facts#"}]`)
	}
	if more != "" {
		symbols = append(symbols, more)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "grammar :: \"\"\"{%s}\"\"\";\n", strings.Join(symbols, ",\n"))
	for _, a := range d.Actions {
		words := a.Name
		for _, p := range a.Params {
			words += " {" + p.Name + "}"
		}
		feedback := "You " + words + "."
		if a.Name == "look" {
			feedback = "#facts#"
		}
		fmt.Fprintf(&b, "action %s { template :: %q; feedback :: %q; }\n", a.Name, words, feedback)
	}
	return b.String()
}

func allCases() []gameCase { return slices.Concat(pddlCases, grammarCases, linesOf(rhsCases)) }

// look is an action that changes nothing but a fact of its own, and tells all facts.
const look = `(:action look :parameters () :precondition () :effect (looked))`
