// Package alfworld plays ALFWorld's game files (game.tw-pddl): a JSON object with a PDDL domain and problem and a
// grammar that puts operators and states into words. It gives the text, admissible commands, score and end that
// ALFWorld's own engine gives, for both vintages of its files, and plans as an expert that sees the whole state.
//
// Nothing about a vocabulary is built in: commands and answers come from the file's grammar. The experts go by
// ALFWorld's names of predicates and actions, so other domains that keep those names are planned for too.
package alfworld

import (
	"fmt"
	"sync/atomic"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/pddl"
)

// DefaultLimits stand where a field of env.Limits is zero. The real games need at most 250 objects, 160 operators at
// once and some thousands of tests a step.
var DefaultLimits = env.Limits{Operators: 50_000, Objects: 5_000, States: 20_000, Work: 20_000_000}

// What a game file may hold. The real ones have 130 kB, 110 symbols and 40 variables, and texts of at most 2 kB.
const (
	// MaxFile is how long a game file may be, in bytes.
	MaxFile = 16 << 20
	// maxSymbols and maxVariables bound a grammar; a text about a state is told with all variables at hand.
	maxSymbols, maxVariables = 10_000, 1000
	// maxQuery is how many atoms a query may have.
	maxQuery = 64
	// maxExpansion is how deep symbols may expand into each other; only a circle gets there.
	maxExpansion = 100
	// maxText is how long a text may become, in bytes.
	maxText = 256 << 10
	// maxCommands is how long all commands of one state may be together, in bytes.
	maxCommands = 1 << 20
	// maxSentence bounds the work of telling the task's sentence while a game is read.
	maxSentence = 100_000
)

// Refused is the answer to text that is no admissible command.
const Refused = "Nothing happens."

// Game is one game file, ready to be played.
type Game struct {
	id          string
	problem     *pddl.Problem
	*language           // often shared with other games
	own         ownRule // for the symbol of the grammar that tells the task
	names       names
	walkthrough []string
	told        []int // predicates of which texts may see something else than what holds
	house       *house
	family      string
	goal        env.Goal
	task        task
	warnings    []string
	opening     atomic.Pointer[opening] // once an episode has started
}

var _ env.Game = (*Game)(nil)

// Parse reads a game file. Errors wrap env.ErrBadGame and name the part, the line and what was expected.
func Parse(id string, data []byte) (*Game, error) { return parseWith(nil, id, data) }

func parseWith(l *Library, id string, data []byte) (*Game, error) {
	g, err := l.parse(id, data)
	if err != nil {
		return nil, fmt.Errorf("reading game %s: %w", id, err)
	}
	return g, nil
}

func (l *Library) parse(id string, data []byte) (*Game, error) {
	f, err := readGameFile(data, l.known)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		key  string
		text *string
	}{{"pddl_domain", f.Domain}, {"pddl_problem", f.Problem}, {"grammar", f.Grammar}} {
		if part.text == nil {
			return nil, fmt.Errorf("%w: no %q, expected a text", env.ErrBadGame, part.key)
		}
	}
	domain, err := l.domain(*f.Domain, f.domain)
	if err != nil {
		return nil, err
	}
	problem, err := pddl.ParseProblem("pddl_problem", *f.Problem, domain)
	if err != nil {
		return nil, err
	}
	g := &Game{id: id, problem: problem, walkthrough: f.Walkthrough}
	if problem.Domain != domain {
		l = nil // a goal with words of its own: the domain is not the others' any more
	}
	if g.language, g.own, err = l.language(problem.Domain, *f.Grammar); err != nil {
		return nil, err
	}
	g.told = problem.Twisted(g.grammar.asked, g.grammar.askedDeleted)
	g.names = nameObjects(problem)
	g.understand()
	g.warn(domain, problem)
	return g, nil
}

func (g *Game) warn(domain *pddl.Domain, problem *pddl.Problem) {
	for _, list := range [][]pddl.Warning{domain.Warnings, problem.Warnings} {
		for _, w := range list {
			g.warnings = append(g.warnings, w.String())
		}
	}
	g.warnings = append(g.warnings, g.grammar.warnings...)
}

// ID implements env.Game.
func (g *Game) ID() string { return g.id }

// Family implements env.Game. It follows from the goal; a goal of no ALFWorld family is "other".
func (g *Game) Family() string { return g.family }

// Goal is what the task asks for; Destination, Device and Target are empty where the family is "other".
func (g *Game) Goal() env.Goal { return g.goal }

// Warnings lists what in the file can be played but hardly means what it says.
func (g *Game) Warnings() []string { return g.warnings }

// Objects is the number of objects that the problem declares.
func (g *Game) Objects() int { return g.problem.Objects() }
